// Compare recommendations in the browser. DuckDB reads, checks, measures and compares; this page shows results.

// To serve your own copy of the libraries: `npm install --prefix examples/browser` of these packages in these versions,
// CDN = "node_modules/", no versions in the paths, and cdn.jsdelivr.net out of the policy of index.html.
const CDN = "https://cdn.jsdelivr.net/npm/";
const LIBRARIES = {
  arrow: ["apache-arrow@17.0.0/Arrow.es2015.min.js", "sha384-o0NAvZLrsqSiiIs62e876tz3P1Hg140RXcPkhBnT4wA90iCtIL230llnh6dB8/Fv"],
  duckdb: ["@duckdb/duckdb-wasm@1.32.0/dist/duckdb-browser.cjs", "sha384-Lomwwsm826UlzWDz7YU1lqOa5r2t7sY90meZdfcvKE5qbTrYQaegEH0N0wdhuCy4"],
  worker: ["@duckdb/duckdb-wasm@1.32.0/dist/duckdb-browser-eh.worker.js", "sha384-a2Q5wPfMJHriw96D3xhtkym83ST11xUIm6e27q9d3v4ykPqSzeY7WCXK6CTlJFwb"],
  wasm: ["@duckdb/duckdb-wasm@1.32.0/dist/duckdb-eh.wasm", "sha384-hw3GjeJZY5QapQ8mwqMHXBPVmTLO+jKm5dlDwkGsEfjyu/HcXx1d0Rwlr/ZAShjq"],
  vega: ["vega@6.4.0/build/vega.min.js", "sha384-VKdcJr3ZaBIJMbVcopTAI/JEuUkSY6qnwVu9iLuw0DnQ9gQ1JjsfZJhXFQAgNi43"],
  vegaLite: ["vega-lite@6.4.3/build/vega-lite.min.js", "sha384-9/70gNCfOu6G7xXvkdreMfuqAEsoaGJVXV2BN/JLRXkSmcGvnMqtsRx8HZtUWAvI"],
  vegaEmbed: ["vega-embed@7.3.0/build/vega-embed.min.js", "sha384-Muy1QRxYFeNrA1zShc1KtN4OfipkR/61gt+HWqN57c1Zxu3Oe16TsilsruVVjfKL"],
};
const SCRIPT = "../../sql/ranking_udfs.sql";
const RULES = "rules.json"; // rules of the Python package for measures, columns and means
const SAMPLE = "../dbt_project/seeds/";
const SAMPLE_FROM = "2026-05-22"; // the models of the sample were trained on earlier ratings

const ROLES = {
  rec: { userid: "User", itemid: "Item", score: "Score or rank", system: "Model" },
  truth: { userid: "User", itemid: "Item", rel: "Grade" },
  history: { userid: "User", itemid: "Item" },
};
const OPTIONAL = ["system", "rel"];
const FIRST_MEASURES = ["ndcg", "recall"]; // the first decides

const $ = (selector) => document.querySelector(selector);
const identifier = (name) => `"${name.replaceAll('"', '""')}"`;
const literal = (text) => `'${String(text).replaceAll("'", "''")}'`;

// --- Numbers, formatted as in a report (udfs/ranking_udfs/evaluation/words.py) ---

/** Format a number with these decimals; ties go to the even digit, as in Python. */
function fixed(number, decimals) {
  const text = number.toFixed(decimals);
  const rest = number.toFixed(100).split(".")[1].slice(decimals);
  if (!/^50*$/.test(rest) || Number(text.at(-1)) % 2 === 0) return text;
  return (number - Math.sign(number) * 0.5 * 10 ** -decimals).toFixed(decimals);
}

