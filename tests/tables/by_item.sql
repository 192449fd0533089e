-- User 9 has no truth, user 3 no list; a repeats an item, and has a NULL; `gone` is in truth alone.
CREATE TABLE rec AS FROM (VALUES
    ('a', 1, 'p', 9.0), ('a', 1, 'q', 8.0), ('a', 1, 'p', 7.0), ('a', 1, 'r', 6.0),
    ('a', 2, NULL, 5.0), ('a', 2, 'q', 4.0), ('a', 9, 'p', 1.0), ('a', 9, 'x', 1.0),
    ('b', 1, 'r', 1.0), ('b', 2, 'r', 2.0), ('b', 2, 'p', 1.0), ('a', NULL, 'p', 1.0),
    (NULL, 1, 'q', 1.0)
) AS t(system, userid, itemid, score);
CREATE TABLE truth AS FROM (VALUES
    (1, 'p', 1), (1, 'p', 3), (1, 'r', 1), (2, 'q', 2), (2, 'r', 0), (3, 'p', 1), (3, 'gone', -1),
    (2, NULL, 1)
) AS t(userid, itemid, rel)
