from ranking.evaluate('{{ ref("stg_recommendations") }}', '{{ ref("stg_truth") }}', {{ var("cutoffs") }})
