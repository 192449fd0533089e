{% macro run_date() %}date '{{ var("run_date", run_started_at.strftime("%Y-%m-%d")) }}'{% endmacro %}
