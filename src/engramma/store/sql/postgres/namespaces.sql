-- ---- namespaces as a whole ----

-- name: namespaces_listed
SELECT n.name, n.created_at,
  (SELECT count(*) FROM segments g WHERE g.ns = n.ns)
    - (SELECT count(*) FROM segments g WHERE g.ns = n.ns AND g.state > 0 AND g.state >= 4) AS segments,
  (SELECT count(*) FROM segments g WHERE g.ns = n.ns AND g.kind IN ('note', 'chunk') AND g.kind = 'note' AND g.state < 4) AS notes,
  (SELECT coalesce(sum(octet_length(t.text)), 0)::bigint FROM turns t WHERE t.ns = n.ns AND t.hidden = 0) AS text_bytes
FROM namespaces n WHERE %(name)s::text IS NULL OR n.name = %(name)s ORDER BY n.name;

-- ---- deleting one: a statement a table, and a test that no table is missing ----

-- name: namespace_drop_words
WITH counted AS (DELETE FROM word_counts WHERE ns = %(ns)s) -- also counts that were wrong
DELETE FROM words WHERE ns = %(ns)s;

-- name: namespace_drop_terms
DELETE FROM word_totals WHERE ns = %(ns)s;

-- name: namespace_drop_cold
DELETE FROM words WHERE ns = %(ns)s AND cold = 1;

-- What the store notes about a namespace ends in its number.
-- name: namespace_drop_meta
DELETE FROM meta WHERE ns = 0 AND key ~ ('[a-z]_' || %(ns)s::text || '$');