/** Format a number with four significant digits. */
function formatNumber(number, digits = 4) {
  if (number === null) return "";
  if (number === 0) return "0";
  const rounded = Number(number).toExponential(digits - 1);
  const exponent = Number(rounded.split("e")[1]);
  if (exponent < -4 || exponent >= digits) return rounded.replace(/\.?0*e\+?/, "e");
  const text = fixed(number, digits - 1 - exponent);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

const formatP = (p) => (p !== null && p < 0.0001 ? "< 0.0001" : formatNumber(p, 2));
const decimalsOf = (half) => (half > 0 ? 1 - Math.floor(Math.log10(half)) : 10);

/** Return the decimals of a column: from its narrowest interval, or from its largest number. */
function columnDecimals(numbers, halves) {
  const found = halves.filter((half) => half);
  if (found.length) return Math.max(...found.map(decimalsOf));
  const largest = Math.max(...numbers.map(Math.abs), 0) || 1;
  return Math.max(3 - Math.floor(Math.log10(largest)), 0);
}

function formatFixed(numbers, decimals) {
  const isTooLong = decimals > 9 || Math.max(...numbers.map(Math.abs)) >= 1e9;
  return numbers.map((one) => (isTooLong ? formatNumber(one) : fixed(one, Math.max(decimals, 0))));
}

const halfOf = ({ low, high }) => (low === null || high === null ? null : (high - low) / 2);

/** Format a mean and its interval: ± half its width, or from low to high if it is asymmetric. */
function formatMean({ mean, low, high }, decimals) {
  const half = halfOf({ low, high });
  if (half === null) return formatFixed([mean], decimals)[0];
  if (Math.abs(high - mean - half) <= half * 1e-6) return formatFixed([mean, half], decimals).join(" ± ");
  const [middle, ...ends] = formatFixed([mean, low, high], decimals);
  return `${middle} (${ends.join(" to ")})`;
}

const labelOf = (measure) => rules.measures[measure].label;
const atK = (measure, k) => `${labelOf(measure)}@${k ?? "all"}`;

// --- DuckDB ---

let parts, script, rules, connection; // the libraries, the SQL functions, their rules, a promise of {db, con}
let stop = () => {}; // rejects the promise that the page waits for
let isCancelled = false;
const files = new Map(); // the files that DuckDB may read, by name

/** Fetch a library and check its digest; set its type by its name, since a CDN does not know .cjs. */
async function fetched([path, integrity]) {
  const type = path.endsWith(".wasm") ? "application/wasm" : "text/javascript";
  try {
    const bytes = await (await fetch(CDN + path, { integrity })).arrayBuffer();
    return URL.createObjectURL(new Blob([bytes], { type }));
  } catch {
    throw new Error(`${CDN + path} could not be loaded, or has an unexpected content. This page requires it.`);
  }
}

function addScript(src) {
  const added = Object.assign(document.createElement("script"), { src });
  return new Promise((resolve) => {
    added.onload = resolve;
    document.head.append(added);
  });
}

/** Load all libraries. DuckDB's library expects Node's `require`, so define one while it loads. */
async function load() {
  const names = Object.keys(LIBRARIES);
  const own = [fetch(SCRIPT).then((answer) => answer.text()), fetch(RULES).then((answer) => answer.json())];
  const [found, texts] = await Promise.all([Object.values(LIBRARIES).map(fetched), own].map((some) => Promise.all(some)));
  parts = Object.fromEntries(names.map((name, i) => [name, found[i]]));
  [script, rules] = texts;
  await addScript(parts.arrow);
  Object.assign(window, { module: { exports: {} }, require: () => window.Arrow });
  await addScript(parts.duckdb);
  parts.library = window.module.exports;
  delete window.module;
  delete window.require;
  for (const name of ["vega", "vegaLite", "vegaEmbed"]) await addScript(parts[name]);
}

async function connect() {
  const { library, worker, wasm } = parts;
  const db = new library.AsyncDuckDB(new library.VoidLogger(), new Worker(worker));
  await db.instantiate(wasm);
  await db.open({ query: { castBigIntToDouble: true, castDecimalToDouble: true } });
  const con = await db.connect();
  for (const sql of [script, ...rules.interval]) await con.query(sql);
  for (const [name, file] of files) await register(db, name, file);
  return { db, con };
}

const register = (db, name, file) =>
  db.registerFileHandle(name, file, parts.library.DuckDBDataProtocol.BROWSER_FILEREADER, true);

class Cancelled extends Error {}

/** Wait for DuckDB; throw Cancelled if the user stops it, since a terminated worker never answers. */
function ask(what) {
  if (isCancelled) throw new Cancelled();
  if (!connection) throw new Error("DuckDB could not be loaded; reload this page.");
  const work = connection.then(what);
  work.catch(() => {});
  return Promise.race([work, new Promise((_, reject) => (stop = reject))]);
}

/** Return the rows of a query. */
async function query(sql) {
  const found = await ask(({ con }) => con.query(sql));
  return found.toArray().map((row) => row.toJSON());
}

/** Terminate DuckDB's worker, since planning cannot be interrupted otherwise, and start a new one. */
function restart() {
  connection.then(({ db }) => db.terminate(), () => {});
  connection = connect();
  isCancelled = true;
  stop(new Cancelled());
}

// --- Files ---

/** Tables of each side: name, the SQL of their rows, columns with types, and whether the file has types. */
const tables = { rec: [], truth: [], history: [] };

/** An error to show next to its cause: a side or "options". */
class InputError extends Error {
  constructor(place, message) {
    super(message);
    this.place = place;
  }
}

const firstLine = (error) => String(error.message ?? error).split("\n")[0].replace(/^[A-Z][\w ]* Error: /, "");
const extension = (name) => name.toLowerCase().replace(/\.(gz|zst)$/, "").split(".").at(-1);

/** Register a file under its name, or under another name if that is taken or a pattern. */
async function addFile(file) {
  let name = file.name.replace(/[*?[\]]/g, "_");
  for (let i = 2; files.has(name) && files.get(name) !== file; i++) name = name.replace(/^(\d+_)?/, `${i}_`);
  files.set(name, file);
  await ask(({ db }) => register(db, name, file));
  return name;
}

const LINES = (name) =>
  `read_csv(${literal(name)}, columns = {'line': 'VARCHAR'}, auto_detect = false, header = false, delim = '', quote = '', escape = '')`;
const WORDS = "regexp_split_to_array(trim(line, e' \\t\\r'), '\\s+')";

/** Return the SQL that reads a TREC run or qrels as a table, or null for any other file. */
async function trecRows(name) {
  const [shape] = await query(`SELECT
    bool_and(len(words) = 6 AND TRY_CAST(words[4] AS DOUBLE) + TRY_CAST(words[5] AS DOUBLE) IS NOT NULL) AS is_run,
    bool_and(len(words) = 4 AND TRY_CAST(words[4] AS DOUBLE) IS NOT NULL) AS is_qrels
FROM (SELECT ${WORDS} AS words FROM ${LINES(name)} WHERE trim(line) <> '' LIMIT 10)`).catch(() => [{}]);
  if (!shape.is_run && !shape.is_qrels) return null;
  const [count, words, columns] = shape.is_run
    ? [6, "topic Q0 doc rank score tag", "words[6] AS system, words[1] AS topic, words[3] AS doc, words[5]::DOUBLE AS score"]
    : [4, "topic 0 doc grade", "words[1] AS topic, words[3] AS doc, words[4]::DOUBLE AS grade"];
  const wrong = literal(`${name}: a line must have the form ${words}: `);
  return `(SELECT ${columns}
FROM (SELECT CASE WHEN len(words) = ${count} THEN words ELSE error(${wrong} || line) END AS words
FROM (SELECT line, ${WORDS} AS words FROM ${LINES(name)} WHERE trim(line, e' \\t\\r') <> '')))`;
}

/** Return the tables of a file with their columns. */
async function inspect(side, file, where = "") {
  if (!file.size) throw new InputError(side, `${file.name} is empty.`);
  const name = await addFile(file);
  const kind = { parquet: "Parquet", json: "JSON", jsonl: "JSON", ndjson: "JSON" }[extension(name)];
  const trec = kind ? null : await trecRows(name);
  const rows = trec ?? (kind ? `read_${kind.toLowerCase()}(${literal(name)})` : `read_csv(${literal(name)})`);
  const refuse = (text) => (error) => {
    if (error instanceof Cancelled) throw error;
    throw new InputError(side, `${file.name} ${text}${/sniff/.test(error.message) ? "no columns are found in it." : firstLine(error)}`);
  };
  if (kind) {
    await query(`LOAD ${kind.toLowerCase()}`).catch((error) => {
      if (!(error instanceof Cancelled)) restart(); // it stays broken if an extension cannot be loaded
      return refuse(`is ${kind}, for which DuckDB loads an extension from extensions.duckdb.org, which failed (CSV needs none): `)(error);
    });
  }
  const found = await query(`DESCRIBE FROM ${rows}`).catch(refuse(`cannot be read as ${kind ?? "CSV"}: `));
  const columns = Object.fromEntries(found.map((row) => [row.column_name, row.column_type]));
  if (found.length < 2) {
    const got = Object.keys(columns).map((one) => JSON.stringify(one.slice(0, 60))).join();
    throw new InputError(side, `${file.name} cannot be read as CSV: it has one column, ${got}.`);
  }
  return { name, file, shown: file.name, rows, columns, where, isTyped: Boolean(kind || trec), ...recognise(columns) };
}

const modelOf = (table) => table.shown.replace(/\..*/, "");
const has = (table, column) => Object.hasOwn(table.columns, column);

/** Find the likely column of each role by its name or a usual alias, and columns of runs. */
function recognise(columns) {
  const all = Object.keys(columns);
  const alike = (pattern) => all.filter((name) => new RegExp(`^(?:${pattern})$`, "iu").test(name));
  const exact = (role) => all.find((name) => name.toLowerCase() === role);
  const likely = Object.entries(rules.columns).map(([role, pattern]) => [role, exact(role) ?? alike(pattern)[0] ?? ""]);
  return { likely: Object.fromEntries(likely), runs: alike(rules.runs) };
}

/** Drop files without a table. */
async function forget() {
  const used = Object.values(tables).flat().map((table) => table.name);
  for (const name of [...files.keys()].filter((name) => !used.includes(name))) {
    files.delete(name);
    await ask(({ db }) => db.dropFile(name));
  }
}

/** Add the files of a side, and show their columns with likely roles. */
async function choose(side, chosen, where) {
  tables[side] = [];
  await forget();
  [side, "options", ""].forEach((one) => say(one));
  $("#answer").replaceChildren();
  if (side !== "history") areRight = false;
  if (side === "rec") $("#baseline").hidden = true; // the models are known after the files are read
  if (side === "truth") $("#form").elements.min_grade.value = ""; // it applied to other grades
  const place = $(`#${side} .columns`);
  place.replaceChildren();
  $(`#${side} .files`).textContent = chosen.map((file) => `${file.name} (${file.size < 1e6 ? `${Math.ceil(file.size / 1e3)} kB` : `${(file.size / 1e6).toFixed(1)} MB`})`).join(", ");
  $("#forget").hidden = !(side === "history" ? chosen : tables.history).length;
  const found = [];
  for (const file of [...chosen].sort((one, other) => (one.name < other.name ? -1 : 1))) {
    progress(`Reading ${file.name}`);
    found.push(await inspect(side, file, where));
  }
  tables[side] = found;
  if (!found.length) return;
  const { likely } = found[0];
  const taken = new Set();
  for (const [role, label] of Object.entries(ROLES[side])) {
    const select = element("select", { name: `${side}.${role}` });
    const none = OPTIONAL.includes(role) ? "(none)" : "(choose)";
    select.append(new Option(none, ""), ...Object.keys(found[0].columns).map((name) => new Option(name, name)));
    select.value = taken.has(likely[role]) ? "" : likely[role];
    taken.add(select.value);
    place.append(element("label", {}, `${label} `, select));
  }
  offerSwap();
}

const column = (side, role) => $("#form").elements[`${side}.${role}`]?.value ?? "";

let areRight = false; // whether the user has confirmed that the two sides are not swapped

/** If truth has scores or models, ask whether the two sides are swapped, until the user answers. */
function offerSwap() {
  say("swap");
  if (areRight || !tables.rec.length || !tables.truth.length) return;
  const [rec, truth] = [tables.rec[0].likely, tables.truth[0].likely];
  const what = [
    !has(tables.rec[0], "score") && has(tables.truth[0], "score") ? "a column score" : "",
    !rec.system && truth.system ? `a column of models, ${truth.system},` : "",
    !rec.score && truth.score ? `scores, ${truth.score},` : "",
  ].find(Boolean);
  if (!what) return;
  const swap = element("button", { type: "button" }, "Swap them");
  swap.onclick = () => work(async () => {
    const { rec, truth } = { ...tables };
    await choose("rec", truth.map((table) => table.file), truth[0].where);
    await choose("truth", rec.map((table) => table.file), rec[0].where);
  });
  const keep = element("button", { type: "button" }, "They are correct");
  keep.onclick = () => {
    areRight = true;
    offerSwap();
  };
  say("swap", `The truth has ${what} and the recommendations do not: are the files swapped? `, swap, " ", keep);
}

// --- The request ---

/** Read the form; throw InputError for an invalid request. */
function asked() {
  for (const side of Object.keys(ROLES)) {
    if (!tables[side].length && side === "history") continue;
    if (!tables[side].length) throw new InputError(side, "Choose a file first.");
    for (const [role, label] of Object.entries(ROLES[side])) {
      const name = column(side, role);
      if (!name && !OPTIONAL.includes(role)) throw new InputError(side, `Choose the column for ${label.toLowerCase()}: no column has a known name.`);
      const lacking = name && tables[side].find((table) => !has(table, name));
      if (lacking) throw new InputError(side, `${lacking.shown} has no column ${name}. It has ${Object.keys(lacking.columns).join(", ")}.`);
    }
    const chosen = Object.keys(ROLES[side]).map((role) => column(side, role)).filter(Boolean);
    const twice = chosen.find((name, i) => chosen.indexOf(name) !== i);
    if (twice) throw new InputError(side, `The column ${twice} is chosen twice.`);
  }
  const stems = column("rec", "system") ? [] : tables.rec.map(modelOf);
  const same = stems.find((name, i) => stems.indexOf(name) !== i);
  if (same !== undefined) throw new InputError("rec", `Two files have the model ${same}: rename one, or choose the column of models.`);
  const { ks, min_grade, best, baseline, first } = $("#form").elements;
  const cuts = ks.value.split(/[\s,;]+/).filter(Boolean);
  const wrong = cuts.find((one) => !/^(\d{1,9}|all)$/.test(one));
  if (!cuts.length || wrong) throw new InputError("options", `k must be whole numbers or all, as in 5, 10: got ${JSON.stringify(wrong ?? "")}.`);
  const grade = min_grade.value.trim();
  if (grade && !(Number(grade) > 0)) throw new InputError("options", `Relevant from grade must be a number above 0, as in 3 or 0.5: got ${JSON.stringify(grade)}.`);
  if (grade && !column("truth", "rel")) throw new InputError("options", "Relevant from grade requires a column of grades in the truth.");
  const measures = [...new Set([first.value, ...[...document.querySelectorAll("#measures input:checked")].map((box) => box.value)])];
  return {
    ks: [...new Set(cuts)].map((one) => (one === "all" ? null : Number(one))),
    measures,
    best: best.value,
    baseline: $("#baseline").hidden ? null : baseline.value,
    minGrade: grade ? Number(grade) : null,
    hasSystems: Boolean(column("rec", "system")) || tables.rec.length > 1,
  };
}

/** Return the SQL that makes the tables rec and truth: ids are integers if all are written so, else strings. */
async function statements(question) {
  const made = [];
  const typed = (role) => Object.entries(tables).flatMap(([side, all]) => all.filter((one) => one.isTyped).map((one) => one.columns[column(side, role)]));
  const kinds = { userid: typed("userid")[0] ?? "VARCHAR", itemid: typed("itemid")[0] ?? "VARCHAR" };
  const sides = Object.keys(tables).filter((side) => tables[side].length);
  for (const side of sides) {
    const roles = Object.keys(ROLES[side]).filter((role) => column(side, role));
    const selects = tables[side].map((table) => {
      // DuckDB guesses types from the first rows, and fractions may follow integers.
      const types = roles.filter((role) => table.columns[column(side, role)] !== "BOOLEAN")
        .map((role) => `${literal(column(side, role))}: '${role === "score" || role === "rel" ? "DOUBLE" : "VARCHAR"}'`);
      const rows = table.isTyped ? table.rows : table.rows.replace(/\)$/, `, types = {${types.join(", ")}})`);
      const names = roles.map((role) => {
        const name = identifier(column(side, role));
        if (role === "system") return `coalesce(${name}::VARCHAR, '(none)') AS system`;
        return kinds[role] && kinds[role] !== (table.isTyped ? table.columns[column(side, role)] : "VARCHAR")
          ? `${name}::${kinds[role]} AS ${role}` : `${name} AS ${role}`;
      });
      if (side === "rec" && question.hasSystems && !column("rec", "system")) names.unshift(`${literal(modelOf(table))} AS system`);
      return `SELECT ${names.join(", ")}\nFROM ${rows}${table.where}`;
    });
    made.push([`Reading ${tables[side].map((table) => table.shown).join(", ")}`, `CREATE OR REPLACE TABLE ${side} AS\n${selects.join("\nUNION ALL\n")}`]);
  }
  return { made, sides, texts: Object.keys(kinds).filter((role) => kinds[role] === "VARCHAR" && !typed(role).length) };
}

