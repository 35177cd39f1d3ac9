-- ---- notes ----

-- name: note_put
INSERT INTO notes (ns, key, source, session, tags, strength, quality, made_at, expires_at, linked)
VALUES (%(ns)s, %(key)s, %(source)s, %(session)s, %(tags)s, %(strength)s, %(quality)s, %(made_at)s, %(expires_at)s, %(linked)s)
ON CONFLICT (ns, key) DO NOTHING;

-- name: note_delete
DELETE FROM notes WHERE ns = %(ns)s AND key = %(key)s;

-- name: note_retag
UPDATE notes SET tags = %(tags)s WHERE ns = %(ns)s AND key = %(key)s;

-- name: note_linked
UPDATE notes SET linked = 1 WHERE ns = %(ns)s AND key = %(key)s;

-- name: notes_unlinked
SELECT n.key FROM notes n JOIN segments g ON g.ns = %(ns)s AND g.key = n.key
WHERE n.ns = %(ns)s AND n.linked = 0 AND g.state = 0 ORDER BY n.key LIMIT nullif(%(limit)s::bigint, -1);

-- name: notes_by_keys
SELECT n.key, n.source, n.session, n.tags, n.strength, n.quality, n.made_at, n.expires_at, n.linked, g.state,
  coalesce(u.hits, 0) AS hits, u.last_at,
  (SELECT count(*) FROM repeats r WHERE r.ns = %(ns)s AND r.key = n.key AND r.hidden = 0) AS repeats
FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN notes n ON n.ns = %(ns)s AND n.key = k.value
JOIN segments g ON g.ns = %(ns)s AND g.key = n.key LEFT JOIN uses u ON u.ns = %(ns)s AND u.key = n.key
ORDER BY n.made_at, g.tie;

-- name: note_keys
SELECT n.key FROM notes n JOIN segments g ON g.ns = %(ns)s AND g.key = n.key WHERE n.ns = %(ns)s AND g.state < %(below)s ORDER BY n.key;

-- Which of some segments are live notes or chunks of documents.
-- name: kinds_by_keys
SELECT g.key, g.kind, g.tie FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN segments g ON g.ns = %(ns)s AND g.key = k.value WHERE g.ns = %(ns)s AND g.state = 0
ORDER BY k.place;

-- name: notes_expired
SELECT n.key FROM notes n JOIN segments g ON g.ns = %(ns)s AND g.key = n.key
WHERE n.ns = %(ns)s AND n.expires_at IS NOT NULL AND n.expires_at <= %(now)s AND g.state = 0 ORDER BY n.key;

-- name: repeat_put
INSERT INTO repeats (ns, key, id, speaker, said_at, text, source, session, similarity)
VALUES (%(ns)s, %(key)s, %(id)s, %(speaker)s, %(said_at)s, %(text)s, %(source)s, %(session)s, %(similarity)s)
ON CONFLICT (ns, key, id) DO NOTHING;

-- name: repeats_of
SELECT r.key, r.id, r.speaker, r.said_at, r.text, r.source, r.session, r.similarity
FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN repeats r ON r.ns = %(ns)s AND r.key = k.value WHERE r.hidden = 0 ORDER BY r.key, r.said_at, r.id;

-- name: repeats_delete
DELETE FROM repeats WHERE ns = %(ns)s AND key = %(key)s;

-- name: use_add
INSERT INTO uses AS u (ns, key, hits, last_at) VALUES (%(ns)s, %(key)s, %(hits)s, %(at)s)
ON CONFLICT (ns, key) DO UPDATE SET hits = u.hits + excluded.hits, last_at = greatest(u.last_at, excluded.last_at);

-- name: uses_delete
DELETE FROM uses WHERE ns = %(ns)s AND key = %(key)s;

-- name: use_get
SELECT hits, last_at FROM uses WHERE ns = %(ns)s AND key = %(key)s;

-- What an import knows of a note;
-- name: note_known
UPDATE notes SET source = %(source)s, session = %(session)s, tags = %(tags)s, strength = %(strength)s, expires_at = %(expires_at)s, linked = 1
WHERE ns = %(ns)s AND key = %(key)s;
