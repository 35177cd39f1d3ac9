-- ---- namespaces as a whole ----

-- name: namespace_name
SELECT name FROM namespaces WHERE ns = :ns;

-- name: namespaces_listed
SELECT n.name, n.created_at,
  (SELECT count(*) FROM segments g WHERE g.ns = n.ns)
    - (SELECT count(*) FROM segments g INDEXED BY segments_apart WHERE g.ns = n.ns AND g.state > 0 AND g.state >= 4) AS segments,
  (SELECT count(*) FROM segments g INDEXED BY segments_by_kind WHERE g.ns = n.ns AND g.kind IN ('note', 'chunk') AND g.kind = 'note' AND g.state < 4) AS notes,
  (SELECT coalesce(sum(length(CAST(t.text AS BLOB))), 0) FROM turns t WHERE t.ns = n.ns AND t.hidden = 0) AS text_bytes
FROM namespaces n WHERE :name IS NULL OR n.name = :name ORDER BY n.name;

-- name: namespace_rename
UPDATE namespaces SET name = :name WHERE ns = :ns;

-- The text files carry the namespace's name, so a new name makes all of them due.
-- name: namespace_unarchive
UPDATE sessions SET archived = 0 WHERE ns = :ns AND archived = 1;

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

-- name: namespace_drop_acts
DELETE FROM acts WHERE ns = :ns;

-- name: namespace_drop_changes
DELETE FROM changes WHERE ns = :ns;

-- name: namespace_drop_conversations
DELETE FROM conversations WHERE ns = :ns;

-- name: namespace_drop_edges
DELETE FROM edges WHERE ns = :ns;

-- name: namespace_drop_embeddings
DELETE FROM embeddings WHERE ns = :ns;

-- name: namespace_drop_hidings
DELETE FROM hidings WHERE ns = :ns;

-- name: namespace_drop_links
DELETE FROM links WHERE ns = :ns;

-- name: namespace_drop_near
DELETE FROM near WHERE ns = :ns;

-- name: namespace_drop_notes
DELETE FROM notes WHERE ns = :ns;

-- name: namespace_drop_reindexed
DELETE FROM reindexed WHERE ns = :ns;

-- name: namespace_drop_repeats
DELETE FROM repeats WHERE ns = :ns;

-- name: namespace_drop_segments
DELETE FROM segments WHERE ns = :ns;

-- name: namespace_drop_sessions
DELETE FROM sessions WHERE ns = :ns;

-- name: namespace_drop_tombstones
DELETE FROM tombstones WHERE ns = :ns;

-- name: namespace_drop_topic_members
DELETE FROM topic_members WHERE ns = :ns;

-- name: namespace_drop_topics
DELETE FROM topics WHERE ns = :ns;

-- name: namespace_drop_turns
DELETE FROM turns WHERE ns = :ns;

-- name: namespace_drop_uses
DELETE FROM uses WHERE ns = :ns;

-- name: namespace_drop_namespaces
DELETE FROM namespaces WHERE ns = :ns;


-- name: namespace_drop_redactions
DELETE FROM redactions WHERE ns = :ns;