/** Turn DuckDB's error on a file into a message for the user. */
function readingError(side, error) {
  const text = String(error.message);
  const decimal = text.match(/Could not convert string "(-?\d+,\d+)" to ('?DOUBLE|double)/i);
  const name = tables[side].map((table) => table.shown).join(", ");
  if (decimal) return new InputError(side, `${name}: ${decimal[1]} has a decimal comma. Write numbers with a point, as in ${decimal[1].replace(",", ".")}.`);
  const line = text.match(/Line: (\d+)/)?.[1];
  const converted = text.match(/Could not convert string "([^"]*)" to '?DOUBLE/)?.[1];
  if (converted !== undefined) return new InputError(side, `${name}: line ${line ?? "?"} has ${JSON.stringify(converted)} instead of a number.`);
  return new InputError(side, `${name}: ${firstLine(error)}`);
}

/** Run all queries of the page, one after another. */
async function answer(question) {
  const { ks, measures, minGrade } = question;
  const listing = [];
  let done = 0;
  const step = async (text, sql, isShown = true) => {
    progress(text, Math.min(done++ / 10, 0.9));
    if (isShown) listing.push(sql);
    return query(sql);
  };
  const { made, sides, texts } = await statements(question);
  for (const [i, [text, sql]] of made.entries()) {
    await step(text, sql).catch((error) => {
      throw error instanceof Cancelled ? error : readingError(sides[i], error);
    });
  }
  for (const role of texts) {
    const plain = `SELECT bool_and(${role} = TRY_CAST(${role} AS BIGINT)::VARCHAR) AS plain FROM`;
    const found = [];
    for (const table of sides) found.push((await query(`${plain} ${table}`))[0].plain);
    if (found.every(Boolean)) {
      for (const table of sides) await step("Reading ids", `ALTER TABLE ${table} ALTER ${role} TYPE BIGINT`);
    }
  }
  const cuts = `[${ks.map((k) => k ?? "NULL").join(", ")}]`;
  const grades = minGrade === null ? "" : `, min_grade := ${minGrade}`;
  const isLow = question.best === "low";
  const given = `${isLow ? ", descending := false" : ""}${grades}`;
  const history = sides.includes("history") ? ", history := 'history'" : "";
  const times = history && ", time_col := ''";
  const problems = await step("Checking the data", `FROM ranking.check('rec', 'truth', ks := ${cuts}${given}${history}${times})`);
  const counts = await step("Checking the data", COUNTS(question), false);
  const hasMisses = counts.some((row) => row.has_misses);
  const systems = question.hasSystems ? counts.filter((row) => row.system !== null).map((row) => row.system) : [null];
  const nothing = problems.filter((row) => rules.nothing.includes(row.code));
  if (nothing.length) throw new InputError("truth", `${nothing.map(problemText).join("\n")}\nNo measure can be computed.`);
  const baseline = systems.includes(question.baseline) ? question.baseline : systems[0];
  const key = question.hasSystems ? "system, " : "";
  await step("Measuring", `CREATE OR REPLACE TABLE by_user AS
SELECT ${key}userid, k, n_rec, ${[...measures, ...(hasMisses ? ["judged_share"] : [])].map(identifier).join(", ")}
FROM ranking.by_user('rec', 'truth', ${cuts}${given})`);
  listing.push(...rules.interval);
  await step("Measuring", MEANS(key, measures, baseline));
  const means = await query("FROM means");
  const users = await step("Measuring", WITHOUT(key, ks[0], hasMisses));
  const compared = systems.length > 1 ? await compare(step, { ks, measures, systems, baseline, users }) : { comparisons: [] };
  const deepest = ks.includes(null) ? "NULL" : Math.max(...ks);
  const contents = history ? await step("Looking into the lists", `FROM ranking.beyond_accuracy('rec', [${deepest}]${history}${isLow ? ", descending := false" : ""})`) : [];
  return { ...question, problems, counts, systems, baseline, means, users, contents, listing, ...compared };
}

/** Compare with the baseline, compare all pairs by the first measure, and compute means of shared users. */
async function compare(step, { ks, measures, systems, baseline, users }) {
  const unless = (value) => (error) => {
    if (error instanceof Cancelled) throw error;
    return value ?? { refused: firstLine(error) };
  };
  const names = `[${measures.map(literal).join(", ")}]`;
  const made = await step("Comparing", `CREATE OR REPLACE TABLE comparisons AS
FROM ranking.compare_by_user('by_user', baseline := ${literal(baseline)}, measures := ${names})
ORDER BY list_position(${names}, measure), k, system`).catch(unless());
  if (made.refused) return { comparisons: [], ...made };
  const comparisons = await query("FROM comparisons");
  let pairs = comparisons.filter((row) => row.measure === measures[0] && row.k === ks[0]);
  if (systems.length > 2) {
    pairs = systems.length > rules.most_systems.pairs ? [] : await step("Comparing", `FROM ranking.compare_by_user('by_user', measures := [${literal(measures[0])}])
WHERE k IS NOT DISTINCT FROM ${ks[0] ?? "NULL"}`).catch(unless([]));
  }
  const areMissing = users.some((row) => row.without_rec >= rules.touched * row.users);
  const shared = areMissing ? await step("Comparing", SHARED(measures[0], ks[0], systems.length)) : [];
  return { comparisons, pairs, shared };
}

/** Count the rows of the tables, and find out whether truth has irrelevant items. */
const COUNTS = ({ hasSystems, minGrade }) => {
  const counts = (table, system, misses) => `SELECT ${system} AS system, '${table}' AS of, count(*) AS lines,
    count(DISTINCT userid) AS users, count(DISTINCT itemid) AS items, ${misses} AS has_misses FROM ${table}`;
  const misses = column("truth", "rel") ? `bool_or(rel::DOUBLE ${minGrade === null ? "<= 0" : `< ${minGrade}`})` : "false";
  return `${counts("rec", hasSystems ? "system" : "NULL", "false")} GROUP BY ALL
UNION ALL ${counts("truth", "NULL", misses)}
ORDER BY of, system`;
};

/** Compute means of the values of users, with their intervals. */
const MEANS = (key, measures, baseline) => `CREATE OR REPLACE TABLE means AS
SELECT * EXCLUDE (error, is_constant, is_binary, bottom), unnest(ranking_mean_interval(
    mean, error, users, is_constant, is_binary, bottom, bottom + 1, ${Number((1 - rules.confidence).toFixed(4))}))
FROM (
    SELECT ${key}k, measure, count(*) AS users, ranking.mean(value) AS mean, stddev_samp(value) / sqrt(count(*)) AS error,
        min(value) = max(value) AS is_constant, bool_and(value IN (0, 1)) AS is_binary,
        CASE WHEN measure IN (${measures.filter((name) => rules.measures[name].is_share).map(literal).join(", ")}) THEN 0 END AS bottom
    FROM (UNPIVOT by_user ON ${measures.map(identifier).join(", ")} INTO NAME measure VALUE value)
    GROUP BY ${key}k, measure
)
ORDER BY list_position([${measures.map(literal).join(", ")}], measure), k${key && `, system <> ${literal(baseline)}, system`}`;

const WITHOUT = (key, k, hasMisses) => `SELECT ${key}count(*) AS users, count(*) FILTER (n_rec = 0) AS without_rec,
    ${hasMisses ? "ranking.mean(judged_share)" : "NULL"} AS judged,
    coalesce((list(userid::VARCHAR ORDER BY userid) FILTER (n_rec = 0))[:20], []) AS some
FROM by_user
WHERE k IS NOT DISTINCT FROM ${k ?? "NULL"}
GROUP BY ALL
ORDER BY ALL`;

const SHARED = (measure, k, systems) => `SELECT system, count(${identifier(measure)}) AS users, ranking.mean(${identifier(measure)}) AS mean
FROM by_user
WHERE k IS NOT DISTINCT FROM ${k ?? "NULL"} AND userid IN (
    SELECT userid FROM by_user WHERE k IS NOT DISTINCT FROM ${k ?? "NULL"} AND n_rec > 0 GROUP BY userid HAVING count(*) = ${systems}
)
GROUP BY system
ORDER BY mean DESC, system`;

// --- The answer as sentences ---

const join = (names, word) => (names.length > 1 ? `${names.slice(0, -1).join(", ")} ${word} ${names.at(-1)}` : names.join());
const problemText = (row) =>
  `${row.problem}: ${row.count}${row.of === null ? "" : ` of ${row.of}`}${row.system === null ? "" : ` (${row.system})`}` +
  `${row.example === null ? "" : `, for example ${row.example}`}` +
  `${rules.direction.includes(row.code) ? "; if lower scores are better, select that under “Best score”" : ""}`;

/** Write a comparison of two models as a sentence, like evaluation/conclusion.py. */
function sentence(row, family) {
  const { system, baseline, verdict, difference, users, users_undefined } = row;
  const what = atK(row.measure, row.k);
  if (difference === null) return `${system} and ${baseline} cannot be compared in ${what}: no user has a value from both.`;
  const isDecided = verdict === "better" || verdict === "worse";
  const sign = isDecided && difference < 0 ? -1 : 1; // "worse by 0.01", not "worse by -0.01"
  const details = [];
  if (row.low !== null) details.push([sign * row.low, sign * row.high].sort((one, other) => one - other).map((end) => formatNumber(end)).join(" to "));
  if (row.relative !== null) details.push(`${formatNumber(100 * sign * row.relative)}%`);
  const size = formatNumber(sign * difference) + (details.length ? ` (${details.join("; ")})` : "");
  const isIdentical = row.ties === users && users > 1;
  const differ = isIdentical ? `equal for all ${users} users` : `difference ${size}`;
  let text = isDecided ? `${system} is significantly ${verdict} than ${baseline} in ${what} by ${size}` : `${system} and ${baseline} do not differ significantly in ${what}: ${differ}`;
  if (row.p !== null && !isIdentical) {
    const [unadjusted, p] = [row.p, row.p_adjusted].map((one) => `p ${formatP(one).replace(/^(?!<)/, "= ")}`);
    const before = unadjusted === p ? "" : `unadjusted ${unadjusted}, `;
    text += family > 1 ? `, ${before}${p} (Holm-adjusted, ${family} comparisons)` : `, ${p}`;
  }
  const everybody = users + users_undefined;
  if (users_undefined) text += `; based on the ${users} of ${everybody} users with a value from both`;
  const without = [row.users_without_rec_baseline ?? 0, row.users_without_rec_system ?? 0];
  [baseline, system].forEach((name, i) => {
    if (without[i] > everybody / 10) text += `; ${without[i]} of ${everybody} users have no recommendations from ${name}`;
  });
  if (row.users_needed && row.users_needed > users) {
    const [about, more] = [row.users_needed, 4 * row.users_needed].map((count) => Number(count.toPrecision(2)));
    return `${text}. Inconclusive with ${users} users. If the true difference is the observed ${formatNumber(Math.abs(difference), 2)}, about ${about} users are needed to detect it with 80% power; if it is half of that, ${more}.`;
  }
  if (verdict === "unclear" && row.minimum_detectable_effect) text += `; with 80% power, ${formatNumber(row.minimum_detectable_effect)} would be detected`;
  return `${text}.`;
}

/** Name the best model, and whether it is significantly better, from the comparisons of all pairs. */
function leading({ pairs, shared, measures, ks }) {
  if (!pairs.length || pairs.some((row) => row.users_undefined || !row.users)) return null;
  const lower = rules.measures[pairs[0].measure].higher_is_better ? 1 : -1;
  const means = new Map(pairs.flatMap((row) => [[row.baseline, row.mean_baseline], [row.system, row.mean_system]]));
  const order = [...means.keys()].sort((one, other) => lower * (means.get(other) - means.get(one)) || (one < other ? -1 : 1));
  const [first, second] = order;
  const what = atK(measures[0], ks[0]);
  const pairOf = (other) => pairs.find((row) => [row.baseline, row.system].includes(first) && [row.baseline, row.system].includes(other));
  const tied = order.slice(1).filter((other) => !["better", "worse"].includes(pairOf(other).verdict));
  if (!pairOf(second).difference) return `There is no best model by ${what}: ${first} and ${second} have the same mean.`;
  const rest = order.length === 2 ? second : `each of the ${order.length - 1} others`;
  const shownTied = tied.length > 3 ? [...tied.slice(0, 3), `${tied.length - 3} more`] : tied;
  const text = tied.length
    ? `${first} has the best ${what}, but not significantly better than ${join(shownTied, "or")}.`
    : `${first} has the best ${what}, significantly better than ${rest}.`;
  const best = lower > 0 ? shared[0] : shared.at(-1);
  return best?.users && best.system !== first
    ? `${text} However, for the ${best.users} users with recommendations from every model, ${best.system} has the best mean.` : text;
}

// --- The answer, on the page ---

/** Make an element; content of the user's files is added as text, never as markup. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, text] of Object.entries(attributes)) made.setAttribute(name, text);
  made.append(...children);
  return made;
}

function section(title, ...children) {
  const id = title.split(" from ")[0].toLowerCase().replaceAll(" ", "-");
  return element("section", { "aria-labelledby": id }, element("h2", { id }, title), ...children);
}

/** Make a table that scrolls if it is too wide; `texts` are the columns that are not numeric. */
function table(header, rows, caption, texts = []) {
  const kind = (i) => (texts.includes(header[i]) ? { class: "t" } : {});
  const head = header.map((name, i) => element("th", { scope: "col", ...(i ? kind(i) : { class: "t" }) }, name));
  const body = rows.map((row) => element("tr", {}, ...row.map((cell, i) => (i ? element("td", kind(i), String(cell ?? "")) : element("th", { scope: "row" }, String(cell))))));
  const made = element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body));
  return element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": caption }, made);
}

