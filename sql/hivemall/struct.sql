-- Combines one to eight values in a STRUCT, like the function of Hive.
--
-- a, b, ...: values of any type; NULL is kept
-- Returns:   STRUCT with the field names of Hive: col1, col2, ... It is not NULL, even if all values are.
-- Source:     Hive, struct
-- Example:   SELECT struct(5.0, 'apple');  -- {'col1': 5.0, 'col2': apple}
CREATE OR REPLACE TEMP MACRO struct
    (a) AS {'col1': a},
    (a, b) AS {'col1': a, 'col2': b},
    (a, b, c) AS {'col1': a, 'col2': b, 'col3': c},
    (a, b, c, d) AS {'col1': a, 'col2': b, 'col3': c, 'col4': d},
    (a, b, c, d, e) AS {'col1': a, 'col2': b, 'col3': c, 'col4': d, 'col5': e},
    (a, b, c, d, e, f) AS {'col1': a, 'col2': b, 'col3': c, 'col4': d, 'col5': e, 'col6': f},
    (a, b, c, d, e, f, g) AS {'col1': a, 'col2': b, 'col3': c, 'col4': d, 'col5': e, 'col6': f, 'col7': g},
    (a, b, c, d, e, f, g, h) AS
        {'col1': a, 'col2': b, 'col3': c, 'col4': d, 'col5': e, 'col6': f, 'col7': g, 'col8': h};
