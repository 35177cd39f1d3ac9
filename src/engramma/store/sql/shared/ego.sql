-- ---- a part of the graph as a picture ----

-- Live segments beside some others, either way, the strongest edge first.
-- name: keys_around
SELECT g.key, max(e.weight) AS weight FROM (
  SELECT e.dst AS other, e.weight FROM json_each(:keys) k CROSS JOIN edges e ON e.ns = :ns AND e.src = k.value WHERE e.kind <> 'supersedes'
  UNION ALL
  SELECT e.src, e.weight FROM json_each(:keys) k CROSS JOIN edges e INDEXED BY edges_in ON e.ns = :ns AND e.dst = k.value
  WHERE e.kind NOT IN ('supersedes', 'chain')
) e CROSS JOIN segments g ON g.key = e.other WHERE g.ns = :ns AND g.state = 0
GROUP BY g.ns, g.key ORDER BY weight DESC, g.tie LIMIT :limit;

-- An entity and those that are, by the user's word, one with it.
-- name: entity_and_merged
SELECT key FROM entities WHERE ns = :ns AND key = :key AND gone = 0
UNION ALL SELECT key FROM entities INDEXED BY entities_merged WHERE ns = :ns AND merged = :key AND likely(merged > 0) AND gone = 0;

-- Entities that claims join with some others: by which relation, in which direction, how often it was said.
-- name: entity_ties
SELECT o.key, o.name, o.type, c.relation, c.away, count(*) AS claims FROM (
  SELECT c.object AS other, c.relation, c.turn, 1 AS away FROM json_each(:entities) k
  CROSS JOIN claims c INDEXED BY claims_of_subject ON c.ns = :ns AND c.subject = k.value WHERE c.object > 0 AND c.negated = 0
  UNION ALL
  SELECT c.subject, c.relation, c.turn, 0 FROM json_each(:entities) k
  CROSS JOIN claims c INDEXED BY claims_of_object ON c.ns = :ns AND c.object = k.value AND likely(c.object > 0)
  WHERE c.subject > 0 AND c.negated = 0
) c CROSS JOIN turns t ON t.key = c.turn CROSS JOIN entities e ON e.ns = :ns AND e.key = c.other
CROSS JOIN entities o ON o.ns = :ns AND o.key = CASE WHEN e.merged > 0 THEN e.merged ELSE e.key END
WHERE t.ns = :ns AND t.hidden = 0 AND o.gone = 0 AND o.listed = 1 AND o.key NOT IN (SELECT value FROM json_each(:entities))
GROUP BY o.ns, o.key, c.relation, c.away ORDER BY claims DESC, o.name, o.key LIMIT :limit;
