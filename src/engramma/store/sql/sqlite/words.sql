-- ---- words: full text search, a table a namespace ----

-- detail=full (the default): without positions a contentless table knows no phrases, and its bm25 is always 0.
-- categories: marks belong to words, or Indic vowel signs would cut every word to letters.
-- stems.sql has the same tokenizer.
-- name: {}_create
-- of: words cold
CREATE VIRTUAL TABLE IF NOT EXISTS {}_{ns} USING fts5(
  body, content='', tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);

-- name: words_create_terms
CREATE VIRTUAL TABLE IF NOT EXISTS terms_{ns} USING fts5vocab(words_{ns}, 'row');

-- name: {}_add
-- of: words cold
INSERT INTO {}_{ns} (rowid, body) VALUES (:key, :body);

-- Without its text, a contentless row is taken out by being told the words it came with.
-- name: {}_remove
-- of: words cold
INSERT INTO {}_{ns} ({}_{ns}, rowid, body) VALUES ('delete', :key, :body);

-- name: {}_remove_all
-- of: words cold
INSERT INTO {}_{ns} ({}_{ns}) VALUES ('delete-all');

-- name: {}_optimize
-- of: words cold
INSERT INTO {}_{ns} ({}_{ns}) VALUES ('optimize');

-- name: {}_integrity
-- of: words cold
INSERT INTO {}_{ns} ({}_{ns}) VALUES ('integrity-check');

-- name: {}_has
-- of: words cold
SELECT id FROM {}_{ns}_docsize WHERE id = :key;

-- The best by BM25. Only those as good as the last of them look up their tie, not every row that has one of the words.
-- name: words_search
WITH found AS MATERIALIZED (
  SELECT rowid AS key, bm25(words_{ns}) AS cost FROM words_{ns} WHERE words_{ns} MATCH :match
), best AS MATERIALIZED (
  SELECT key, cost FROM found
  WHERE cost <= coalesce((SELECT cost FROM found ORDER BY cost LIMIT 1 OFFSET :limit - 1), 0)
)
SELECT b.key, -b.cost AS score FROM best b CROSS JOIN segments g ON g.key = b.key
WHERE g.ns = :ns ORDER BY b.cost, g.tie, b.key LIMIT :limit;

-- What FTS5 gives by itself: the measure of how much the rest of recall may cost.
-- name: words_bare
SELECT rowid AS key FROM words_{ns} WHERE words_{ns} MATCH :match ORDER BY rank LIMIT :limit;

-- The sessions in which a word, or one that begins so, was said.
-- name: words_sessions
SELECT DISTINCT g.session AS key FROM words_{ns} w CROSS JOIN segments g ON g.key = w.rowid
WHERE words_{ns} MATCH :match AND g.ns = :ns AND g.state = 0;

-- name: words_counts
SELECT v.term, v.doc FROM json_each(:terms) k CROSS JOIN terms_{ns} v ON v.term = k.value;

-- The words that begin so, stemmed; of each start also the first that would come behind all of them.
-- Longer ones are none: of a text without a space the tokenizer takes 32 KB, and may cut a character in two.
-- name: words_begin
SELECT v.term FROM json_each(:starts) k CROSS JOIN terms_{ns} v
  ON v.term >= json_extract(k.value, '$[0]') AND v.term < json_extract(k.value, '$[1]')
WHERE length(v.term) <= 128;

-- name: cold_search
WITH found AS MATERIALIZED (
  SELECT rowid AS key, bm25(cold_{ns}) AS cost FROM cold_{ns} WHERE cold_{ns} MATCH :match
)
SELECT f.key, -f.cost AS score FROM found f CROSS JOIN segments g ON g.key = f.key
WHERE g.ns = :ns ORDER BY f.cost, g.tie, f.key LIMIT :limit;