const AXIS = { labelColor: "currentColor", titleColor: "currentColor", domainColor: "currentColor", tickColor: "currentColor", gridColor: "var(--grid)", titleFontWeight: "normal", labelFontSize: 12, titleFontSize: 12 };
const COLOURS = [1, 2, 3, 4, 5, 6, 7, 8].map((i) => `var(--c${i})`);
const SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left"];

/** Return the chart of a measure: means by k with bands, or means at a single k with intervals. */
function specification(rows, measure, systems, ks) {
  const field = { field: "system", type: "nominal", title: null, legend: systems.length > 1 && ks.length > 1 ? { orient: "bottom", columns: systems.some((name) => name.length > 12) ? 2 : 3, labelLimit: 130, labelColor: "currentColor", symbolOpacity: 1 } : null };
  const color = { ...field, scale: { domain: systems, range: COLOURS } };
  const shape = { ...field, scale: { domain: systems, range: SHAPES } };
  const number = (name) => ({ field: name, type: "quantitative", title: labelOf(measure), scale: { zero: false }, axis: { tickCount: 5 } });
  const point = { type: "point", filled: true, size: 60, opacity: 1 };
  const byK = {
    height: 170,
    encoding: { x: { field: "k", type: "ordinal", sort: ks, title: "cutoff k", axis: { labelAngle: 0 } } },
    layer: [
      { mark: { type: "area", opacity: 0.15 }, encoding: { y: number("low"), y2: { field: "high" }, color } },
      { mark: "line", encoding: { y: number("mean"), color } },
      { mark: point, encoding: { y: number("mean"), color, shape } },
    ],
  };
  const atOne = {
    height: { step: 26 },
    encoding: { y: { field: "system", type: "nominal", sort: systems, title: null } },
    layer: [
      { mark: { type: "rule", strokeWidth: 2 }, encoding: { x: number("low"), x2: { field: "high" }, color } },
      { mark: point, encoding: { x: number("mean"), color, shape } },
    ],
  };
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json", width: 400, autosize: { type: "fit-x", contains: "padding" },
    config: { aria: false, background: null, font: "Arial, Liberation Sans, Helvetica, sans-serif", view: { stroke: null }, axis: { ...AXIS, labelLimit: 130 }, legend: { labelFontSize: 12 } },
    data: { values: rows }, ...(ks.length > 1 ? byK : atOne),
  };
}

