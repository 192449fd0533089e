select userid, itemid, rel from {{ ref('fold_events') }} where part = 'test'
