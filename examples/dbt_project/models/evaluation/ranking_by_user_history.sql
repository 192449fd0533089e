-- Results of every run by its date, for each user. The next run is compared with these.
{{
    config(
        materialized='incremental',
        incremental_strategy='delete+insert',
        unique_key='run_date',
        on_schema_change='append_new_columns',
    )
}}

select {{ run_date() }} as run_date, *
from {{ ref('ranking_by_user') }}
