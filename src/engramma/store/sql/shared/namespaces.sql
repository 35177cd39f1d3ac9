-- ---- namespaces as a whole ----

-- name: namespace_name
SELECT name FROM namespaces WHERE ns = :ns;

-- name: namespace_rename
UPDATE namespaces SET name = :name WHERE ns = :ns;

-- The text files carry the namespace's name, so a new name makes all of them due.
-- name: namespace_unarchive
UPDATE sessions SET archived = 0 WHERE ns = :ns AND archived = 1;

-- ---- deleting one: a statement a table, and a test that no table is missing ----

-- name: namespace_drop_{}
-- of: captured entity_words entity_turns llm_blocks llm_pieces llm_usage acts changes conversations edges embeddings
-- of: hidings links near notes reindexed repeats segments sessions tombstones topic_members topics turns uses
-- of: namespaces redactions claims mentions names forms entities loose decisions decision_turns extracted unsettled
-- of: conflicts reviewed tallies grants audit
DELETE FROM {} WHERE ns = :ns;
