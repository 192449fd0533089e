-- duckdb-ranking-udfs 0.1.0 without Python: its table functions, measures and aggregates as macros that stay in a database.
--
--     duckdb shop.duckdb < ranking_udfs.sql
--     duckdb shop.duckdb -c "FROM ranking_summary('rec', 'truth', [5, 10])"
--
-- Run a later ranking_udfs.sql over it to upgrade. Nothing is written if the database has a macro of yours under one of
-- these names, all of which begin with ranking_, _ranking_ or udf_.
-- Generated from the files beside it by `python -m tests.generate`, do not edit. What each macro takes and returns
-- is said there.

-- The parser reads `/` as this setting says. A client that parses the whole script first has to set it before.
SET VARIABLE ranking_integer_division = current_setting('integer_division');
SET integer_division = false;
BEGIN;
SET VARIABLE ranking_integer_division = coalesce(
    CASE
        WHEN 1 / 2 = 0
        THEN error('ranking_udfs.sql: integer_division must be false, got true: SET integer_division = false first')::BOOLEAN
    END,
    (
        SELECT error('ranking_udfs.sql: there must be no ' || name || ' of another origin, got one in '
            || current_database() || '.' || current_schema())::BOOLEAN
        FROM (
            SELECT unnest(string_split('duckdb-ranking-udfs 0.1.0 udf_version _ranking_longest _ranking_problem _ranking_row _ranking_score ranking_functions _ranking_id _ranking_at _ranking_cannot_match _ranking_cut _ranking_is_integer _ranking_type_of_rel _ranking_type_of_system udf_catalog_coverage _ranking_exposure _ranking_gini _ranking_difference _ranking_exact_sum udf_logloss udf_mae udf_mse udf_r2 udf_rmse _ranking_ties _ranking_cuts _ranking_family _ranking_is_number _ranking_valid_k _ranking_has_rel _ranking_has_system udf_gini_coverage udf_personalization _ranking_same_type _ranking_systems _ranking_misfits ranking_check _ranking_valid _ranking_rec_lists _ranking_truth_lists _ranking_judged ranking_interpolated_precision_curve ranking_precision_recall_curve ranking_judged _ranking_by_user ranking_by_user ranking_summary _ranking_macros', ' ')) AS name
            INTERSECT
            SELECT lower(function_name)
            FROM duckdb_functions()
            WHERE database_name = current_database() AND schema_name = current_schema()
            EXCEPT
            SELECT unnest(string_split(trim(macro_definition, ''''), ' '))
            FROM duckdb_functions()
            WHERE database_name = current_database() AND schema_name = current_schema()
            AND function_name = '_ranking_macros' AND starts_with(macro_definition, '''duckdb-ranking-udfs ')
            ORDER BY name
            LIMIT 1
        )
    ),
    getvariable('ranking_integer_division')
);
CREATE OR REPLACE MACRO _ranking_longest(ks) AS
CASE
    WHEN list_count(TRY_CAST(ks AS INTEGER[])) = len(TRY_CAST(ks AS INTEGER[])) THEN list_max(TRY_CAST(ks AS INTEGER[]))
END;
CREATE OR REPLACE MACRO _ranking_problem(place, problem, holds, example) AS
{
    'place': place,
    'problem': problem,
    'count': count(*) FILTER (holds),
    'example': min(CASE WHEN holds THEN example END)
};
CREATE OR REPLACE MACRO _ranking_row(userid, itemid) AS
concat('userid ', coalesce(userid::VARCHAR, 'NULL'), ', itemid ', coalesce(itemid::VARCHAR, 'NULL'));
CREATE OR REPLACE MACRO _ranking_score(score) AS
CASE
    WHEN typeof(score) IN ('DOUBLE', 'FLOAT') AND isnan(TRY_CAST(score AS DOUBLE)) THEN NULL
    ELSE score
END;
CREATE OR REPLACE MACRO ranking_functions() AS TABLE
SELECT
    cells[1] AS name,
    list_filter(string_split(cells[2], '; '), lambda part: part <> '') AS aliases,
    list_filter(string_split(cells[3], '; '), lambda part: part <> '') AS arguments,
    list_filter(string_split(cells[4], '; '), lambda part: part <> '') AS options,
    cells[5] AS range,
    cells[6] AS empty,
    cells[7] AS source,
    cells[8] AS description,
FROM (SELECT string_split(unnest(string_split(
'recall | recall_at | rec; truth | normalize=truth|min | [0, 1] | 1 if rec is empty too, else 0 | Hivemall | Share of the relevant items that stand in the top k.
precision | precision_at | rec; truth | divide=list|k | [0, 1] | 1 if rec is empty too, else 0 | Hivemall | Share of the top k that is relevant.
f_measure | f1_score; f1; f_score | rec; truth | beta=1 (a number >= 0) | [0, 1] | 1 if rec is empty too, else 0 | van Rijsbergen 1979 | Harmonic mean of precision and recall at k, recall weighing beta times as much.
hit_rate | hitrate; success | rec; truth |  | 0 or 1 | 0 | Hivemall; trec_eval (success) | 1 if any relevant item stands in the top k, else 0.
hits |  | rec; truth |  | 0, 1, 2, ... | 0 | trec_eval (num_rel_ret) | Number of relevant items in the top k.
mrr | reciprocal_rank; recip_rank; rr | rec; truth |  | [0, 1] | 0 | Voorhees 1999 | One over the rank of the first relevant item in the top k; its mean over users is the MRR.
first_hit_rank |  | rec; truth |  | 1, 2, 3, ... | NULL without a hit | Hivemall, n_tp of MRR | Rank of the first relevant item in the top k.
average_precision | ap | rec; truth | normalize=truth|min|hits | [0, 1] | 1 if rec is empty too, else 0 | Hivemall | Mean of the precision at each relevant item; its mean over users is the MAP.
auc | roc_auc | rec; truth |  | [0, 1] | 0.5 without a pair | Hivemall | Share of the (hit, miss) pairs within the top k in which the hit is ranked higher.
dcg | discounted_cumulative_gain | rec; truth | gain=exp|linear; discount=log2|original|half_life; base=2 (a number > 1, with discount=original); half_life=5 (a number > 1, with discount=half_life) | >= 0 | 0 | Burges 2005 | Discounted cumulative gain: the gains of the top k, worth less the lower they stand.
ideal_dcg | idcg | rec; truth | gain=exp|linear; discount=log2|original|half_life; base=2 (a number > 1, with discount=original); half_life=5 (a number > 1, with discount=half_life) | >= 0 | 0 | Jarvelin, Kekalainen 2002 | The DCG of the best possible list, which ranks all truth items by descending grade.
ndcg |  | rec; truth | gain=exp|linear; discount=log2|original|half_life; base=2 (a number > 1, with discount=original); half_life=5 (a number > 1, with discount=half_life) | [0, 1] | 0 | Hivemall | Normalised discounted cumulative gain: dcg / ideal_dcg.
cumulative_gain | cg | rec; truth | gain=linear|exp | >= 0 | 0 | Jarvelin, Kekalainen 2002 | Cumulative gain: the sum of the gains of the top k, wherever they stand.
err |  | rec; truth | max_grade=4 (a number > 0 and <= 1000) | [0, 1] | 0 | Chapelle et al. 2009 | Expected reciprocal rank: of the rank at which a user, looking from the top, is satisfied.
rbp | rank_biased_precision | rec; truth | persistence=0.8 (a number >= 0 and < 1); gain=binary|graded; max_grade=4 (a number > 0 and <= 1000, with gain=graded) | [0, 1] | 0 | Moffat, Zobel 2008 | Rank-biased precision: the gain per item that a user sees who goes on with probability `persistence`.
half_life_utility | hlu | rec; truth | half_life=5 (a number > 1); neutral=0 (a number >= 0) | [0, 1] | 0 | Breese et al. 1998 | Utility of the list for a user half of whose kind stop by rank `half_life`, over the best possible.
r_precision | rprec | rec; truth |  | [0, 1] | 1 if rec is empty too, else 0 | Buckley, Voorhees 2000 | Precision at the rank that equals the number of relevant items.
bpref |  | rec; truth |  | [0, 1] | 0 | Buckley, Voorhees 2004 | How rarely judged non-relevant items stand above relevant ones; unjudged items do not count.
interpolated_precision | iprec | rec; truth | recall=0 (a number >= 0 and <= 1) | [0, 1] | 0 | Manning et al. 2008 | The highest precision at any rank of the top k that has at least this recall.
interpolated_average_precision | eleven_point_average | rec; truth |  | [0, 1] | 0 | Manning et al. 2008 | Mean of the interpolated precision at the eleven recall levels 0, 0.1, ..., 1.
spearman |  | rec; truth |  | [-1, 1] | NULL without two different grades | Spearman 1904 | Spearman''s correlation between the order of the judged items in the top k and their grades.
kendall_tau | kendall | rec; truth | variant=b|c | [-1, 1] | NULL without two different grades | Kendall 1945; Stuart 1953 | Kendall''s tau between the order of the judged items in the top k and their grades.
concordant_pairs | pairwise_accuracy | rec; truth |  | [0, 1] | NULL without a pair | Ekstrand, Rank-Aware Top-N Metrics | Share of the pairs of judged items in the top k with different grades that are in the right order.
intra_list_diversity |  | vectors | distance=cosine|euclidean|jaccard | [0, 2], euclidean >= 0, jaccard [0, 1] | NULL without a pair | Ziegler et al. 2005 | Mean distance between two items of a list, each item given as its embedding vector.
novelty |  | rec; popularity | missing=error|rarest | >= 0 | NULL without an item | Zhou et al. 2010 | Mean self-information of the recommended items, in bits: high if few users know them.'
, chr(10))), ' | ') AS cells);
CREATE OR REPLACE MACRO _ranking_id
    (id UUID, other UUID) AS id,
    (id UUID, other) AS id::VARCHAR,
    (id, other) AS id;
CREATE OR REPLACE MACRO _ranking_at(cuts) AS
'@' || array_to_string([coalesce(k::VARCHAR, 'all') FOR k IN cuts], ',');
CREATE OR REPLACE MACRO _ranking_cannot_match(type) AS
regexp_matches(regexp_replace(type, '''[^'']*''|"[^"]*"', '', 'g'), '\[\d+\]|\bINTERVAL\b');
CREATE OR REPLACE MACRO _ranking_cut(text) AS
coalesce(CASE WHEN length(text) > 45 THEN text[:42] || '...' ELSE text END, 'NULL');
CREATE OR REPLACE MACRO _ranking_is_integer(type) AS
type IN (
    'TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT', 'UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT', 'UHUGEINT'
);
CREATE OR REPLACE MACRO _ranking_type_of_rel(truth, otherwise) AS
typeof((
    SELECT found.rel
    FROM (SELECT otherwise AS rel) AS absent, LATERAL (SELECT rel FROM query_table(truth) AS graded) AS found
    WHERE false
));
CREATE OR REPLACE MACRO _ranking_type_of_system(rec, otherwise) AS
typeof((
    SELECT found.system
    FROM (SELECT otherwise AS system) AS absent, LATERAL (SELECT system FROM query_table(rec) AS models) AS found
    WHERE false
));
CREATE OR REPLACE MACRO udf_catalog_coverage(rec_list, n_items) AS
    list_transform([{
            'seen': CASE WHEN count(*) > 0 THEN coalesce(list_unique(flatten(list(rec_list))), 0) END,
            'n_items': n_items}],
        lambda items: CASE
            WHEN items.n_items < 1 OR items.n_items < items.seen
            THEN error('catalog_coverage: n_items must be at least the number of different items in the lists ('
                || greatest(1, items.seen) || '), got ' || items.n_items)
            ELSE items.seen / items.n_items::DOUBLE
        END)[1];
CREATE OR REPLACE MACRO _ranking_exposure(rec_list) AS (
    SELECT list(lists ORDER BY lists ASC)
    FROM (
        SELECT count(*) AS lists
        FROM (SELECT unnest(list_distinct(items)) AS item FROM unnest(list(rec_list)) AS lists(items))
        GROUP BY item)
);
CREATE OR REPLACE MACRO _ranking_gini(counts, n_items) AS
    (2 * (list_sum(list_transform(counts, lambda count, rank: rank * count))
            + (n_items - len(counts)) * list_sum(counts))
        - (n_items + 1) * list_sum(counts))
    / nullif(n_items * list_sum(counts), 0);
CREATE OR REPLACE MACRO _ranking_difference(lists, total) AS
    CASE WHEN lists > 1 THEN least(1, greatest(0, 1 - (total - lists) / (lists * (lists - 1)))) END;
CREATE OR REPLACE MACRO _ranking_exact_sum(number) AS
    sum((number * 2 ** 53)::HUGEINT) / 2 ** 53;
CREATE OR REPLACE MACRO udf_logloss(predicted, actual) AS
    -avg(CASE
        WHEN predicted IS NULL OR actual IS NULL THEN NULL
        WHEN predicted::DOUBLE NOT BETWEEN 0 AND 1
        THEN error('logloss: predicted must be a probability from 0 to 1, got ' || predicted::DOUBLE)
        WHEN actual::DOUBLE NOT BETWEEN 0 AND 1
        THEN error('logloss: actual must be from 0 to 1, got ' || actual::DOUBLE)
        ELSE actual::DOUBLE * ln(greatest(1e-15, least(1 - 1e-15, predicted::DOUBLE)))
            + (1 - actual::DOUBLE) * ln(1 - greatest(1e-15, least(1 - 1e-15, predicted::DOUBLE)))
    END);
CREATE OR REPLACE MACRO udf_mae(predicted, actual) AS
    avg(abs(predicted::DOUBLE - actual::DOUBLE));
CREATE OR REPLACE MACRO udf_mse(predicted, actual) AS
    avg((predicted::DOUBLE - actual::DOUBLE) ** 2);
CREATE OR REPLACE MACRO udf_r2(predicted, actual) AS
    1 - avg((predicted::DOUBLE - actual::DOUBLE) ** 2)
        / nullif(var_pop(actual::DOUBLE) FILTER (WHERE predicted IS NOT NULL AND isfinite(actual::DOUBLE)), 0);
CREATE OR REPLACE MACRO udf_rmse(predicted, actual) AS
    sqrt(avg((predicted::DOUBLE - actual::DOUBLE) ** 2));
CREATE OR REPLACE MACRO _ranking_ties(rec, ks, max_k) AS TABLE
SELECT userid, k
FROM (
    SELECT userid, max(_ranking_score(score), least(max_k, 31) + 1) AS best
    FROM (FROM query_table(rec) AS recs UNION ALL BY NAME SELECT NULL AS system WHERE false)
    WHERE userid IS NOT NULL AND coalesce(max_k < 32, false)
    GROUP BY system, userid
)
CROSS JOIN (SELECT unnest(ks) AS k)
WHERE k >= 1 AND best[k] = best[k + 1]
UNION ALL
SELECT userid, place - 1
FROM (
    SELECT userid, score, row_number() OVER ranking AS place, lag(score) OVER ranking AS above
    FROM (
        SELECT system, userid, _ranking_score(score) AS score
        FROM (FROM query_table(rec) AS recs UNION ALL BY NAME SELECT NULL AS system WHERE false)
    )
    WHERE userid IS NOT NULL AND score IS NOT NULL AND coalesce(max_k >= 32, true)
    WINDOW ranking AS (PARTITION BY system, userid ORDER BY score DESC)
)
WHERE score = above AND place - 1 IN (SELECT unnest(ks));
CREATE OR REPLACE MACRO _ranking_cuts(ks, caller) AS
CASE
    WHEN NOT (
        typeof(ks) IN ('"NULL"', '"NULL"[]') OR _ranking_is_integer(regexp_extract(typeof(ks), '(.*)\[\d*\]', 1))
    ) THEN error(caller || ': ks must be a list of integers, got ' || _ranking_cut(typeof(ks)))
    WHEN coalesce(len(TRY_CAST(ks AS DOUBLE[])), 0) = 0
        THEN error(caller || ': ks must be a list of one or more k, got ' || _ranking_cut(ks::VARCHAR))
    WHEN list_min(TRY_CAST(ks AS DOUBLE[])) < 0
        THEN error(caller || ': every k in ks must be 0 or more, got ' || list_min(TRY_CAST(ks AS HUGEINT[])))
    ELSE list_sort(list_distinct(TRY_CAST(ks AS BIGINT[])), 'ASC')
        || CASE WHEN list_count(TRY_CAST(ks AS BIGINT[])) < len(TRY_CAST(ks AS BIGINT[])) THEN [NULL] ELSE [] END
END;
CREATE OR REPLACE MACRO _ranking_family(type) AS
CASE
    WHEN _ranking_is_integer(type) AND type <> 'UHUGEINT' THEN 'INTEGER'
    WHEN type IN ('VARCHAR', 'UUID') OR (starts_with(type, 'ENUM(') AND ends_with(type, ')')) THEN 'VARCHAR'
    ELSE type
END;
CREATE OR REPLACE MACRO _ranking_is_number(type) AS
_ranking_is_integer(type) OR type IN ('FLOAT', 'DOUBLE', '"NULL"') OR starts_with(type, 'DECIMAL(');
CREATE OR REPLACE MACRO _ranking_valid_k(max_k, caller) AS
CASE
    WHEN typeof(max_k) <> '"NULL"' AND NOT _ranking_is_integer(typeof(max_k))
        THEN error(caller || ': max_k must be an integer, got ' || _ranking_cut(typeof(max_k)))
    WHEN TRY_CAST(max_k AS DOUBLE) < 0
        THEN error(caller || ': max_k must be 0 or more, got ' || _ranking_cut(max_k::VARCHAR))
    ELSE true
END;
CREATE OR REPLACE MACRO _ranking_has_rel(truth) AS
_ranking_type_of_rel(truth, NULL::BOOLEAN) = _ranking_type_of_rel(truth, NULL::DATE);
CREATE OR REPLACE MACRO _ranking_has_system(rec) AS
_ranking_type_of_system(rec, NULL::BOOLEAN) = _ranking_type_of_system(rec, NULL::DATE);
CREATE OR REPLACE MACRO udf_gini_coverage
    (rec_list) AS
        list_transform([_ranking_exposure(rec_list)], lambda counts: _ranking_gini(counts, len(counts)))[1],

    (rec_list, n_items) AS
        list_transform([{'counts': _ranking_exposure(rec_list), 'n_items': n_items}], lambda items: CASE
            WHEN items.n_items < len(items.counts)
            THEN error('gini_coverage: n_items must be at least the number of different items in the lists ('
                || len(items.counts) || '), got ' || items.n_items)
            ELSE _ranking_gini(items.counts, items.n_items)
        END)[1];
CREATE OR REPLACE MACRO udf_personalization(rec_list) AS
    _ranking_difference(
        count_if(len(list_distinct(rec_list)) > 0),
        (
            SELECT _ranking_exact_sum(weight * weight)
            FROM (
                SELECT _ranking_exact_sum(_ranking_weight) AS weight
                FROM (
                    SELECT
                        unnest(_ranking_list) AS _ranking_item,
                        sqrt(max(len(list_distinct(rec_list))) / len(_ranking_list)) AS _ranking_weight
                    FROM unnest(list(list_distinct(rec_list))) AS _ranking_lists(_ranking_list))
                GROUP BY _ranking_item)
        ) / max(len(list_distinct(rec_list))));
CREATE OR REPLACE MACRO _ranking_same_type(one, other) AS
'"NULL"' IN (one, other) OR _ranking_family(one) = _ranking_family(other);
CREATE OR REPLACE MACRO _ranking_systems(rec) AS TABLE
SELECT systems.*
FROM
    (SELECT NULL AS system) AS absent,
    LATERAL (
        SELECT * EXCLUDE (ranking_one), system AS ranking_system
        FROM (
            SELECT DISTINCT * EXCLUDE (userid), 1 AS ranking_one
            FROM (SELECT COLUMNS(lambda c: lower(c) IN ('system', 'userid')) FROM query_table(rec) AS recs)
            WHERE _ranking_has_system(rec)
            UNION ALL BY NAME SELECT 1 AS ranking_one WHERE NOT _ranking_has_system(rec)
        ) AS found
    ) AS systems;
CREATE OR REPLACE MACRO _ranking_misfits(rec, truth) AS
list_transform(
    [
        (
            'userid',
            typeof((SELECT userid FROM query_table(rec) AS recs WHERE false)),
            typeof((SELECT userid FROM query_table(truth) AS truths WHERE false))
        ),
        (
            'itemid',
            typeof((SELECT itemid FROM query_table(rec) AS recs WHERE false)),
            typeof((SELECT itemid FROM query_table(truth) AS truths WHERE false))
        ),
        ('score', typeof((SELECT score FROM query_table(rec) AS recs WHERE false)), NULL),
        ('rel', _ranking_type_of_rel(truth, NULL::DOUBLE), NULL)
    ],
    lambda c: c[1] || CASE
        WHEN NOT _ranking_same_type(c[2], coalesce(c[3], c[2]))
            THEN ' must have the same type in rec and in truth, got ' || _ranking_cut(c[2]) || ' and ' || _ranking_cut(c[3])
        WHEN c[1] = 'itemid' AND _ranking_cannot_match(concat_ws(',', c[2], c[3]))
            THEN ' must not be or hold an ARRAY or INTERVAL (cast it to a LIST or VARCHAR), got ' || _ranking_cut(c[2])
        WHEN c[3] IS NULL AND NOT (_ranking_is_number(c[2]) OR (c[1] = 'rel' AND c[2] = 'BOOLEAN'))
            THEN ' must be a number' || CASE WHEN c[2] = 'BIGNUM' THEN ' (cast it to DOUBLE)' ELSE '' END
            || ', got ' || _ranking_cut(c[2])
    END
);
CREATE OR REPLACE MACRO ranking_check(rec, truth, ks := [10]) AS TABLE
SELECT problem, count, example
FROM (
    SELECT unnest([
        _ranking_problem(1, 'rec: userid is NULL', userid IS NULL, _ranking_row(userid, itemid)),
        _ranking_problem(2, 'rec: itemid is NULL', itemid IS NULL, _ranking_row(userid, itemid)),
        _ranking_problem(3, 'rec: score is NULL', score IS NULL, _ranking_row(userid, itemid)),
        _ranking_problem(
            4, 'rec: score is NaN', score IS NOT NULL AND _ranking_score(score) IS NULL, _ranking_row(userid, itemid)
        )
    ], recursive := true)
    FROM query_table(rec) AS recs
    UNION ALL
    SELECT 5, 'rec: (userid, itemid) is there more than once', sum(copies)::BIGINT, min(example)
    FROM (
        SELECT count(*) - 1 AS copies, _ranking_row(userid, itemid) AS example
        FROM (FROM query_table(rec) AS recs UNION ALL BY NAME SELECT NULL AS system WHERE false)
        WHERE userid IS NOT NULL AND itemid IS NOT NULL
        GROUP BY system, userid, itemid
        HAVING count(*) > 1
    )
    UNION ALL
    SELECT 6, 'rec: users with tied scores at k = ' || k, count(*), 'userid ' || min(userid::VARCHAR)
    FROM _ranking_ties(rec, _ranking_cuts(ks, 'ranking_check'), _ranking_longest(ks))
    GROUP BY k
    UNION ALL
    SELECT unnest([
        _ranking_problem(7, 'truth: userid is NULL', userid IS NULL, _ranking_row(userid, itemid)),
        _ranking_problem(8, 'truth: itemid is NULL', itemid IS NULL, _ranking_row(userid, itemid)),
        _ranking_problem(9, 'truth: rel is NULL', _ranking_has_rel(truth) AND rel IS NULL, _ranking_row(userid, itemid)),
        _ranking_problem(
            10, 'truth: rel is NaN or infinite', NOT isfinite(grade), _ranking_row(userid, itemid) || ', rel ' || rel
        ),
        _ranking_problem(
            11, 'truth: rel is negative', isfinite(grade) AND grade < 0, _ranking_row(userid, itemid) || ', rel ' || rel
        )
    ], recursive := true)
    FROM (
        SELECT userid, itemid, rel, TRY_CAST(rel AS DOUBLE) AS grade
        FROM (FROM query_table(truth) AS truths UNION ALL BY NAME SELECT NULL AS rel WHERE false)
    )
    UNION ALL
    SELECT 12, 'truth: (userid, itemid) is there more than once', sum(copies)::BIGINT, min(example)
    FROM (
        SELECT count(*) - 1 AS copies, _ranking_row(userid, itemid) AS example
        FROM query_table(truth) AS truths
        WHERE userid IS NOT NULL AND itemid IS NOT NULL
        GROUP BY userid, itemid
        HAVING count(*) > 1
    )
    UNION ALL
    SELECT unnest([
        _ranking_problem(
            13, 'users in truth that are not in rec', listed.userid IS NULL, 'userid ' || judging.userid
        ),
        _ranking_problem(
            14, 'users in rec that are not in truth', judging.userid IS NULL, 'userid ' || listed.userid
        )
    ], recursive := true)
    FROM (
        SELECT userid::VARCHAR AS userid
        FROM (SELECT DISTINCT userid FROM query_table(rec) AS recs WHERE userid IS NOT NULL)
    ) AS listed
    FULL JOIN (
        SELECT userid::VARCHAR AS userid
        FROM (SELECT DISTINCT userid FROM query_table(truth) AS truths WHERE userid IS NOT NULL)
    ) AS judging ON listed.userid = judging.userid
    UNION ALL
    SELECT 15, split_part(misfit, ', got ', 1), 1, split_part(misfit, ', got ', 2)
    FROM (SELECT unnest(_ranking_misfits(rec, truth)) AS misfit)
    WHERE misfit IS NOT NULL
)
WHERE count > 0
ORDER BY place ASC, length(problem) ASC, problem ASC;
CREATE OR REPLACE MACRO _ranking_valid(rec, truth, caller) AS
coalesce(error(caller || ': ' || list_any_value(_ranking_misfits(rec, truth)))::BOOLEAN, true);
CREATE OR REPLACE MACRO _ranking_rec_lists(rec, truth, max_k, caller) AS TABLE
SELECT
    userid,
    system,
    any_value(n_rec) AS n_rec,
    list(itemid ORDER BY score DESC NULLS LAST, itemid ASC NULLS LAST) AS items
FROM (
    SELECT recs.userid, recs.system, recs.itemid, _ranking_score(recs.score) AS score, counts.n_rec, counts.lowest
    FROM (FROM query_table(rec) AS recs UNION ALL BY NAME SELECT NULL AS system WHERE false) AS recs
    JOIN (
        SELECT counts.*
        FROM (
            SELECT
                COLUMNS(lambda c: lower(c) IN ('userid', 'system')),
                count(*) AS n_rec,
                CASE WHEN max_k <= 32 AND count(_ranking_score(score)) >= max_k
                    THEN max(_ranking_score(score), greatest(least(max_k, 32), 1))[-1]
                END AS lowest
            FROM query_table(rec) AS recs
            GROUP BY ALL
            UNION ALL BY NAME SELECT NULL AS system WHERE false
        ) AS counts
        JOIN (SELECT DISTINCT userid FROM query_table(truth) AS truths) AS truths
            ON CASE
                WHEN _ranking_valid(rec, truth, caller)
                THEN _ranking_id(counts.userid, (SELECT userid FROM query_table(truth) AS truths WHERE false))
            END = _ranking_id(truths.userid, (SELECT userid FROM query_table(rec) AS recs WHERE false))
    ) AS counts
        ON recs.userid = counts.userid
        AND CASE WHEN _ranking_has_system(rec) THEN recs.system IS NOT DISTINCT FROM counts.system ELSE true END
)
WHERE CASE WHEN max_k <= 32 THEN lowest IS NULL OR score >= lowest ELSE true END
GROUP BY userid, system;
CREATE OR REPLACE MACRO _ranking_truth_lists(rec, truth, caller) AS TABLE
SELECT userid, coalesce(list(itemid) FILTER (itemid IS NOT NULL), []) AS items, NULL::DOUBLE[] AS grades
FROM query_table(truth) AS truths
WHERE userid IS NOT NULL AND NOT _ranking_has_rel(truth)
GROUP BY userid
UNION ALL
SELECT
    userid,
    coalesce(list(itemid) FILTER (itemid IS NOT NULL), []),
    coalesce(list(grade) FILTER (itemid IS NOT NULL), [])
FROM (
    SELECT userid, itemid, max(grade) AS grade
    FROM (
        SELECT
            userid,
            itemid,
            CASE
                WHEN itemid IS NULL OR isfinite(CAST(rel AS DOUBLE)) THEN CAST(rel AS DOUBLE)
                ELSE error(caller || ': rel must be a finite number, got ' || coalesce(rel::VARCHAR, 'NULL'))
            END AS grade
        FROM (
            SELECT userid, itemid, CASE WHEN _ranking_valid(rec, truth, caller) THEN rel END AS rel
            FROM (FROM query_table(truth) AS truths UNION ALL BY NAME SELECT NULL AS rel WHERE false)
            WHERE userid IS NOT NULL AND _ranking_has_rel(truth)
        )
    )
    GROUP BY userid, itemid
)
GROUP BY userid;
CREATE OR REPLACE MACRO _ranking_judged(rec, truth, max_k, caller) AS TABLE
SELECT
    * EXCLUDE (listed, items, grades, cutoff, judged),
    len(list_filter(judged.ideal, lambda grade: grade > 0)) AS n_truth,
    struct_update(judged, cutoff := cutoff) AS judged
FROM (
    SELECT
        *,
        CASE
            WHEN regexp_matches(typeof(listed) || typeof(items), '^U?HUGEINT|]U?HUGEINT') AND _ranking_has_rel(truth)
                THEN system.main.udf_judge(listed::VARCHAR[], map(items::VARCHAR[], grades))
            WHEN regexp_matches(typeof(listed) || typeof(items), '^U?HUGEINT|]U?HUGEINT')
                THEN system.main.udf_judge(listed::VARCHAR[], items::VARCHAR[])
            WHEN _ranking_has_rel(truth) THEN system.main.udf_judge(listed, map(items, grades))
            ELSE system.main.udf_judge(listed, items)
        END AS judged
    FROM (
        SELECT
            systems.*,
            truths.userid,
            coalesce(lists.n_rec, 0) AS n_rec,
            CASE WHEN max_k IS NULL THEN coalesce(lists.items, []) ELSE coalesce(lists.items, [])[:max_k] END AS listed,
            truths.items,
            truths.grades,
            max_k AS cutoff
        FROM _ranking_truth_lists(rec, truth, caller) AS truths
        CROSS JOIN _ranking_systems(rec) AS systems
        LEFT JOIN _ranking_rec_lists(rec, truth, max_k, caller) AS lists
            ON _ranking_id(lists.userid, (SELECT userid FROM query_table(truth) AS truths WHERE false))
                = _ranking_id(truths.userid, (SELECT userid FROM query_table(rec) AS recs WHERE false))
            AND lists.system IS NOT DISTINCT FROM systems.ranking_system
        WHERE (SELECT _ranking_valid(rec, truth, caller))
    )
);
CREATE OR REPLACE MACRO ranking_interpolated_precision_curve(rec, truth, max_k := NULL) AS TABLE
SELECT
    COLUMNS(lambda c: lower(c) IN ('system', 'recall')),
    avg(system.main.udf_interpolated_precision(judged, _ranking_longest([max_k]), 'recall=' || recall)) AS "precision"
FROM _ranking_judged(rec, truth, _ranking_longest([max_k]), 'interpolated_precision_curve')
CROSS JOIN (SELECT unnest(range(0, 11)) / 10 AS recall)
WHERE (SELECT _ranking_valid_k(max_k, 'interpolated_precision_curve'))
GROUP BY ALL
ORDER BY recall ASC, COLUMNS(lambda c: lower(c) IN ('system', 'recall')) ASC NULLS LAST;
CREATE OR REPLACE MACRO ranking_precision_recall_curve(rec, truth, max_k) AS TABLE
SELECT
    COLUMNS(lambda c: lower(c) IN ('system', 'k')),
    avg(system.main.udf_precision(judged, k)) AS "precision",
    avg(system.main.udf_recall(judged, k)) AS recall
FROM _ranking_judged(rec, truth, _ranking_longest([max_k]), 'precision_recall_curve')
CROSS JOIN (SELECT unnest(range(1, _ranking_longest([max_k]) + 1)) AS k)
WHERE (
    SELECT CASE
        WHEN NOT _ranking_valid_k(max_k, 'precision_recall_curve') THEN false
        WHEN _ranking_longest([max_k]) IS NULL
            THEN error('precision_recall_curve: max_k must be from 0 to 2147483647, got ' || coalesce(max_k::VARCHAR, 'NULL'))
        ELSE true
    END
)
GROUP BY ALL
ORDER BY k ASC, COLUMNS(lambda c: lower(c) IN ('system', 'k')) ASC NULLS LAST;
CREATE OR REPLACE MACRO ranking_judged(rec, truth, max_k) AS TABLE
SELECT * EXCLUDE (ranking_system)
FROM _ranking_judged(rec, truth, _ranking_longest([max_k]), 'ranking_judged')
WHERE (SELECT _ranking_valid_k(max_k, 'ranking_judged'));
CREATE OR REPLACE MACRO _ranking_by_user(rec, truth, ks, caller) AS TABLE
SELECT
    COLUMNS(lambda c: lower(c) IN ('system', 'ranking_system', 'userid')),
    k,
    n_rec,
    n_truth,
    recall[place] AS recall,
    "precision"[place] AS "precision",
    f_measure[place] AS f_measure,
    hit_rate[place] AS hit_rate,
    hits[place] AS hits,
    mrr[place] AS mrr,
    first_hit_rank[place] AS first_hit_rank,
    average_precision[place] AS average_precision,
    auc[place] AS auc,
    dcg[place] AS dcg,
    ideal_dcg[place] AS ideal_dcg,
    ndcg[place] AS ndcg,
    cumulative_gain[place] AS cumulative_gain,
    rbp[place] AS rbp,
    half_life_utility[place] AS half_life_utility,
    r_precision[place] AS r_precision,
    bpref[place] AS bpref,
    interpolated_precision[place] AS interpolated_precision,
    interpolated_average_precision[place] AS interpolated_average_precision,
    spearman[place] AS spearman,
    kendall_tau[place] AS kendall_tau,
    concordant_pairs[place] AS concordant_pairs,
FROM (
    SELECT
        * EXCLUDE (judged, at_ks),
        system.main.udf_ranking_values(judged, 'recall' || at_ks) AS recall,
        system.main.udf_ranking_values(judged, 'precision' || at_ks) AS "precision",
        system.main.udf_ranking_values(judged, 'f_measure' || at_ks) AS f_measure,
        system.main.udf_ranking_values(judged, 'hit_rate' || at_ks) AS hit_rate,
        system.main.udf_ranking_values(judged, 'hits' || at_ks) AS hits,
        system.main.udf_ranking_values(judged, 'mrr' || at_ks) AS mrr,
        system.main.udf_ranking_values(judged, 'first_hit_rank' || at_ks) AS first_hit_rank,
        system.main.udf_ranking_values(judged, 'average_precision' || at_ks) AS average_precision,
        system.main.udf_ranking_values(judged, 'auc' || at_ks) AS auc,
        system.main.udf_ranking_values(judged, 'dcg' || at_ks) AS dcg,
        system.main.udf_ranking_values(judged, 'ideal_dcg' || at_ks) AS ideal_dcg,
        system.main.udf_ranking_values(judged, 'ndcg' || at_ks) AS ndcg,
        system.main.udf_ranking_values(judged, 'cumulative_gain' || at_ks) AS cumulative_gain,
        system.main.udf_ranking_values(judged, 'rbp' || at_ks) AS rbp,
        system.main.udf_ranking_values(judged, 'half_life_utility' || at_ks) AS half_life_utility,
        system.main.udf_ranking_values(judged, 'r_precision' || at_ks) AS r_precision,
        system.main.udf_ranking_values(judged, 'bpref' || at_ks) AS bpref,
        system.main.udf_ranking_values(judged, 'interpolated_precision' || at_ks) AS interpolated_precision,
        system.main.udf_ranking_values(judged, 'interpolated_average_precision' || at_ks) AS interpolated_average_precision,
        system.main.udf_ranking_values(judged, 'spearman' || at_ks) AS spearman,
        system.main.udf_ranking_values(judged, 'kendall_tau' || at_ks) AS kendall_tau,
        system.main.udf_ranking_values(judged, 'concordant_pairs' || at_ks) AS concordant_pairs,
    FROM (
        SELECT *, _ranking_at(_ranking_cuts(ks, caller)) AS at_ks
        FROM _ranking_judged(rec, truth, _ranking_longest(ks), caller)
    )
)
CROSS JOIN (
    SELECT unnest(cuts) AS k, generate_subscripts(cuts, 1) AS place FROM (SELECT _ranking_cuts(ks, caller) AS cuts)
);
CREATE OR REPLACE MACRO ranking_by_user(rec, truth, ks) AS TABLE
SELECT * EXCLUDE (ranking_system) FROM _ranking_by_user(rec, truth, ks, 'ranking_by_user');
CREATE OR REPLACE MACRO ranking_summary(rec, truth, ks) AS TABLE
SELECT * EXCLUDE (ranking_system) REPLACE (
    coalesce(list_filter(
        (
            SELECT list({'system': system, 'users': users})
            FROM (
                SELECT strangers.system, count(*) AS users
                FROM (
                    SELECT DISTINCT system, userid
                    FROM (FROM query_table(rec) AS recs UNION ALL BY NAME SELECT NULL AS system WHERE false)
                    WHERE userid IS NOT NULL
                ) AS strangers
                ANTI JOIN query_table(truth) AS truths
                    ON CASE
                        WHEN _ranking_valid(rec, truth, 'ranking_summary')
                        THEN _ranking_id(strangers.userid, (SELECT userid FROM query_table(truth) AS truths WHERE false))
                    END = _ranking_id(truths.userid, (SELECT userid FROM query_table(rec) AS recs WHERE false))
                GROUP BY strangers.system
            )
        ),
        lambda strangers: strangers.system IS NOT DISTINCT FROM ranking_system
    )[1].users, 0) AS users_without_truth
)
FROM (
    SELECT
        COLUMNS(lambda c: lower(c) IN ('system', 'k')),
        any_value(ranking_system) AS ranking_system,
        count(*) AS users,
        count(*) FILTER (n_rec = 0) AS users_without_rec,
        NULL AS users_without_truth,
        avg(recall) AS recall,
        avg("precision") AS "precision",
        avg(f_measure) AS f_measure,
        avg(hit_rate) AS hit_rate,
        avg(hits) AS hits,
        avg(mrr) AS mrr,
        avg(first_hit_rank) AS first_hit_rank,
        avg(average_precision) AS average_precision,
        avg(auc) AS auc,
        avg(dcg) AS dcg,
        avg(ideal_dcg) AS ideal_dcg,
        avg(ndcg) AS ndcg,
        avg(cumulative_gain) AS cumulative_gain,
        avg(rbp) AS rbp,
        avg(half_life_utility) AS half_life_utility,
        avg(r_precision) AS r_precision,
        avg(bpref) AS bpref,
        avg(interpolated_precision) AS interpolated_precision,
        avg(interpolated_average_precision) AS interpolated_average_precision,
        avg(spearman) AS spearman,
        avg(kendall_tau) AS kendall_tau,
        avg(concordant_pairs) AS concordant_pairs,
    FROM _ranking_by_user(rec, truth, ks, 'ranking_summary')
    GROUP BY ALL
)
ORDER BY ranking_system ASC NULLS LAST, k ASC NULLS LAST;
CREATE OR REPLACE MACRO udf_version() AS 'duckdb-ranking-udfs 0.1.0';
CREATE OR REPLACE MACRO _ranking_macros() AS 'duckdb-ranking-udfs 0.1.0 udf_version _ranking_longest _ranking_problem _ranking_row _ranking_score ranking_functions _ranking_id _ranking_at _ranking_cannot_match _ranking_cut _ranking_is_integer _ranking_type_of_rel _ranking_type_of_system udf_catalog_coverage _ranking_exposure _ranking_gini _ranking_difference _ranking_exact_sum udf_logloss udf_mae udf_mse udf_r2 udf_rmse _ranking_ties _ranking_cuts _ranking_family _ranking_is_number _ranking_valid_k _ranking_has_rel _ranking_has_system udf_gini_coverage udf_personalization _ranking_same_type _ranking_systems _ranking_misfits ranking_check _ranking_valid _ranking_rec_lists _ranking_truth_lists _ranking_judged ranking_interpolated_precision_curve ranking_precision_recall_curve ranking_judged _ranking_by_user ranking_by_user ranking_summary _ranking_macros';
COMMIT;
SET integer_division = getvariable('ranking_integer_division');
RESET VARIABLE ranking_integer_division;