/** Draw the means of a measure; interpret Vega's expressions, since the policy forbids compiled code. */
async function chart(found, measure) {
  const systems = found.systems.slice(0, rules.most_systems.charts).map(names);
  const rows = found.means.filter((row) => row.measure === measure && systems.includes(names(row.system)))
    .map((row) => ({ system: names(row.system), k: row.k ?? "all", mean: row.mean, low: row.low, high: row.high }));
  const figure = element("figure", {}, element("h3", {}, `${labelOf(measure)} ${found.ks.length > 1 ? "by cutoff" : `at ${found.ks[0] ?? "all"}`}`));
  const place = element("div", { role: "img", "aria-label": `${labelOf(measure)}; the table has the numbers` });
  figure.append(place);
  const ks = [...found.ks].sort((one, other) => (one ?? Infinity) - (other ?? Infinity)).map((k) => k ?? "all");
  await window.vegaEmbed(place, specification(rows, measure, systems, ks), { ast: true, renderer: "svg", actions: false, tooltip: false, defaultStyle: false });
  return figure;
}

/** Offer a table as a file; quote names of models that a spreadsheet would run as a formula. */
function download(name, columns) {
  const plain = columns.map((one) => `CASE WHEN regexp_matches(${one}, '^[-=+@\\t\\r]') THEN '''' ELSE '' END || ${one} AS ${one}`);
  const rows = `SELECT *${plain.length ? ` REPLACE (${plain.join(", ")})` : ""} FROM ${name}`;
  const button = element("button", { type: "button", class: "screen" }, `${name} as CSV`);
  button.onclick = () => work(async () => {
    await query(`COPY (${rows}) TO '${name}.csv' (HEADER)`);
    const bytes = await ask(({ db }) => db.copyFileToBuffer(`${name}.csv`));
    const link = element("a", { download: `${name}.csv`, href: URL.createObjectURL(new Blob([bytes], { type: "text/csv" })) });
    link.click();
    URL.revokeObjectURL(link.href);
  });
  return element("p", {}, button);
}

