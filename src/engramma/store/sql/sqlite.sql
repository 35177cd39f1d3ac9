-- Every query Engramma runs on SQLite, by name. `:ns` is the namespace the caller is bound to;
-- only the queries of the first part, which concern the store as a whole, do without it. `{ns}` is the same number
-- where it is part of a table's name.
-- CROSS JOIN and INDEXED BY fix the order of a join: left to itself, SQLite walks a whole namespace.

-- name: meta_get
SELECT value FROM meta WHERE key = :key;

-- name: meta_put
INSERT INTO meta (key, value) VALUES (:key, :value)
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: meta_delete
DELETE FROM meta WHERE key = :key;

-- name: namespace_key
SELECT ns FROM namespaces WHERE name = :name;

-- name: namespace_add
INSERT INTO namespaces (name, created_at) VALUES (:name, :created_at) ON CONFLICT (name) DO NOTHING;

-- name: namespace_names
SELECT name FROM namespaces ORDER BY name;

-- name: store_integrity
PRAGMA integrity_check(20);

-- A reindex gives the whole store new vectors: these concern every namespace at once.
-- name: reindex_missing
SELECT s.ns, s.key FROM segments s LEFT JOIN reindexed r ON r.key = s.key WHERE r.key IS NULL ORDER BY s.key LIMIT :limit;

-- name: reindex_counts
SELECT (SELECT count(*) FROM segments), (SELECT count(*) FROM reindexed r JOIN segments s ON s.key = r.key);

-- name: reindex_put
INSERT OR REPLACE INTO reindexed (key, ns, code, vector) VALUES (:key, :owner, :code, :vector);

-- name: reindex_clear
DELETE FROM reindexed;

-- name: reindex_drop_embeddings
DELETE FROM embeddings;

-- name: reindex_take_embeddings
INSERT INTO embeddings (ns, key, code, vector)
SELECT s.ns, r.key, r.code, r.vector FROM reindexed r JOIN segments s ON s.key = r.key;

-- name: reindex_drop_near
DELETE FROM near;

-- name: reindex_drop_edges
DELETE FROM edges WHERE kind = 'semantic';

-- name: reindex_unlink
UPDATE sessions SET linked = 0;

-- Every index of every namespace has to load anew: a removal and an addition of each segment say so.
-- name: reindex_changes
INSERT INTO changes (ns, seq, key, op)
SELECT s.ns, (SELECT coalesce(max(seq), 0) FROM changes c WHERE c.ns = s.ns) + row_number() OVER (PARTITION BY s.ns ORDER BY s.key), s.key, 1
FROM segments s;

-- Where the model stays the same, other processes go on: their memory of the dropped near lists must go too.
-- name: reindex_relisted
INSERT INTO changes (ns, seq, key, op)
SELECT s.ns, (SELECT coalesce(max(seq), 0) FROM changes c WHERE c.ns = s.ns) + row_number() OVER (PARTITION BY s.ns ORDER BY s.key), s.key, 2
FROM segments s;

-- name: reindex_unlinked
SELECT n.name, count(*) AS sessions FROM sessions s JOIN namespaces n ON n.ns = s.ns
WHERE s.closed = 1 AND s.linked = 0 GROUP BY n.name ORDER BY n.name;

-- name: archive_forget
UPDATE sessions SET archived = 0;

-- ---- conversations and sessions ----

-- name: conversation_put
INSERT INTO conversations (ns, id, title, source) VALUES (:ns, :id, :title, :source)
ON CONFLICT (ns, id) DO UPDATE SET title = coalesce(excluded.title, title), source = coalesce(excluded.source, source);

-- name: conversation_get
SELECT id, title, source FROM conversations WHERE ns = :ns AND id = :id;

-- name: conversations
SELECT id, title, source FROM conversations WHERE ns = :ns ORDER BY id;

-- name: session_add
INSERT INTO sessions (ns, conversation, id, started_at, last_at, captured_at)
VALUES (:ns, :conversation, :id, :started_at, :started_at, :captured_at);

-- name: session_get
SELECT key, conversation, id, started_at, last_at, closed, linked, archived
FROM sessions WHERE ns = :ns AND conversation = :conversation AND id = :id;

-- name: sessions_named
SELECT key FROM sessions WHERE ns = :ns AND (id = :id OR conversation || '/' || id = :id)
  AND (:conversation IS NULL OR conversation = :conversation);

-- name: sessions_listed
SELECT s.key, s.conversation, s.id, s.started_at, s.last_at, s.closed, s.linked, s.archived,
  (SELECT count(*) FROM turns t WHERE t.ns = :ns AND t.session = s.key) AS turns,
  (SELECT count(*) FROM segments g WHERE g.ns = :ns AND g.session = s.key) AS segments
