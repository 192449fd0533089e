{% test one_row_per(model, columns) %}
select {{ columns | join(', ') }}, count(*) as n_rows
from {{ model }}
group by all
having count(*) > 1
{% endtest %}
