-- ---- a part of the graph as a picture ----

-- The live segments that name entities, the latest first.
-- name: keys_naming
SELECT DISTINCT g.key FROM (
  SELECT m.turn FROM json_each(:entities) k CROSS JOIN mentions m ON m.ns = :ns AND m.entity = k.value
  ORDER BY m.turn DESC LIMIT 3 * :limit
) m CROSS JOIN turns t ON t.key = m.turn
CROSS JOIN segments g ON g.ns = :ns AND g.session = t.session AND t.position BETWEEN g.first AND g.last
WHERE t.ns = :ns AND t.hidden = 0 AND g.state = 0 ORDER BY g.said_at DESC, g.tie LIMIT :limit;