FROM sessions s WHERE s.ns = :ns AND (:conversation IS NULL OR s.conversation = :conversation)
ORDER BY s.started_at, s.conversation, s.id;

-- name: sessions_of_conversation
SELECT key, conversation, id, started_at, last_at, closed, linked, archived
FROM sessions WHERE ns = :ns AND conversation = :conversation ORDER BY started_at, id;

-- name: sessions_pending
SELECT key, conversation, id, started_at, last_at, closed, linked, archived
FROM sessions WHERE ns = :ns AND (closed = 0 OR linked = 0 OR archived = 0) ORDER BY started_at, conversation, id;

-- name: last_said
SELECT max(last_at) FROM sessions WHERE ns = :ns;

-- name: session_touch
UPDATE sessions SET last_at = max(last_at, :last_at), closed = :closed, linked = :linked, archived = 0
WHERE ns = :ns AND key = :key;

-- name: session_linked
UPDATE sessions SET closed = 1, linked = 1 WHERE ns = :ns AND key = :key;

-- name: session_archived
UPDATE sessions SET archived = 1 WHERE ns = :ns AND key = :key AND closed = 1
  AND (SELECT count(*) FROM turns WHERE ns = :ns AND session = :key) = :turns;

-- ---- turns ----

-- name: turn_add
INSERT INTO turns (ns, session, position, id, speaker, role, said_at, text)
VALUES (:ns, :session, :position, :id, :speaker, :role, :said_at, :text);

-- name: turns_of_session
SELECT position, id, speaker, role, said_at, text FROM turns WHERE ns = :ns AND session = :session ORDER BY position;

-- name: speakers_of_sessions
SELECT DISTINCT t.session, t.speaker FROM json_each(:sessions) k
CROSS JOIN turns t ON t.ns = :ns AND t.session = k.value;

-- name: turn_count
SELECT count(*) FROM turns WHERE ns = :ns AND session = :session;

-- ---- segments and their vectors ----

-- name: segment_add
INSERT INTO segments (ns, session, idx, kind, first, last, said_at, tie)
VALUES (:ns, :session, :idx, :kind, :first, :last, :said_at, :tie) RETURNING key;

-- name: segment_delete
DELETE FROM segments WHERE ns = :ns AND key = :key;

-- name: segments_of_session
SELECT key, idx, kind, first, last, said_at, tie FROM segments WHERE ns = :ns AND session = :session ORDER BY idx;

-- name: segment_key
SELECT g.key FROM sessions s CROSS JOIN segments g ON g.session = s.key
WHERE g.ns = :ns AND s.ns = :ns AND s.conversation = :conversation AND s.id = :session AND g.idx = :idx;

-- name: segments_by_keys
SELECT g.key, g.session, g.idx, g.kind, g.first, g.last, g.said_at, g.tie,
  s.conversation, s.id AS session_id, s.started_at, s.linked
FROM json_each(:keys) k CROSS JOIN segments g ON g.key = k.value CROSS JOIN sessions s ON s.key = g.session
WHERE g.ns = :ns;

-- name: turns_by_segments
SELECT g.key, t.id, t.speaker, t.text
FROM json_each(:keys) k CROSS JOIN segments g ON g.key = k.value
CROSS JOIN turns t ON t.ns = :ns AND t.session = g.session AND t.position BETWEEN g.first AND g.last
WHERE g.ns = :ns ORDER BY g.key, t.position;

-- name: keys_of_sessions
SELECT key FROM segments WHERE ns = :ns AND session IN (SELECT value FROM json_each(:sessions)) ORDER BY key;

-- Segments that are not in the graph yet: their session is open, or closes just now.
-- name: keys_unlinked
SELECT g.key FROM sessions s CROSS JOIN segments g ON g.ns = :ns AND g.session = s.key
LEFT JOIN near n ON n.ns = :ns AND n.key = g.key
WHERE s.ns = :ns AND s.linked = 0 AND (s.closed = 0 OR s.linked = 0 OR s.archived = 0) AND n.key IS NULL ORDER BY g.key;

-- name: keys_of_conversation
SELECT g.key FROM sessions s CROSS JOIN segments g ON g.ns = :ns AND g.session = s.key
WHERE s.ns = :ns AND s.conversation = :conversation ORDER BY g.key;

-- name: keys_all
SELECT g.key FROM sessions s CROSS JOIN segments g ON g.ns = :ns AND g.session = s.key
WHERE s.ns = :ns ORDER BY s.started_at, s.conversation, s.id, g.idx;

