CREATE OR REPLACE TEMP MACRO ranking_bpref(judged, k := NULL) AS
_ranking_checked(
    'ranking_bpref',
    judged,
    k,
    NULL,
    list_transform(
        [{
            'places': list_filter(
                list_transform(_ranking_seen(judged, k), lambda grade, place: CASE WHEN grade > 0 THEN place END),
                lambda place: place IS NOT NULL),
            'relevant': _ranking_n_relevant(judged),
            'others': len(judged.ideal) - _ranking_n_relevant(judged)}],
        lambda of: coalesce(
            list_sum(list_transform(
                of.places,
                lambda place, number:
                    1 - least(place - number, of.relevant) / greatest(least(of.others, of.relevant), 1))),
            0) / greatest(of.relevant, 1))[1]);
