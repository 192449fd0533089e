-- Internal: the options of a measure, as the registry has them.
--
-- measure: a measure's name
-- Returns: LIST of STRUCT(name, rule, words (those that it takes; NULL for a number), bounds (DOUBLE[]: at least, above, at
--          most, below), needs and needed (another option, and its value, without which this one has no effect))
-- Example: SELECT _ranking_valid_options('recall');
CREATE OR REPLACE TEMP MACRO _ranking_valid_options(measure) AS
CASE measure
    -- generated from the registry, do not edit
    WHEN 'recall' THEN [
        {'name': 'normalize', 'rule': 'truth|min', 'words': ['truth', 'min'], 'bounds': ['-inf'::DOUBLE, '-inf'::DOUBLE, 'inf'::DOUBLE, 'inf'::DOUBLE], 'needs': NULL, 'needed': NULL}
    ]
    WHEN 'precision' THEN [
        {'name': 'divide', 'rule': 'list|k', 'words': ['list', 'k'], 'bounds': ['-inf'::DOUBLE, '-inf'::DOUBLE, 'inf'::DOUBLE, 'inf'::DOUBLE], 'needs': NULL, 'needed': NULL}
    ]
    WHEN 'f_measure' THEN [
        {'name': 'beta', 'rule': 'a number >= 0', 'words': NULL, 'bounds': [0, '-inf'::DOUBLE, 'inf'::DOUBLE, 'inf'::DOUBLE], 'needs': NULL, 'needed': NULL}
    ]
    WHEN 'average_precision' THEN [
        {'name': 'normalize', 'rule': 'truth|min|hits', 'words': ['truth', 'min', 'hits'], 'bounds': ['-inf'::DOUBLE, '-inf'::DOUBLE, 'inf'::DOUBLE, 'inf'::DOUBLE], 'needs': NULL, 'needed': NULL}
    ]
    WHEN 'dcg' THEN [
        {'name': 'gain', 'rule': 'exp|linear', 'words': ['exp', 'linear'], 'bounds': ['-inf'::DOUBLE, '-inf'::DOUBLE, 'inf'::DOUBLE, 'inf'::DOUBLE], 'needs': NULL, 'needed': NULL},
        {'name': 'discount', 'rule': 'log2|original|half_life', 'words': ['log2', 'original', 'half_life'], 'bounds': ['-inf'::DOUBLE, '-inf'::DOUBLE, 'inf'::DOUBLE, 'inf'::DOUBLE], 'needs': NULL, 'needed': NULL},
        {'name': 'base', 'rule': 'a number > 1', 'words': NULL, 'bounds': ['-inf'::DOUBLE, 1, 'inf'::DOUBLE, 'inf'::DOUBLE], 'needs': 'discount', 'needed': 'original'},
        {'name': 'half_life', 'rule': 'a number > 1', 'words': NULL, 'bounds': ['-inf'::DOUBLE, 1, 'inf'::DOUBLE, 'inf'::DOUBLE], 'needs': 'discount', 'needed': 'half_life'}
    ]
    WHEN 'ideal_dcg' THEN [
        {'name': 'gain', 'rule': 'exp|linear', 'words': ['exp', 'linear'], 'bounds': ['-inf'::DOUBLE, '-inf'::DOUBLE, 'inf'::DOUBLE, 'inf'::DOUBLE], 'needs': NULL, 'needed': NULL},
        {'name': 'discount', 'rule': 'log2|original|half_life', 'words': ['log2', 'original', 'half_life'], 'bounds': ['-inf'::DOUBLE, '-inf'::DOUBLE, 'inf'::DOUBLE, 'inf'::DOUBLE], 'needs': NULL, 'needed': NULL},
        {'name': 'base', 'rule': 'a number > 1', 'words': NULL, 'bounds': ['-inf'::DOUBLE, 1, 'inf'::DOUBLE, 'inf'::DOUBLE], 'needs': 'discount', 'needed': 'original'},
        {'name': 'half_life', 'rule': 'a number > 1', 'words': NULL, 'bounds': ['-inf'::DOUBLE, 1, 'inf'::DOUBLE, 'inf'::DOUBLE], 'needs': 'discount', 'needed': 'half_life'}
    ]
    WHEN 'ndcg' THEN [
        {'name': 'gain', 'rule': 'exp|linear', 'words': ['exp', 'linear'], 'bounds': ['-inf'::DOUBLE, '-inf'::DOUBLE, 'inf'::DOUBLE, 'inf'::DOUBLE], 'needs': NULL, 'needed': NULL},
        {'name': 'discount', 'rule': 'log2|original|half_life', 'words': ['log2', 'original', 'half_life'], 'bounds': ['-inf'::DOUBLE, '-inf'::DOUBLE, 'inf'::DOUBLE, 'inf'::DOUBLE], 'needs': NULL, 'needed': NULL},
        {'name': 'base', 'rule': 'a number > 1', 'words': NULL, 'bounds': ['-inf'::DOUBLE, 1, 'inf'::DOUBLE, 'inf'::DOUBLE], 'needs': 'discount', 'needed': 'original'},
        {'name': 'half_life', 'rule': 'a number > 1', 'words': NULL, 'bounds': ['-inf'::DOUBLE, 1, 'inf'::DOUBLE, 'inf'::DOUBLE], 'needs': 'discount', 'needed': 'half_life'}
    ]
    WHEN 'cumulative_gain' THEN [
        {'name': 'gain', 'rule': 'linear|exp', 'words': ['linear', 'exp'], 'bounds': ['-inf'::DOUBLE, '-inf'::DOUBLE, 'inf'::DOUBLE, 'inf'::DOUBLE], 'needs': NULL, 'needed': NULL}
    ]
    WHEN 'err' THEN [
        {'name': 'max_grade', 'rule': 'a number > 0 and <= 1000', 'words': NULL, 'bounds': ['-inf'::DOUBLE, 0, 1000, 'inf'::DOUBLE], 'needs': NULL, 'needed': NULL}
    ]
    WHEN 'rbp' THEN [
        {'name': 'persistence', 'rule': 'a number >= 0 and < 1', 'words': NULL, 'bounds': [0, '-inf'::DOUBLE, 'inf'::DOUBLE, 1], 'needs': NULL, 'needed': NULL},
        {'name': 'gain', 'rule': 'binary|graded', 'words': ['binary', 'graded'], 'bounds': ['-inf'::DOUBLE, '-inf'::DOUBLE, 'inf'::DOUBLE, 'inf'::DOUBLE], 'needs': NULL, 'needed': NULL},
        {'name': 'max_grade', 'rule': 'a number > 0 and <= 1000', 'words': NULL, 'bounds': ['-inf'::DOUBLE, 0, 1000, 'inf'::DOUBLE], 'needs': 'gain', 'needed': 'graded'}
    ]
    WHEN 'half_life_utility' THEN [
        {'name': 'half_life', 'rule': 'a number > 1', 'words': NULL, 'bounds': ['-inf'::DOUBLE, 1, 'inf'::DOUBLE, 'inf'::DOUBLE], 'needs': NULL, 'needed': NULL},
        {'name': 'neutral', 'rule': 'a number >= 0', 'words': NULL, 'bounds': [0, '-inf'::DOUBLE, 'inf'::DOUBLE, 'inf'::DOUBLE], 'needs': NULL, 'needed': NULL}
    ]
    WHEN 'interpolated_precision' THEN [
        {'name': 'recall', 'rule': 'a number >= 0 and <= 1', 'words': NULL, 'bounds': [0, '-inf'::DOUBLE, 1, 'inf'::DOUBLE], 'needs': NULL, 'needed': NULL}
    ]
    WHEN 'kendall_tau' THEN [
        {'name': 'variant', 'rule': 'b|c', 'words': ['b', 'c'], 'bounds': ['-inf'::DOUBLE, '-inf'::DOUBLE, 'inf'::DOUBLE, 'inf'::DOUBLE], 'needs': NULL, 'needed': NULL}
    ]
    -- end
END;
