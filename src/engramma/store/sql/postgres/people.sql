-- ---- entities ----

-- Entities with how often, and in how many conversations, they were named where it can be seen.
-- name: entities_by_keys
SELECT e.key, e.type, e.name, e.owner, o.name AS owner_name, count(t.key) AS mentions,
  count(DISTINCT s.conversation) AS conversations, min(t.said_at) AS first_at, max(t.said_at) AS last_at
FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place)
JOIN entities e ON e.ns = %(ns)s AND e.key = k.value
LEFT JOIN entities o ON o.ns = %(ns)s AND o.key = e.owner
JOIN mentions m ON m.ns = %(ns)s AND m.entity = e.key
JOIN turns t ON t.ns = %(ns)s AND t.key = m.turn AND t.hidden = 0
JOIN sessions s ON s.ns = %(ns)s AND s.key = t.session
WHERE t.ns = %(ns)s AND e.gone = 0 GROUP BY e.ns, e.key, o.name ORDER BY e.key;

-- name: mention_entities
SELECT m.entity FROM unnest(%(turns)s::bigint[]) WITH ORDINALITY k(value, place)
JOIN mentions m ON m.ns = %(ns)s AND m.turn = k.value GROUP BY m.entity ORDER BY min(k.place), m.entity;

-- How an entity was called where it can be seen, how often, and where first.
-- name: names_of_entities
SELECT m.entity, m.name, count(*) AS times, min(t.said_at) AS first_at,
  (array_agg(s.conversation ORDER BY t.said_at, t.key))[1] AS conversation, (array_agg(t.id ORDER BY t.said_at, t.key))[1] AS turn_id
FROM unnest(%(keys)s::bigint[]) k(value)
JOIN mentions m ON m.ns = %(ns)s AND m.entity = k.value
JOIN turns t ON t.ns = %(ns)s AND t.key = m.turn AND t.hidden = 0
JOIN sessions s ON s.ns = %(ns)s AND s.key = t.session
GROUP BY m.entity, m.name ORDER BY m.entity, times DESC, m.name;
