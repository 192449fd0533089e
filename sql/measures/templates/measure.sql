CREATE OR REPLACE TEMP MACRO ranking_MEASURE(judged, k := NULL, PARAMETERS) AS
list_transform(
    _ranking_views(judged, k, MIN_GRADE),
    lambda _ranking_view: _ranking_checked_value(
        'ranking_MEASURE', _ranking_view, PROBLEM, _ranking_MEASURE(_ranking_view.ranking, OPTIONS)))[1];
