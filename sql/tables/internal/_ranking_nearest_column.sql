-- Internal: the column that is likely meant where one is not there: one that such columns are often called.
--
-- texts:    what _ranking_column_texts gives
-- argument: user_col, item_col, score_col, grade_col, system_col or intent_col, which would
--           name it
-- Returns:  VARCHAR; '' for none
-- Example:  SELECT _ranking_nearest_column(', customer INTEGER,, sku VARCHAR,', 'user_col');  -- customer
CREATE OR REPLACE TEMP MACRO _ranking_nearest_column(texts, argument) AS
regexp_extract(
    texts,
    CASE argument
        -- patterns: generated from tests/generate.py, do not edit
        WHEN 'user_col' THEN '(?i), "?([uq]id|(?:user|usr|customer|cust|client|member|visitor|account|person|query|topic)(?:_?(?:id|no|nr|number|key|code))?)"? '
        WHEN 'item_col' THEN '(?i), "?([ip]id|(?:item|product|prod|article|sku|document|doc|movie|song|track|book|offer)(?:_?(?:id|no|nr|number|key|code))?)"? '
        WHEN 'score_col' THEN '(?i), "?((?:model_?)?(?:scores?|predictions?|predicted|preds?|prob(?:ability)?|p|y_?hat|y_pred|similarity|sim|logits?|confidence)|(?:predicted_?|est(?:imated)?_?)?ratings?|rank(?:ing)?|position|place)"? '
        WHEN 'grade_col' THEN '(?i), "?(rel|(?:user_?)?ratings?|stars?|grades?|relevance|relevancy|relevant|gain|label|score|points|weight|value)"? '
        WHEN 'system_col' THEN '(?i), "?(system|(?:model|algorithm|algo|variant|recommender|method|experiment|strategy|arm)(?:_?(?:id|name))?)"? '
        WHEN 'intent_col' THEN '(?i), "?((?:intent|sub_?topic|aspect|facet|category|genre|iteration)(?:_?(?:id|no|nr|number|key|code))?)"? '
        -- end of patterns
    END,
    1
);
