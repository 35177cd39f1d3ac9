-- What an index behind another engine reads: the vectors of what is live. The engine only proposes keys.

-- name: backed_by_keys
SELECT e.key, e.vector FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place)
JOIN segments s ON s.key = k.value AND s.ns = %(ns)s AND s.state = 0
JOIN embeddings e ON e.ns = %(ns)s AND e.key = s.key ORDER BY e.key;

-- name: backed_keys
SELECT s.key FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN segments s ON s.key = k.value AND s.ns = %(ns)s AND s.state = 0 ORDER BY s.key;

-- name: backed_after
SELECT e.key, e.vector FROM embeddings e JOIN segments s ON s.key = e.key AND s.ns = %(ns)s AND s.state = 0
WHERE e.ns = %(ns)s AND e.key > %(after)s ORDER BY e.key LIMIT nullif(%(limit)s::bigint, -1);

-- name: backed_count
SELECT (SELECT count(*) FROM segments WHERE ns = %(ns)s)
  - (SELECT count(*) FROM segments WHERE ns = %(ns)s AND state > 0);

-- name: backed_count_after
SELECT count(*) FROM segments WHERE ns = %(ns)s AND key > %(after)s AND state = 0;
