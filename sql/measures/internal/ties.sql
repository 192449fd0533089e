{% from 'measures/internal/ties.jinja' import hits_in %}
-- The ties of a judged ranking down to rank k, from which expected values over all orders of tied items are computed.
--
-- Returns: STRUCT: k, top, n_relevant, ideal, log2_ideal, as _ranking_at has them; n_hits DOUBLE, the expected number of
--     relevant items in the top k; grades DOUBLE[], of the relevant items whose tie begins in the top k; ties, a LIST of
--     those ties, STRUCT: above, the ranks above it; size, its ranks, and taken, those of them in the top k; hits, its
--     relevant items, and before, those of the ties above it
CREATE OR REPLACE TEMP MACRO _ranking_tied_prefix(tied, ranking) AS
list_transform(
    list_transform(
        list_transform(
            [{
                'ranking': ranking,
                'lasts': list_transform(
                    list_filter(list_zip(tied.lasts, tied.grades), lambda item: item[2] > 0), lambda item: item[1])}],
            lambda found: {
                'ranking': found.ranking, 'firsts': found.ranking.hits, 'lasts': found.lasts,
                'places': list_filter(
                    range(1, len(found.ranking.hits) + 1),
                    lambda place: found.ranking.hits[place] IS DISTINCT FROM found.ranking.hits[place - 1])}),
        lambda found: {
            'k': found.ranking.k, 'top': found.ranking.top, 'n_relevant': found.ranking.n_relevant,
            'ideal': found.ranking.ideal, 'log2_ideal': found.ranking.log2_ideal,
            'grades': found.ranking.grades,
            'ties': list_transform(
                found.places,
                lambda place, tie: {
                    'above': found.firsts[place] - 1,
                    'size': found.lasts[place] - found.firsts[place] + 1,
                    'taken': least(found.lasts[place], found.ranking.top) - found.firsts[place] + 1,
                    'hits': coalesce(found.places[tie + 1], len(found.firsts) + 1) - place,
                    'before': place - 1})}),
    lambda found: {
        'k': found.k, 'top': found.top, 'n_relevant': found.n_relevant, 'ideal': found.ideal, 'log2_ideal': found.log2_ideal,
        'grades': found.grades, 'ties': found.ties, 'n_hits': {{ hits_in('found.ties', 'found.top') }}})[1];

-- A ranking with ties in which an item below a grade is judged, but not relevant: its grade is 0.
CREATE OR REPLACE TEMP MACRO _ranking_tied_from_grade(tied, min_grade) AS
{
    'ranks': tied.ranks,
    'lasts': tied.lasts,
    'grades': _ranking_grades_from(tied.grades, min_grade),
    'ideal': _ranking_grades_from(tied.ideal, min_grade),
    'size': tied.size};

-- A judged ranking with the ties that its scores make. Of two rows of an item in a tie one is the item, the other a miss.
CREATE OR REPLACE TEMP MACRO _ranking_tied_ranking(judged, scores, reversed, starts) AS
list_transform(
    [CASE
        WHEN starts IS NULL THEN list_transform(
            judged.ranks,
            lambda rank: (list_position(scores, scores[rank])::BIGINT, len(scores) + 1 - list_position(reversed, scores[rank])))
        ELSE list_select(
            flatten(list_transform(
                list_zip(starts, list_transform(starts[2:], lambda start: start - 1) || [len(scores)]),
                lambda tie: list_resize([tie], tie[2] - tie[1] + 1, tie))),
            judged.ranks)
    END],
    lambda ties: {
        'ranks': list_transform(ties, lambda tie: tie[1]::INTEGER),
        'lasts': list_transform(ties, lambda tie: tie[2]),
        'grades': judged.grades, 'ideal': judged.ideal, 'size': judged.size})[1];
