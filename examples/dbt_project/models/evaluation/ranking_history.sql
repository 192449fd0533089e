-- Results of every run by its date. A second run on the same day replaces the first.
{{
    config(
        materialized='incremental',
        incremental_strategy='delete+insert',
        unique_key='run_date',
        on_schema_change='append_new_columns',
    )
}}

select {{ run_date() }} as run_date, *
from {{ ref('ranking_summary') }}
