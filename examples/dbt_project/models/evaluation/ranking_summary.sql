from ranking_summary('{{ ref("stg_recommendations") }}', '{{ ref("stg_truth") }}', {{ var("cut_offs") }})
