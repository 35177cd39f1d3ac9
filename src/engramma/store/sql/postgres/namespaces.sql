-- ---- namespaces as a whole ----

-- name: namespace_name
SELECT name FROM namespaces WHERE ns = %(ns)s;

-- name: namespaces_listed
SELECT n.name, n.created_at,
  (SELECT count(*) FROM segments g WHERE g.ns = n.ns)
    - (SELECT count(*) FROM segments g WHERE g.ns = n.ns AND g.state > 0 AND g.state >= 4) AS segments,
  (SELECT count(*) FROM segments g WHERE g.ns = n.ns AND g.kind IN ('note', 'chunk') AND g.kind = 'note' AND g.state < 4) AS notes,
  (SELECT coalesce(sum(octet_length(t.text)), 0)::bigint FROM turns t WHERE t.ns = n.ns AND t.hidden = 0) AS text_bytes
FROM namespaces n WHERE %(name)s::text IS NULL OR n.name = %(name)s ORDER BY n.name;

-- name: namespace_rename
UPDATE namespaces SET name = %(name)s WHERE ns = %(ns)s;

-- The text files carry the namespace's name, so a new name makes all of them due.
-- name: namespace_unarchive
UPDATE sessions SET archived = 0 WHERE ns = %(ns)s AND archived = 1;

-- ---- deleting one: a statement a table, and a test that no table is missing ----

-- name: namespace_drop_words
DELETE FROM words WHERE ns = %(ns)s;

-- name: namespace_drop_terms
DELETE FROM word_totals WHERE ns = %(ns)s;

-- name: namespace_drop_cold
DELETE FROM words WHERE ns = %(ns)s AND cold = 1;

-- What the store notes about a namespace ends in its number.
-- name: namespace_drop_meta
DELETE FROM meta WHERE ns = 0 AND key ~ ('[a-z]_' || %(ns)s::text || '$');

-- name: namespace_drop_acts
DELETE FROM acts WHERE ns = %(ns)s;

-- name: namespace_drop_changes
DELETE FROM changes WHERE ns = %(ns)s;

-- name: namespace_drop_conversations
DELETE FROM conversations WHERE ns = %(ns)s;

-- name: namespace_drop_edges
DELETE FROM edges WHERE ns = %(ns)s;

-- name: namespace_drop_embeddings
DELETE FROM embeddings WHERE ns = %(ns)s;

-- name: namespace_drop_hidings
DELETE FROM hidings WHERE ns = %(ns)s;

-- name: namespace_drop_links
DELETE FROM links WHERE ns = %(ns)s;

-- name: namespace_drop_near
DELETE FROM near WHERE ns = %(ns)s;

-- name: namespace_drop_notes
DELETE FROM notes WHERE ns = %(ns)s;

-- name: namespace_drop_reindexed
DELETE FROM reindexed WHERE ns = %(ns)s;

-- name: namespace_drop_repeats
DELETE FROM repeats WHERE ns = %(ns)s;

-- name: namespace_drop_segments
DELETE FROM segments WHERE ns = %(ns)s;

-- name: namespace_drop_sessions
DELETE FROM sessions WHERE ns = %(ns)s;

-- name: namespace_drop_tombstones
DELETE FROM tombstones WHERE ns = %(ns)s;

-- name: namespace_drop_topic_members
DELETE FROM topic_members WHERE ns = %(ns)s;

-- name: namespace_drop_topics
DELETE FROM topics WHERE ns = %(ns)s;

-- name: namespace_drop_turns
DELETE FROM turns WHERE ns = %(ns)s;

-- name: namespace_drop_uses
DELETE FROM uses WHERE ns = %(ns)s;

-- name: namespace_drop_namespaces
DELETE FROM namespaces WHERE ns = %(ns)s;


-- name: namespace_drop_redactions
DELETE FROM redactions WHERE ns = %(ns)s;