/** Show the SQL, for DuckDB's shell or for Python. */
function sqlParts(listing) {
  const shell = `.read ranking_udfs.sql\n\n${listing.map((sql) => `${sql};`).join("\n\n")}\n`;
  const calls = listing.map((sql) => `con.sql(r"""\n${sql}\n""")`);
  const python = `import duckdb\nimport ranking_udfs\n\ncon = ranking_udfs.register(duckdb.connect())\n${calls.map((call, i) => (/^(--.*\n)?(CREATE|ALTER)/.test(listing[i]) ? call : `${call}.show()`)).join("\n")}\n`;
  const text = element("pre", { tabindex: "0", "aria-label": "The SQL" }, shell);
  const choice = element("select", {}, new Option("DuckDB's shell", shell), new Option("Python", python));
  choice.onchange = () => (text.textContent = choice.value);
  const copy = element("button", { type: "button" }, "Copy");
  copy.onclick = async () => {
    await navigator.clipboard.writeText(choice.value);
    copy.textContent = "Copied";
  };
  return [element("p", { class: "screen" }, element("label", {}, "For ", choice), " ", copy), text];
}

const names = (system) => system ?? "The model";
const quiet = (text) => element("p", { class: "quiet" }, text);

async function show(found) {
  const { comparisons, baseline, measures } = found;
  const isOne = found.systems.length === 1;
  const answered = [...(isOne ? inShort : verdicts)(found), ...fewJudged(found), ...against(found)];
  const parts = [section(isOne ? "Summary" : "The answer", ...answered), section("The data", ...data(found))];
  parts.push(section("Means", ...(await means(found))));
  if (comparisons.length) {
    const each = measures.map((measure) => differences(comparisons, measure));
    parts.push(section(`Differences from ${baseline}`, ...each, download("comparisons", ["baseline", "system"])));
  }
  parts.push(section("Users without recommendations", ...gotNothing(found)));
  if (found.contents.length) parts.push(section("Beyond accuracy", contentsTable(found)));
  parts.push(section("Method and provenance", ...sqlParts(found.listing)));
  $("#answer").replaceChildren(...parts);
}

