from ranking.by_user('{{ ref("stg_recommendations") }}', '{{ ref("stg_truth") }}', {{ var("cutoffs") }})
