-- ---- words: full text search, a table a namespace ----

-- name: words_rows
SELECT count(*) FROM segments WHERE ns = :ns;
