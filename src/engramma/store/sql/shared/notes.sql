-- ---- notes ----

-- name: note_put
INSERT INTO notes (ns, key, source, session, tags, strength, quality, made_at, expires_at, linked)
VALUES (:ns, :key, :source, :session, :tags, :strength, :quality, :made_at, :expires_at, :linked)
ON CONFLICT (ns, key) DO NOTHING;

-- name: note_delete
DELETE FROM notes WHERE ns = :ns AND key = :key;

-- name: note_retag
UPDATE notes SET tags = :tags WHERE ns = :ns AND key = :key;

-- name: note_linked
UPDATE notes SET linked = 1 WHERE ns = :ns AND key = :key;

-- name: notes_unlinked
SELECT n.key FROM notes n INDEXED BY notes_unlinked CROSS JOIN segments g ON g.ns = :ns AND g.key = n.key
WHERE n.ns = :ns AND n.linked = 0 AND g.state = 0 ORDER BY n.key LIMIT :limit;

-- name: notes_by_keys
SELECT n.key, n.source, n.session, n.tags, n.strength, n.quality, n.made_at, n.expires_at, n.linked, g.state,
  coalesce(u.hits, 0) AS hits, u.last_at,
  (SELECT count(*) FROM repeats r WHERE r.ns = :ns AND r.key = n.key AND r.hidden = 0) AS repeats,
  (SELECT t.meta FROM turns t WHERE t.ns = :ns AND t.session = g.session AND t.position = g.first) AS meta
FROM json_each(:keys) k CROSS JOIN notes n ON n.ns = :ns AND n.key = k.value
CROSS JOIN segments g ON g.ns = :ns AND g.key = n.key LEFT JOIN uses u ON u.ns = :ns AND u.key = n.key
ORDER BY n.made_at, g.tie;

-- name: note_keys
SELECT n.key FROM notes n CROSS JOIN segments g ON g.ns = :ns AND g.key = n.key WHERE n.ns = :ns AND g.state < :below ORDER BY n.key;

-- Which of some segments are live notes or chunks of documents.
-- name: kinds_by_keys
SELECT g.key, g.kind, g.tie FROM json_each(:keys) k CROSS JOIN segments g ON g.key = k.value WHERE g.ns = :ns AND g.state = 0;

-- name: notes_expired
SELECT n.key FROM notes n INDEXED BY notes_expiring CROSS JOIN segments g ON g.ns = :ns AND g.key = n.key
WHERE n.ns = :ns AND n.expires_at IS NOT NULL AND n.expires_at <= :now AND g.state = 0 ORDER BY n.key;

-- name: repeat_put
INSERT INTO repeats (ns, key, id, speaker, said_at, text, source, session, similarity)
VALUES (:ns, :key, :id, :speaker, :said_at, :text, :source, :session, :similarity)
ON CONFLICT (ns, key, id) DO NOTHING;

-- name: repeats_of
SELECT r.key, r.id, r.speaker, r.said_at, r.text, r.source, r.session, r.similarity
FROM json_each(:keys) k CROSS JOIN repeats r ON r.ns = :ns AND r.key = k.value WHERE r.hidden = 0 ORDER BY r.key, r.said_at, r.id;

-- name: repeats_delete
DELETE FROM repeats WHERE ns = :ns AND key = :key;

-- name: use_add
INSERT INTO uses AS u (ns, key, hits, last_at) VALUES (:ns, :key, :hits, :at)
ON CONFLICT (ns, key) DO UPDATE SET hits = u.hits + excluded.hits, last_at = max(u.last_at, excluded.last_at);

-- name: uses_delete
DELETE FROM uses WHERE ns = :ns AND key = :key;

-- name: use_get
SELECT hits, last_at FROM uses WHERE ns = :ns AND key = :key;

-- What an import knows of a note; its automatic links come with it.
-- name: note_last
SELECT coalesce(max(key), 0) AS key FROM notes WHERE ns = :ns;

-- name: note_known
UPDATE notes SET source = :source, session = :session, tags = :tags, strength = :strength, expires_at = :expires_at, linked = 1
WHERE ns = :ns AND key = :key;
