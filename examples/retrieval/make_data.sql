-- Makes the three files of this directory. In it:
--
--   python ../run_sql.py make_data.sql
--
-- The help pages of a bicycle shop: 8 parts and 5 tasks, 40 documents of two chunks each. A query asks for one of them
-- in the words of the page, in other words, or by the part number. The synthetic vectors are like those of an embedding
-- model: they represent synonyms, but hardly numbers. Nothing is random: each draw is a hash.

CREATE TEMP MACRO draw(what, a, b) AS md5_number_lower(concat_ws('/', 7, what, a, b)) / 18446744073709551616.0;

CREATE TEMP TABLE parts AS FROM (VALUES
    (1, 'brake pads', 'stopping blocks', 'BP-12'),
    (2, 'derailleur', 'gear changer', 'DR-20'),
    (3, 'inner tube', 'air hose of a wheel', 'IT-28'),
    (4, 'headlight', 'front lamp', 'HL-05'),
    (5, 'chain', 'drive link', 'CH-31'),
    (6, 'battery', 'power pack', 'BA-44'),
    (7, 'saddle', 'seat', 'SA-09'),
    (8, 'pedal', 'foot rest', 'PE-17')
) AS t(part, word, other_word, number);

CREATE TEMP TABLE tasks AS FROM (VALUES
    (1, 'install', 'putting on a new', 'Hold it in place, tighten each screw by hand, then with the torque key.'),
    (2, 'adjust', 'setting up my', 'Turn the barrel by a quarter, try it on the road, and turn again.'),
    (3, 'clean', 'washing a dirty', 'Use warm water and a soft brush, let it dry, and add a drop of oil.'),
    (4, 'replace', 'swapping a worn out', 'Loosen both screws, take off the old one, and keep the washers.'),
    (5, 'return', 'sending back my', 'Print the label, pack it in its box, and bring it to any post office.')
) AS t(task, word, other_words, steps);

-- A dimension for each part and each task, plus noise.
CREATE TEMP MACRO vector(part, weight, task, what, number) AS list_transform(
    range(1, 14),
    lambda i: round(
        CASE WHEN i = part THEN 100 * weight WHEN i = 8 + task THEN 80 ELSE 0 END
        + 90 * (draw(what, number, i) - 0.5))::INTEGER / 100);

COPY (
    SELECT
        format('{}-{}', tasks.word, replace(parts.word, ' ', '-')) AS document,
        tasks.word AS task,
        chunk,
        CASE chunk
            WHEN 1 THEN format('How to {} the {}. For {} and older models.', tasks.word, parts.word, parts.number)
            ELSE format('Look at the {} as well. {}', others.word, tasks.steps)
        END AS text,
        vector(
            CASE chunk WHEN 1 THEN parts.part ELSE others.part END, 1 / chunk, task, 'chunk', 100 * parts.part + 10 * task + chunk)
            AS vector
    FROM parts
    CROSS JOIN tasks
    CROSS JOIN (VALUES (1), (2)) AS chunks(chunk)
    JOIN parts AS others ON others.part = 1 + (parts.part + task) % 8
    ORDER BY ALL
) TO 'chunks.csv';

CREATE TEMP TABLE queries AS
SELECT
    printf('q%02d', 5 * (part - 1) + task) AS query,
    part,
    task,
    tasks.word AS task_word,
    parts.word AS part_word,
    ['words', 'other words', 'number'][1 + (part + task) % 3] AS kind,
    CASE kind
        WHEN 'words' THEN format('{} {}', tasks.word, parts.word)
        WHEN 'other words' THEN format('{} {}', tasks.other_words, parts.other_word)
        ELSE format('{} {}', parts.number, tasks.word)
    END AS text,
    vector(part, CASE kind WHEN 'number' THEN 0.2 ELSE 1 END, task, 'query', 10 * part + task) AS vector
FROM parts CROSS JOIN tasks;

COPY (SELECT query, kind, text, vector FROM queries ORDER BY ALL) TO 'queries.csv';

-- The page itself has grade 2, every second other page on the same part grade 1, and some pages on other parts grade 0.
COPY (
    SELECT
        query,
        format('{}-{}', tasks.word, replace(parts.word, ' ', '-')) AS document,
        CASE
            WHEN parts.part = queries.part AND tasks.task = queries.task THEN 2
            WHEN parts.part = queries.part THEN 1
            ELSE 0
        END AS grade
    FROM queries CROSS JOIN parts CROSS JOIN tasks
    WHERE (parts.part = queries.part AND (tasks.task + queries.task) % 2 = 0)
        OR (parts.part <> queries.part AND tasks.task = queries.task AND draw('judged', query, parts.part) < 0.6)
    ORDER BY ALL
) TO 'judgments.csv';
