-- ---- words: full text search, a table a namespace ----

-- detail=full (the default): without positions a contentless table knows no phrases, and its bm25 is always 0.
-- categories: marks belong to words, or Indic vowel signs would cut every word to letters.
-- stems.sql has the same tokenizer.
-- name: words_create
CREATE VIRTUAL TABLE IF NOT EXISTS words_{ns} USING fts5(
  body, content='', tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);

-- name: words_create_terms
CREATE VIRTUAL TABLE IF NOT EXISTS terms_{ns} USING fts5vocab(words_{ns}, 'row');

-- name: words_add
INSERT INTO words_{ns} (rowid, body) VALUES (:key, :body);

-- Without its text, a contentless row is taken out by being told the words it came with.
-- name: words_remove
INSERT INTO words_{ns} (words_{ns}, rowid, body) VALUES ('delete', :key, :body);

-- name: words_remove_all
INSERT INTO words_{ns} (words_{ns}) VALUES ('delete-all');

-- name: words_optimize
INSERT INTO words_{ns} (words_{ns}) VALUES ('optimize');

-- name: words_integrity
INSERT INTO words_{ns} (words_{ns}) VALUES ('integrity-check');

-- name: words_has
SELECT id FROM words_{ns}_docsize WHERE id = :key;

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

-- name: words_counts
SELECT v.term, min(v.doc, coalesce(:most, v.doc)) AS doc FROM json_each(:terms) k CROSS JOIN terms_{ns} v ON v.term = k.value;

-- ---- the same for what is archived or retired ----

-- name: cold_create
CREATE VIRTUAL TABLE IF NOT EXISTS cold_{ns} USING fts5(
  body, content='', tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);

-- name: cold_add
INSERT INTO cold_{ns} (rowid, body) VALUES (:key, :body);

-- name: cold_remove
INSERT INTO cold_{ns} (cold_{ns}, rowid, body) VALUES ('delete', :key, :body);

-- name: cold_remove_all
INSERT INTO cold_{ns} (cold_{ns}) VALUES ('delete-all');

-- name: cold_optimize
INSERT INTO cold_{ns} (cold_{ns}) VALUES ('optimize');

-- name: cold_integrity
INSERT INTO cold_{ns} (cold_{ns}) VALUES ('integrity-check');

-- name: cold_has
SELECT id FROM cold_{ns}_docsize WHERE id = :key;

-- name: cold_search
WITH found AS MATERIALIZED (
  SELECT rowid AS key, bm25(cold_{ns}) AS cost FROM cold_{ns} WHERE cold_{ns} MATCH :match
)
SELECT f.key, -f.cost AS score FROM found f CROSS JOIN segments g ON g.key = f.key
WHERE g.ns = :ns ORDER BY f.cost, g.tie, f.key LIMIT :limit;