-- The segments with the smallest tie: a sample that depends on what is stored, not on when it came.
-- The segments up to :reach steps before and after some, in their sessions, with themselves.
-- name: segments_around
SELECT DISTINCT b.key, b.session, b.idx, b.tie, b.said_at, b.kind = 'exchange' AS is_exchange, s.conversation
FROM json_each(:keys) k CROSS JOIN segments a ON a.key = k.value
CROSS JOIN segments b ON b.ns = :ns AND b.session = a.session AND b.idx BETWEEN a.idx - :reach AND a.idx + :reach
CROSS JOIN sessions s ON s.key = b.session
WHERE a.ns = :ns;

-- name: segment_sample
SELECT key, session FROM segments WHERE ns = :ns ORDER BY tie, key LIMIT :limit;

-- name: embedding_add
INSERT INTO embeddings (ns, key, code, vector) VALUES (:ns, :key, :code, :vector);

-- name: embedding_delete
DELETE FROM embeddings WHERE ns = :ns AND key = :key;

-- name: embeddings_all
SELECT key, vector FROM embeddings WHERE ns = :ns ORDER BY key;

-- name: embeddings_by_keys
SELECT e.key, e.vector, e.code FROM json_each(:keys) k CROSS JOIN embeddings e ON e.ns = :ns AND e.key = k.value ORDER BY e.key;

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
SELECT v.term, v.doc FROM json_each(:terms) k CROSS JOIN terms_{ns} v ON v.term = k.value;

-- name: words_rows
SELECT count(*) FROM segments WHERE ns = :ns;

-- ---- the change sequence ----

-- name: change_add
INSERT INTO changes (ns, seq, key, op)
VALUES (:ns, (SELECT coalesce(max(seq), 0) + 1 FROM changes WHERE ns = :ns), :key, :op);

-- name: change_last
SELECT coalesce(max(seq), 0) FROM changes WHERE ns = :ns;

-- name: changes_since
SELECT seq, key, op FROM changes WHERE ns = :ns AND seq > :seq ORDER BY seq;

-- ---- the graph ----

-- name: edge_put
INSERT INTO edges (ns, src, kind, dst, weight) VALUES (:ns, :src, :kind, :dst, :weight)
ON CONFLICT (ns, src, kind, dst) DO UPDATE SET weight = excluded.weight;

-- name: edge_delete
DELETE FROM edges WHERE ns = :ns AND src = :src AND kind = :kind AND dst = :dst;

-- name: edges_drop_out
DELETE FROM edges WHERE ns = :ns AND src = :key;

-- name: edges_drop_in
DELETE FROM edges INDEXED BY edges_in WHERE ns = :ns AND dst = :key;

-- name: edges_of
SELECT src, kind, dst, weight FROM edges WHERE ns = :ns AND src = :key
UNION SELECT src, kind, dst, weight FROM edges WHERE ns = :ns AND dst = :key
ORDER BY kind, weight DESC, src, dst;

-- name: edges_all
SELECT src, kind, dst, weight FROM edges WHERE ns = :ns ORDER BY src, kind, dst;

-- The other ends of a segment's semantic edges, whichever way they point, strongest first.
-- name: neighbours_semantic
SELECT other, weight FROM (
  SELECT e.dst AS other, e.weight FROM edges e WHERE e.ns = :ns AND e.src = :key AND e.kind = 'semantic' AND e.weight >= :floor
  UNION ALL
  SELECT e.src AS other, e.weight FROM edges e INDEXED BY edges_in WHERE e.ns = :ns AND e.dst = :key AND e.kind = 'semantic' AND e.weight >= :floor
) n CROSS JOIN segments g ON g.key = n.other
WHERE g.ns = :ns ORDER BY n.weight DESC, g.tie, n.other LIMIT :limit;

-- name: neighbours_chain
SELECT e.dst AS other, e.weight FROM edges e WHERE e.ns = :ns AND e.src = :key AND e.kind = 'chain' ORDER BY e.dst;

-- name: near_get
SELECT n.key, n.reach, n.list FROM json_each(:keys) k CROSS JOIN near n ON n.ns = :ns AND n.key = k.value;

-- name: near_put
INSERT INTO near (ns, key, reach, list) VALUES (:ns, :key, :reach, :list)
ON CONFLICT (ns, key) DO UPDATE SET reach = excluded.reach, list = excluded.list;

-- name: near_delete
DELETE FROM near WHERE ns = :ns AND key = :key;

-- name: near_reaches
SELECT key, reach FROM near WHERE ns = :ns ORDER BY key;

-- ---- counts and checks ----

