-- ---- a part of the graph as a picture ----

-- Live segments beside some others, either way, the strongest edge first.
-- name: keys_around
SELECT g.key, max(e.weight) AS weight FROM (
  SELECT e.dst AS other, e.weight FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN edges e ON e.ns = %(ns)s AND e.src = k.value WHERE e.kind <> 'supersedes'
  UNION ALL
  SELECT e.src, e.weight FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN edges e ON e.ns = %(ns)s AND e.dst = k.value
  WHERE e.kind NOT IN ('supersedes', 'chain')
) e JOIN segments g ON g.ns = %(ns)s AND g.key = e.other WHERE g.ns = %(ns)s AND g.state = 0
GROUP BY g.ns, g.key ORDER BY weight DESC, g.tie LIMIT nullif(%(limit)s::bigint, -1);

-- An entity and those that are, by the user's word, one with it.
-- name: entity_and_merged
SELECT key FROM entities WHERE ns = %(ns)s AND key = %(key)s AND gone = 0
UNION ALL SELECT key FROM entities WHERE ns = %(ns)s AND merged = %(key)s AND merged > 0 AND gone = 0;

-- The live segments that name entities, the latest first.
-- name: keys_naming
SELECT g.key FROM (
  SELECT m.turn FROM unnest(%(entities)s::bigint[]) WITH ORDINALITY k(value, place) JOIN mentions m ON m.ns = %(ns)s AND m.entity = k.value
  ORDER BY m.turn DESC LIMIT 3 * %(limit)s
) m JOIN turns t ON t.ns = %(ns)s AND t.key = m.turn
JOIN segments g ON g.ns = %(ns)s AND g.session = t.session AND t.position BETWEEN g.first AND g.last
WHERE t.ns = %(ns)s AND t.hidden = 0 AND g.state = 0 GROUP BY g.ns, g.key ORDER BY g.said_at DESC, g.tie LIMIT nullif(%(limit)s::bigint, -1);

-- Entities that claims join with some others: by which relation, in which direction, how often it was said.
-- name: entity_ties
SELECT o.key, o.name, o.type, c.relation, c.away, count(*) AS claims FROM (
  SELECT c.object AS other, c.relation, c.turn, 1 AS away FROM unnest(%(entities)s::bigint[]) WITH ORDINALITY k(value, place)
  JOIN claims c ON c.ns = %(ns)s AND c.subject = k.value WHERE c.object > 0 AND c.negated = 0
  UNION ALL
  SELECT c.subject, c.relation, c.turn, 0 FROM unnest(%(entities)s::bigint[]) WITH ORDINALITY k(value, place)
  JOIN claims c ON c.ns = %(ns)s AND c.object = k.value AND c.object > 0
  WHERE c.subject > 0 AND c.negated = 0
) c JOIN turns t ON t.ns = %(ns)s AND t.key = c.turn JOIN entities e ON e.ns = %(ns)s AND e.key = c.other
JOIN entities o ON o.ns = %(ns)s AND o.key = CASE WHEN e.merged > 0 THEN e.merged ELSE e.key END
WHERE t.ns = %(ns)s AND t.hidden = 0 AND o.gone = 0 AND o.key <> ALL(%(entities)s::bigint[])
GROUP BY o.ns, o.key, c.relation, c.away ORDER BY claims DESC, o.name, o.key LIMIT nullif(%(limit)s::bigint, -1);
