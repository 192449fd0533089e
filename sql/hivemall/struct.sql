-- One to eight values in one STRUCT, as Hive's function of that name.
--
-- a, b, ...: the values, of any types; NULL is kept
-- Returns:   STRUCT with Hive's field names: col1, col2, ... It is not NULL even if every value is.
-- Source:    Hive, struct; https://cwiki.apache.org/confluence/display/Hive/LanguageManual+UDF
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