-- name: counts
SELECT
  (SELECT count(*) FROM conversations WHERE ns = :ns) AS conversations,
  (SELECT count(*) FROM sessions WHERE ns = :ns) AS sessions,
  (SELECT count(*) FROM sessions WHERE ns = :ns AND closed = 0) AS open_sessions,
  (SELECT count(*) FROM turns WHERE ns = :ns) AS turns,
  (SELECT count(*) FROM segments WHERE ns = :ns) AS segments,
  (SELECT count(*) FROM embeddings WHERE ns = :ns) AS vectors;

-- name: counts_edges
SELECT kind, count(*) AS edges FROM edges WHERE ns = :ns GROUP BY kind ORDER BY kind;

-- name: time_span
SELECT min(started_at), max(last_at) FROM sessions WHERE ns = :ns;

-- name: speakers
SELECT speaker, count(*) AS turns FROM turns WHERE ns = :ns GROUP BY speaker ORDER BY turns DESC, speaker LIMIT :limit;

-- name: check_turns_without_session
SELECT count(*) FROM turns t LEFT JOIN sessions s ON s.key = t.session AND s.ns = t.ns WHERE t.ns = :ns AND s.key IS NULL;

-- name: check_segments_without_session
SELECT count(*) FROM segments g LEFT JOIN sessions s ON s.key = g.session AND s.ns = g.ns WHERE g.ns = :ns AND s.key IS NULL;

-- name: check_segments_without_vector
SELECT count(*) FROM segments g LEFT JOIN embeddings e ON e.ns = g.ns AND e.key = g.key WHERE g.ns = :ns AND e.key IS NULL;

-- name: check_vectors_without_segment
SELECT count(*) FROM embeddings e LEFT JOIN segments g ON g.key = e.key AND g.ns = e.ns WHERE e.ns = :ns AND g.key IS NULL;

-- name: check_segments_without_words
SELECT count(*) FROM segments g LEFT JOIN words_{ns}_docsize d ON d.id = g.key WHERE g.ns = :ns AND d.id IS NULL;

-- name: check_words_without_segment
SELECT count(*) FROM words_{ns}_docsize d LEFT JOIN segments g ON g.key = d.id AND g.ns = :ns WHERE g.key IS NULL;

-- name: check_vector_sizes
SELECT count(*) FROM embeddings WHERE ns = :ns AND (length(vector) <> :vector_bytes OR length(code) <> :code_bytes);

-- name: check_edges_without_segment
SELECT count(*) FROM edges e
LEFT JOIN segments a ON a.key = e.src AND a.ns = e.ns LEFT JOIN segments b ON b.key = e.dst AND b.ns = e.ns
WHERE e.ns = :ns AND (a.key IS NULL OR b.key IS NULL);

-- Chain edges that are not between neighbours, or have no way back.
-- name: check_chain_wrong
SELECT count(*) FROM edges e JOIN segments a ON a.key = e.src JOIN segments b ON b.key = e.dst
WHERE e.ns = :ns AND e.kind = 'chain' AND (a.session <> b.session OR abs(a.idx - b.idx) <> 1
  OR NOT EXISTS (SELECT 1 FROM edges r WHERE r.ns = :ns AND r.src = e.dst AND r.kind = 'chain' AND r.dst = e.src));

-- Neighbours in a linked session that no chain edge joins.
-- name: check_chain_missing
SELECT count(*) FROM segments a JOIN segments b ON b.ns = a.ns AND b.session = a.session AND b.idx = a.idx + 1
JOIN sessions s ON s.key = a.session
WHERE a.ns = :ns AND s.linked = 1
  AND NOT EXISTS (SELECT 1 FROM edges e WHERE e.ns = :ns AND e.src = a.key AND e.kind = 'chain' AND e.dst = b.key);

-- Semantic edges within a session or towards a younger one.
-- name: check_semantic_direction
SELECT count(*) FROM edges e
JOIN segments a ON a.key = e.src JOIN sessions x ON x.key = a.session
JOIN segments b ON b.key = e.dst JOIN sessions y ON y.key = b.session
WHERE e.ns = :ns AND e.kind = 'semantic'
  AND (x.started_at, x.conversation, x.id) <= (y.started_at, y.conversation, y.id);

-- name: check_semantic_degree
SELECT count(*) FROM (
  SELECT node FROM (
    SELECT src AS node FROM edges WHERE ns = :ns AND kind = 'semantic'
    UNION ALL SELECT dst FROM edges WHERE ns = :ns AND kind = 'semantic'
  ) GROUP BY node HAVING count(*) > :cap
);

-- name: check_near_lists
SELECT key, reach, list FROM near WHERE ns = :ns ORDER BY key;

-- name: check_semantic_edges
SELECT src, dst, weight FROM edges WHERE ns = :ns AND kind = 'semantic' ORDER BY src, dst;
