-- Internal: the ties of a judged ranking down to rank k, from which expected values over all orders of tied items are
-- computed.
--
-- tied:    a judged ranking in which `ranks` has the first rank of the tie that each item stands in, and a field `lasts`
--          the last; the tie at its cutoff is in it as a whole. An item that is tied with none is a tie of one.
-- k:       an integer of any type; NULL for the whole list
-- Returns: STRUCT: k, top, n_relevant, ideal, log2_ideal, as _ranking_at has them; n_hits DOUBLE, the expected number of
--          relevant items in the top k; grades DOUBLE[], of the relevant items whose tie begins in the top k; ties, a
--          LIST of those ties, STRUCT: above, the ranks above it; size, its ranks, and taken, those of them in the top
--          k; hits, its relevant items, and before, those of the ties above it
-- Example: SELECT _ranking_tied_at(struct_insert(ranking_judge([1, 2], [1, 2]), lasts := [1, 2]), 2);
CREATE OR REPLACE TEMP MACRO _ranking_tied_at(tied, k) AS
_ranking_tied_prefix(tied, _ranking_at(tied, k));

-- The same, of what _ranking_at gives: for a query in which that is a column, which is planned once.
CREATE OR REPLACE TEMP MACRO _ranking_tied_prefix(tied, ranking) AS
list_transform(
    list_transform(
        list_transform(
            [{
                'ranking': ranking,
                'lasts': list_transform(
                    list_filter(list_zip(tied.lasts, tied.grades), lambda item: item[2] > 0), lambda item: item[1])}],
            lambda found: {
                'ranking': found.ranking,
                'firsts': found.ranking.hits,
                'lasts': found.lasts,
                'places': list_filter(
                    range(1, len(found.ranking.hits) + 1),
                    lambda place: found.ranking.hits[place] IS DISTINCT FROM found.ranking.hits[place - 1])}),
        lambda found: {
            'k': found.ranking.k,
            'top': found.ranking.top,
            'n_relevant': found.ranking.n_relevant,
            'ideal': found.ranking.ideal,
            'log2_ideal': found.ranking.log2_ideal,
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
        'k': found.k,
        'top': found.top,
        'n_relevant': found.n_relevant,
        'ideal': found.ideal,
        'log2_ideal': found.log2_ideal,
        'grades': found.grades,
        'ties': found.ties,
        'n_hits': _ranking_tied_hits(found, found.top)})[1];
