-- ---- namespaces as a whole ----

-- name: namespace_name
SELECT name FROM namespaces WHERE ns = :ns;

-- name: namespace_rename
UPDATE namespaces SET name = :name WHERE ns = :ns;

-- The text files carry the namespace's name, so a new name makes all of them due.
-- name: namespace_unarchive
UPDATE sessions SET archived = 0 WHERE ns = :ns AND archived = 1;

-- ---- deleting one: a statement a table, and a test that no table is missing ----

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
