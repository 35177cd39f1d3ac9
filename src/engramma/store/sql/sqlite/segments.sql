-- ---- segments and their vectors ----

-- The segments up to :reach steps before and after some, in their sessions, with themselves.
-- name: segments_around
SELECT DISTINCT b.key, b.session, b.idx, b.tie, b.said_at, b.kind = 'exchange' AS is_exchange, s.conversation
FROM json_each(:keys) k CROSS JOIN segments a ON a.key = k.value
CROSS JOIN segments b ON b.ns = :ns AND b.session = a.session AND b.idx BETWEEN a.idx - :reach AND a.idx + :reach
CROSS JOIN sessions s ON s.key = b.session
WHERE a.ns = :ns;

-- code is empty: it was a copy of the vector's signs, which every index makes itself, and stands in older rows.
-- name: embedding_add
INSERT INTO embeddings (ns, key, code, vector) VALUES (:ns, :key, x'', :vector);
