-- ---- entities ----

-- Entities with how often, and in how many conversations, they were named where it can be seen.
-- name: entities_by_keys
SELECT e.key, e.type, e.name, e.owner, o.name AS owner_name, count(t.key) AS mentions,
  count(DISTINCT s.conversation) AS conversations, min(t.said_at) AS first_at, max(t.said_at) AS last_at
FROM json_each(:keys) k
CROSS JOIN entities e ON e.ns = :ns AND e.key = k.value
LEFT JOIN entities o ON o.ns = :ns AND o.key = e.owner
CROSS JOIN mentions m ON m.ns = :ns AND m.entity = e.key
CROSS JOIN turns t ON t.key = m.turn AND t.hidden = 0
CROSS JOIN sessions s ON s.key = t.session
WHERE t.ns = :ns AND e.gone = 0 GROUP BY e.key;

-- name: mention_entities
SELECT DISTINCT m.entity FROM json_each(:turns) k
CROSS JOIN mentions m INDEXED BY mentions_of_turn ON m.ns = :ns AND m.turn = k.value;

-- How an entity was called where it can be seen, how often, and where first.
-- name: names_of_entities
SELECT m.entity, m.name, count(*) AS times, min(t.said_at) AS first_at, s.conversation, t.id AS turn_id
FROM json_each(:keys) k
CROSS JOIN mentions m ON m.ns = :ns AND m.entity = k.value
CROSS JOIN turns t ON t.key = m.turn AND t.hidden = 0
CROSS JOIN sessions s ON s.key = t.session
WHERE t.ns = :ns GROUP BY m.entity, m.name ORDER BY m.entity, times DESC, m.name;
