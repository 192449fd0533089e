{% test between_0_and_1(model, column_name) %}
-- NULL and NaN fail too.
select {{ column_name }}
from {{ model }}
where ({{ column_name }} between 0 and 1) is not true
{% endtest %}
