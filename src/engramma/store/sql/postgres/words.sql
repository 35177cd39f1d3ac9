-- ---- words: full text search. Lexemes come from our own tokenizer, so they are the ones that FTS5 has ----

-- name: {}_create
-- of: words=0 cold=1
INSERT INTO word_totals (ns, cold, documents, tokens) VALUES (%(ns)s, {=}, 0, 0) ON CONFLICT (ns, cold) DO NOTHING;

-- name: words_create_terms
SELECT 1 WHERE %(ns)s < 0; -- nothing to do here: words are counted where they stand

-- name: {}_add
-- of: words=0 cold=1
WITH added AS (
  INSERT INTO words (ns, cold, key, length, body)
  VALUES (%(ns)s, {=}, %(key)s, %(body)s::token_count, %(body)s::tsvector) RETURNING length
)
INSERT INTO word_totals (ns, cold, documents, tokens) SELECT %(ns)s, {=}, count(*), sum(a.length) FROM added a HAVING count(*) > 0
ON CONFLICT (ns, cold) DO UPDATE SET documents = word_totals.documents + excluded.documents, tokens = word_totals.tokens + excluded.tokens;

-- Without its text, a contentless row is taken out by being told the words it came with.
-- name: {}_remove
-- of: words=0 cold=1
WITH removed AS (
  DELETE FROM words WHERE ns = %(ns)s AND cold = {=} AND key = %(key)s RETURNING length
)
UPDATE word_totals t SET documents = t.documents - 1, tokens = t.tokens - r.length
FROM removed r WHERE t.ns = %(ns)s AND t.cold = {=};

-- name: {}_remove_all
-- of: words=0 cold=1
WITH removed AS (DELETE FROM words WHERE ns = %(ns)s AND cold = {=})
UPDATE word_totals SET documents = 0, tokens = 0 WHERE ns = %(ns)s AND cold = {=};

-- name: {}_optimize
-- of: words=0 cold=1
SELECT 1 WHERE %(ns)s < 0; -- nothing to do here: a wipe writes the tables anew

-- name: {}_integrity
-- of: words=0 cold=1
SELECT words_checked(%(ns)s, {=});

-- name: {}_has
-- of: words=0 cold=1
SELECT key AS id FROM words WHERE ns = %(ns)s AND cold = {=} AND key = %(key)s;

-- The best by BM25. Only those as good as the last of them look up their tie, not every row that has one of the words.
-- name: {}_search
-- of: words=0 cold=1
WITH asked AS MATERIALIZED (
  SELECT a.phrase, word_query(a.phrase) AS query, a.place FROM unnest(%(match)s::phrases) WITH ORDINALITY a(phrase, place)
), total AS MATERIALIZED (
  SELECT t.documents, t.tokens::float8 / t.documents::float8 AS mean FROM word_totals t
  WHERE t.ns = %(ns)s AND t.cold = {=} AND t.documents > 0
), hits AS MATERIALIZED (
  SELECT a.place, w.key, w.length::float8 AS length, word_times(w.body, a.phrase) AS times
  FROM asked a JOIN words w ON w.ns = %(ns)s AND w.cold = {=} AND w.body @@ a.query
), weights AS MATERIALIZED (
  SELECT h.place, word_weight(t.documents, count(*)) AS weight FROM hits h CROSS JOIN total t GROUP BY h.place, t.documents
), found AS MATERIALIZED (
  SELECT h.key, -sum(w.weight * ((h.times * 2.2::float8) / (h.times + 1.2::float8 * (0.25::float8 + 0.75::float8 * h.length / t.mean)))
    ORDER BY h.place) AS cost
  FROM hits h JOIN weights w ON w.place = h.place CROSS JOIN total t GROUP BY h.key
), best AS MATERIALIZED (
  SELECT f.key, f.cost FROM found f
  WHERE f.cost <= coalesce((SELECT o.cost FROM found o ORDER BY o.cost LIMIT 1 OFFSET %(limit)s - 1), 0)
)
SELECT b.key, -b.cost AS score FROM best b JOIN segments g ON g.ns = %(ns)s AND g.key = b.key
ORDER BY b.cost, g.tie, b.key LIMIT %(limit)s;

-- What FTS5 gives by itself: the measure of how much the rest of recall may cost.
-- name: words_bare
SELECT w.key FROM words w JOIN unnest(%(match)s::phrases) a(phrase) ON w.body @@ word_query(a.phrase)
WHERE w.ns = %(ns)s AND w.cold = 0 GROUP BY w.key ORDER BY sum(ts_rank(w.body, word_query(a.phrase))) DESC, w.key LIMIT %(limit)s;

-- The sessions in which a word, or one that begins so, was said.
-- name: words_sessions
SELECT DISTINCT g.session AS key FROM words w JOIN segments g ON g.ns = %(ns)s AND g.key = w.key
WHERE w.ns = %(ns)s AND w.cold = 0 AND g.state = 0 AND (
  w.body @@ ANY (ARRAY(SELECT word_query(a.phrase) FROM unnest(%(match)s::phrases) a(phrase)))
  OR (%(start)s <> '' AND w.body @@ ('''' || %(start)s || ''':*')::tsquery));

-- name: words_counts
SELECT k.value AS term, (
  SELECT count(*) FROM (
    SELECT 1 FROM words w WHERE w.ns = %(ns)s AND w.cold = 0 AND w.body @@ word_query(k.value) LIMIT %(most)s::bigint
  ) f
) AS doc FROM unnest(%(terms)s::text[]) k(value) WHERE octet_length(k.value) <= 2000;  -- nothing longer is indexed

-- The words that begin so, stemmed; of each start also the first that would come behind all of them.
-- name: words_begin
WITH asked AS MATERIALIZED (
  SELECT k.value ->> 0 AS start, k.value ->> 1 AS behind FROM json_array_elements(%(starts)s::json) k
), spoken AS MATERIALIZED (
  SELECT DISTINCT l.lexeme FROM words w CROSS JOIN LATERAL unnest(tsvector_to_array(w.body)) l(lexeme)
  WHERE w.ns = %(ns)s AND w.cold = 0
    AND w.body @@ (SELECT string_agg('''' || a.start || ''':*', '|')::tsquery FROM asked a)
)
SELECT s.lexeme AS term FROM spoken s
WHERE EXISTS (SELECT 1 FROM asked a WHERE s.lexeme COLLATE "C" >= a.start AND s.lexeme COLLATE "C" < a.behind);