/** List the caveats from the check, a line for each problem of all models. */
function* against({ problems, ks, systems }) {
  const lines = new Map();
  for (const row of problems.filter((one) => one.severity !== "info" && (one.k === null || one.k === ks[0]))) {
    const percent = (100 * row.count) / row.of;
    const share = row.of ? ` of ${row.of} (${percent < 10 ? formatNumber(percent, 2) : fixed(percent, 0)}%)` : "";
    lines.set(row.problem, [...(lines.get(row.problem) ?? []), `${row.system === null ? "" : `${row.system} `}${row.count}${share}`]);
  }
  if (!lines.size) return;
  yield element("p", {}, "Caveats:");
  yield element("ul", { class: "caveats" }, ...[...lines].map(([problem, texts]) => element("li", {}, `${problem}: ${texts.join(", ")}`)));
}

/** Show beyond-accuracy measures, a row for each column of ranking.beyond_accuracy. */
function contentsTable({ contents }) {
  const fields = Object.keys(contents[0]).filter((name) => name !== "system" && contents.some((row) => row[name] !== null));
  const rows = fields.map((name) => [name, ...contents.map((row) => (Number.isInteger(row[name]) ? row[name] : formatNumber(row[name])))]);
  return table(["Column", ...contents.map((row) => names(row.system))], rows, "Beyond accuracy");
}

/** List the findings of the check, and count the data. */
function* data({ problems, counts }) {
  const runs = new Set(tables.rec.flatMap((one) => one.runs).filter((name) => name !== column("rec", "system")));
  const unread = [...runs].map((name) => `rec: the column ${name} is not read, so all runs of a model form one list; keep one run`);
  const texts = [...unread, ...problems.map(problemText)];
  yield element("p", {}, texts.length ? "Findings of the check:" : "The check of the data found no problems.");
  yield element("ul", {}, ...texts.map((text) => element("li", {}, text)));
  const rows = counts.map((row) => [row.of === "truth" ? "Truth" : names(row.system), row.lines, row.users, row.items]);
  yield table(["Table", "Rows", "Users", "Items"], rows, "The data");
}

/** Name the better model, with the comparisons. */
function* verdicts(found) {
  const { refused, comparisons, measures, ks } = found;
  if (refused) {
    yield element("p", { class: "error" }, `The models cannot be compared: ${refused}`);
    return;
  }
  const lead = leading(found);
  const needed = `at most ${rules.most_systems.pairs} models, common users for each pair of models, and a value for every user`;
  yield lead ? element("p", { class: "lead" }, lead) : element("p", {}, `No best model is named. That requires ${needed}.`);
  const family = comparisons.filter((row) => row.measure === measures[0] && row.k === ks[0]);
  yield element("ul", { class: "verdicts" }, ...family.map((row) => element("li", { class: row.verdict }, sentence(row, family.length))));
}

/** Name the models with few judged items; unjudged items count as misses. */
function* fewJudged({ users, ks }) {
  const few = users.filter((row) => row.judged !== null && row.judged < rules.few_judged);
  const shares = few.map((row) => `${names(row.system)} ${fixed(100 * row.judged, 0)}%`);
  const place = ks[0] === null ? "in the list" : `among the first ${ks[0]}`;
  if (few.length) yield element("p", {}, `Few items ${place} are judged; unjudged items count as misses: ${shares.join(", ")}.`);
}

/** Format a mean with its interval, with the decimals of all means of this model. */
function meanText({ means }, measure, k, system) {
  const rows = means.filter((row) => (row.system ?? null) === system);
  const row = rows.find((one) => one.measure === measure && one.k === k);
  return row ? formatMean(row, columnDecimals(rows.map((one) => one.mean), rows.map(halfOf))) : "";
}

function* inShort(found) {
  const { measures, ks, systems } = found;
  const mean = meanText(found, measures[0], ks[0], systems[0]) || "unknown: no user has a value";
  yield element("p", { class: "lead" }, `${atK(measures[0], ks[0])} is ${mean}.`);
}

