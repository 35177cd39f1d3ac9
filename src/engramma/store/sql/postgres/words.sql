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
WITH removed AS (DELETE FROM words WHERE ns = %(ns)s AND cold = {=}),
counted AS (DELETE FROM word_counts WHERE ns = %(ns)s AND {=} = 0) -- also counts that were wrong
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

-- What BM25 needs to know of every segment with one of the phrases, as arrays in the form in which they are sent: a row a
-- phrase. The sums are made here (word_ranks.py), as they were made there: of tens of thousands of rows, that takes a
-- tenth of the time. The list comes out of a SELECT, so that the planner cannot count it and plans once.
-- name: {}_search
-- of: words=0 cold=1
SELECT f.keys, f.lengths, f.times, word_weight(t.documents, f.found) AS weight, t.tokens::float8 / t.documents::float8 AS mean
FROM word_totals t CROSS JOIN unnest((SELECT %(match)s::phrases)) WITH ORDINALITY a(phrase, place)
CROSS JOIN LATERAL (
  SELECT array_send(array_agg(w.key)) AS keys, array_send(array_agg(w.length)) AS lengths,
    array_send(array_agg(word_times(w.body, a.phrase))) AS times, count(*) AS found
  FROM words w WHERE w.ns = %(ns)s AND w.cold = {=} AND w.body @@ word_query(a.phrase)
) f WHERE t.ns = %(ns)s AND t.cold = {=} AND t.documents > 0 AND f.found > 0 AND %(limit)s > 0 ORDER BY a.place;

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
SELECT c.term, c.documents AS doc FROM word_counts c
WHERE c.ns = %(ns)s AND c.term = ANY(%(terms)s::text[]);

-- The words that begin so, stemmed; of each start also the first that would come behind all of them.
-- name: words_begin
SELECT c.term FROM json_array_elements(%(starts)s::json) k CROSS JOIN word_counts c
WHERE c.ns = %(ns)s AND c.term >= (k.value ->> 0) COLLATE "C" AND c.term < (k.value ->> 1) COLLATE "C";
