-- Rows of lists in every form, with NULLs, empty and repeated ones.
SELECT rec::BIGINT[] AS rec, truth::INTEGER[] AS truth, texts::VARCHAR[] AS texts,
    graded::MAP(VARCHAR, DOUBLE) AS graded, pairs::STRUCT(grade DOUBLE, item DATE)[] AS pairs,
    grades::DOUBLE[] AS grades, k::INTEGER AS k, options, vectors::DOUBLE[][] AS vectors,
    MAP {1: 1 / 2, 2: 1 / 3, 3: 1 / 4}::MAP(BIGINT, DOUBLE) AS shares
FROM (VALUES
    ([1, 3, 2, 6], [1, 2, 4], ['a', 'c'], MAP {'a': 3, 'b': 1},
        [(3, '2026-01-01'), (3, '2026-01-02')], [3, 2, 1], 2, '', [[1, 0], [0, 1]]),
    ([], [], [], MAP {}, [], [], 1, NULL, []),
    (NULL, [1], NULL, MAP {'a': 1}, NULL, [1], NULL, '', NULL),
    ([2, 2, NULL, 1], [2, 1, NULL, 2], ['b', 'b', NULL, ''], MAP {'b': 0, '': 2},
        [(0, NULL), NULL], [1], 3, '', [[1, 1], NULL]),
    ([9], NULL, ['x'], NULL, [(1, NULL)], NULL, 0, '', [[0]]),
    ([5, 4, 3, 2, 1, 0], [0, 5], ['y', 'é'], MAP {'é': 0.5, 'y': -1},
        [(2, '2026-01-01'), (1, '2026-02-01')], [2, 2, 0], 10, '', [[3], [4], [-1]])
) AS t(rec, truth, texts, graded, pairs, grades, k, options, vectors)