async function means(found) {
  const { systems, baseline, ks, measures, users } = found;
  const ordered = [baseline, ...systems.filter((name) => name !== baseline)];
  const rows = measures.flatMap((measure) => ks.map((k) => [atK(measure, k), ...ordered.map((name) => meanText(found, measure, k, name))]));
  const charts = element("div", { class: "charts" });
  for (const measure of measures) charts.append(await chart({ ...found, systems: ordered }, measure));
  const some = systems.length > rules.most_systems.charts ? [quiet(`The charts show ${rules.most_systems.charts} of ${systems.length} models.`)] : [];
  const whole = Math.max(...users.map((row) => row.users));
  return [
    quiet(`Means over ${whole} users with their ${100 * rules.confidence}% confidence interval: ± half its width, or its two ends if it is asymmetric.`),
    table(["Measure", ...ordered.map(names)], rows, "Means"), ...some, charts, download("means", found.hasSystems ? ["system"] : []),
  ];
}

function differences(comparisons, measure) {
  const rows = comparisons.filter((row) => row.measure === measure);
  const halves = rows.filter((row) => row.low !== null).map((row) => (row.high - row.low) / 2);
  const fields = ["mean_system", "mean_baseline", "difference", "low", "high"];
  const decimals = fields.map((name) => columnDecimals(rows.map((row) => row[name]).filter((one) => one !== null), halves));
  const cells = rows.map((row) => [
    row.system, row.k ?? "all",
    ...fields.map((name, i) => (row[name] === null ? "" : formatFixed([row[name]], decimals[i])[0])), formatP(row.p_adjusted), row.verdict,
  ]);
  return element("div", {}, element("h3", {}, labelOf(measure)),
    table(["System", "k", "Mean", "Baseline", "Difference", "Low", "High", "p", "Verdict"], cells, `Differences in ${labelOf(measure)}`, ["Verdict"]));
}

/** Count users without a list from a model, and give the means of users with lists from every model. */
function gotNothing({ users, shared = [], measures, ks }) {
  const header = ["System", "Users", "No recommendations", "Example users"];
  const rows = users.map((row) => [names(row.system), row.users, row.without_rec, [...row.some].join(", ") + (row.without_rec > row.some.length ? ", ..." : "")]);
  const decimals = columnDecimals(shared.map((row) => row.mean), []);
  const means = shared.map((row) => `${formatFixed([row.mean], decimals)[0]} with ${row.system}`).join(", ");
  return [
    quiet("All users in the truth are evaluated. A user without recommendations is scored as an empty list."),
    table(header, rows, "Users without recommendations", ["Example users"]),
    ...(shared[0]?.users ? [element("p", {}, `For the ${shared[0].users} users with recommendations from every model, ${atK(measures[0], ks[0])} is ${means}.`)] : []),
  ];
}

// --- The page ---

function say(place, ...parts) {
  $(place ? `#${place}-error` : "#error").replaceChildren(...parts);
}

function progress(text, share) {
  $("#status").textContent = text;
  const bar = $("progress");
  bar.hidden = !text || share === 1;
  if (share === undefined) bar.removeAttribute("value");
  else bar.value = share;
}

let queue = Promise.resolve();
let waiting = 0;

/** Run tasks one after another, and show errors next to their cause; the page always stays usable. */
function work(what) {
  waiting += 1;
  $("#cancel").hidden = !connection;
  queue = queue.then(async () => {
    $("main").setAttribute("aria-busy", "true");
    isCancelled = false;
    try {
      progress((await what()) ?? "", 1);
    } catch (error) {
      progress(error instanceof Cancelled ? "Cancelled." : "", 1);
      if (error instanceof InputError) say(error.place, error.message);
      else if (!(error instanceof Cancelled)) {
        const isTooLarge = /memory|allocat|unreachable/i.test(error.message);
        say("", isTooLarge ? `These files are too large for a tab of the browser: ${firstLine(error)}` : firstLine(error));
        if (isTooLarge && connection) restart();
      }
    }
    waiting -= 1;
    $("#cancel").hidden = !waiting;
    $("main").removeAttribute("aria-busy");
  });
  return queue;
}

async function evaluate() {
  const start = performance.now();
  $("#answer").replaceChildren();
  ["rec", "truth", "history", "options", ""].forEach((place) => say(place));
  const found = await answer(asked());
  const { baseline } = $("#form").elements;
  baseline.replaceChildren(...found.systems.map((name) => new Option(name ?? "", name ?? "")));
  baseline.value = found.baseline ?? "";
  $("#baseline").hidden = found.systems.length < 2;
  progress("Drawing", 0.95);
  await show(found);
  $("#answer").scrollIntoView();
  return `Answered in ${((performance.now() - start) / 1000).toFixed(1)} s.`;
}

/** Show the sample of the dbt project: recommendations of its models, and ratings from a date on. */
async function sample() {
  const load = async (name) => new File([await (await fetch(SAMPLE + name)).blob()], name);
  await choose("rec", [await load("recommendations.csv")]);
  await choose("truth", [await load("ratings.csv")], `\nWHERE rated_on >= DATE '${SAMPLE_FROM}'`);
  $("#form").elements.min_grade.value = "3";
  return evaluate();
}

for (const side of Object.keys(ROLES)) {
  const place = $(`#${side}`);
  const take = (list) => {
    const chosen = [...list];
    if (side !== "rec" && chosen.length > 1) say(side, `The ${side} is one file, got ${chosen.length}.`);
    else if (chosen.length) work(() => choose(side, chosen));
  };
  place.querySelector("input").onchange = ({ target }) => {
    take(target.files);
    target.value = ""; // allow the user to choose the same file again
  };
  place.ondrop = (event) => take(event.dataTransfer.files);
  for (const name of ["dragover", "dragleave", "drop"]) place.addEventListener(name, () => place.classList.toggle("over", name === "dragover"));
}
for (const name of ["dragover", "drop"]) document.addEventListener(name, (event) => event.preventDefault()); // otherwise the browser opens the file
$("#form").onsubmit = (event) => {
  event.preventDefault();
  if (!waiting) work(evaluate);
};
$("#cancel").onclick = restart;
$("#forget").onclick = () => work(() => choose("history", []));
$("#sample").onclick = () => work(sample);

await work(async () => {
  progress("Loading DuckDB: 8 MB, which the browser keeps");
  await load();
  progress("Starting DuckDB");
  connection = connect();
  await connection;
  for (const [name, { label, description }] of Object.entries(rules.measures)) {
    $("#form").elements.first.append(new Option(label, name));
    const box = element("input", { type: "checkbox", value: name });
    box.checked = FIRST_MEASURES.includes(name);
    $("#measures").append(element("label", { title: description }, box, ` ${label}`), " ");
  }
  $("#form").elements.first.value = FIRST_MEASURES[0];
  $("#sample").disabled = $("[type=submit]").disabled = false;
});

export { columnDecimals, formatNumber, formatMean, formatP, recognise };
