-- What an index behind another engine reads: the vectors of what is live. The engine only proposes keys.

-- name: backed_by_keys
SELECT e.key, e.vector FROM json_each(:keys) k
CROSS JOIN segments s ON s.key = k.value AND s.ns = :ns AND s.state = 0
CROSS JOIN embeddings e ON e.ns = :ns AND e.key = s.key ORDER BY e.key;

-- name: backed_keys
SELECT s.key FROM json_each(:keys) k CROSS JOIN segments s ON s.key = k.value AND s.ns = :ns AND s.state = 0 ORDER BY s.key;

-- name: backed_after
SELECT e.key, e.vector FROM embeddings e CROSS JOIN segments s ON s.key = e.key AND s.ns = :ns AND s.state = 0
WHERE e.ns = :ns AND e.key > :after ORDER BY e.key LIMIT :limit;

-- name: backed_count
SELECT (SELECT count(*) FROM segments WHERE ns = :ns)
  - (SELECT count(*) FROM segments INDEXED BY segments_apart WHERE ns = :ns AND state > 0);

-- name: backed_count_after
SELECT count(*) FROM segments WHERE ns = :ns AND key > :after AND state = 0;
