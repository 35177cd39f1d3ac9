-- ---- a part of the graph as a picture ----

-- The live segments that name entities, the latest first.
-- name: keys_naming
SELECT g.key FROM (
  SELECT m.turn FROM unnest(%(entities)s::bigint[]) WITH ORDINALITY k(value, place) JOIN mentions m ON m.ns = %(ns)s AND m.entity = k.value
  ORDER BY m.turn DESC LIMIT 3 * %(limit)s
) m JOIN turns t ON t.ns = %(ns)s AND t.key = m.turn
JOIN segments g ON g.ns = %(ns)s AND g.session = t.session AND t.position BETWEEN g.first AND g.last
WHERE t.ns = %(ns)s AND t.hidden = 0 AND g.state = 0 GROUP BY g.ns, g.key ORDER BY g.said_at DESC, g.tie LIMIT nullif(%(limit)s::bigint, -1);
