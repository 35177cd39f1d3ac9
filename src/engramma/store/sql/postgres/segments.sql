-- ---- segments and their vectors ----

-- The segments up to :reach steps before and after some, in their sessions, with themselves.
-- name: segments_around
SELECT DISTINCT b.key, b.session, b.idx, b.tie, b.said_at, b.kind = 'exchange' AS is_exchange, s.conversation
FROM unnest(%(keys)s::bigint[]) k(value) JOIN segments a ON a.ns = %(ns)s AND a.key = k.value
JOIN segments b ON b.ns = %(ns)s AND b.session = a.session AND b.idx BETWEEN a.idx - %(reach)s AND a.idx + %(reach)s
JOIN sessions s ON s.ns = %(ns)s AND s.key = b.session ORDER BY b.key;

-- name: embedding_add
INSERT INTO embeddings (ns, key, code, vector, embedding) VALUES (%(ns)s, %(key)s, '', %(vector)s, %(vector)s::vector);
