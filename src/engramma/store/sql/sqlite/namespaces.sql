-- ---- namespaces as a whole ----

-- name: namespaces_listed
SELECT n.name, n.created_at,
  (SELECT count(*) FROM segments g WHERE g.ns = n.ns)
    - (SELECT count(*) FROM segments g INDEXED BY segments_apart WHERE g.ns = n.ns AND g.state > 0 AND g.state >= 4) AS segments,
  (SELECT count(*) FROM segments g INDEXED BY segments_by_kind WHERE g.ns = n.ns AND g.kind IN ('note', 'chunk') AND g.kind = 'note' AND g.state < 4) AS notes,
  (SELECT coalesce(sum(length(CAST(t.text AS BLOB))), 0) FROM turns t WHERE t.ns = n.ns AND t.hidden = 0) AS text_bytes
FROM namespaces n WHERE :name IS NULL OR n.name = :name ORDER BY n.name;

-- ---- deleting one: a statement a table, and a test that no table is missing ----

-- name: namespace_drop_words
DROP TABLE IF EXISTS words_{ns};

-- name: namespace_drop_terms
DROP TABLE IF EXISTS terms_{ns};

-- name: namespace_drop_cold
DROP TABLE IF EXISTS cold_{ns};

-- What the store notes about a namespace ends in its number.
-- name: namespace_drop_meta
DELETE FROM meta WHERE key GLOB '*[a-z]_' || :ns;
