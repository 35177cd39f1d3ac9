-- ---- what the dashboard shows of people ----

-- A page of people by name or a part of it, those named most first; somebody's "sister" without a name is not one of them.
-- name: persons_page
SELECT e.key FROM entities e INDEXED BY entities_by_mentions
WHERE e.ns = :ns AND e.mentions > 0 AND e.gone = 0 AND e.merged = 0 AND e.type = 'person' AND e.owner = 0
  AND (:everything <> 0 OR e.listed = 1) AND (:words IS NULL
  OR instr(lower(e.name), lower(:words)) > 0
  OR EXISTS (SELECT 1 FROM names n WHERE n.ns = :ns AND n.entity = e.key AND instr(lower(n.name), lower(:words)) > 0))
ORDER BY e.mentions DESC, e.key LIMIT :limit OFFSET :offset;

-- name: persons_count
SELECT count(*) FROM entities e INDEXED BY entities_by_type
WHERE e.ns = :ns AND e.mentions > 0 AND e.gone = 0 AND e.merged = 0 AND e.type = 'person' AND e.owner = 0
  AND (:everything <> 0 OR e.listed = 1) AND (:words IS NULL
  OR instr(lower(e.name), lower(:words)) > 0
  OR EXISTS (SELECT 1 FROM names n WHERE n.ns = :ns AND n.entity = e.key AND instr(lower(n.name), lower(:words)) > 0));

-- People by how often they are named.
-- name: persons_most_named
SELECT e.key, e.name, e.mentions FROM entities e INDEXED BY entities_by_mentions
WHERE e.ns = :ns AND e.mentions > 0 AND e.gone = 0 AND e.merged = 0 AND e.type = 'person' AND e.owner = 0 AND e.listed = 1
ORDER BY e.mentions DESC, e.key LIMIT :limit;

-- An entity of which nothing was said by which it is one with another.
-- name: entity_free
SELECT key FROM entities WHERE ns = :ns AND key = :key AND merged = 0 AND gone = 0;

-- Whether two people speak, and whether some conversation names both.
-- name: persons_together
SELECT (SELECT count(*) FROM entities e CROSS JOIN tallies y ON y.ns = :ns AND y.kind = 'speaker' AND y.name = e.name
    WHERE e.ns = :ns AND e.key IN (:one, :two)) = 2 AS speaks,
  EXISTS (SELECT 1 FROM mentions a CROSS JOIN sessions s ON s.ns = :ns AND s.key = a.session
    CROSS JOIN sessions o ON o.ns = :ns AND o.conversation = s.conversation
    CROSS JOIN mentions b ON b.ns = :ns AND b.session = o.key AND b.entity = :two
    WHERE a.ns = :ns AND a.entity = :one) AS shared;

-- Whether somebody of some names speaks in one session with somebody of others.
-- name: speak_together
SELECT a.session FROM json_each(:people) x CROSS JOIN turns a ON a.ns = :ns AND a.speaker = x.value AND a.hidden = 0
INTERSECT
SELECT b.session FROM json_each(:called) y CROSS JOIN turns b ON b.ns = :ns AND b.speaker = y.value AND b.hidden = 0
LIMIT 1;

-- People with some letters in a name, those named most first.
-- name: persons_named_like
SELECT e.name FROM entities e INDEXED BY entities_by_mentions WHERE e.ns = :ns AND e.mentions > 0 AND e.gone = 0 AND e.merged = 0
  AND e.type = 'person' AND e.owner = 0 AND instr(lower(e.name), lower(:words)) > 0
ORDER BY e.mentions DESC, e.key LIMIT :limit;

-- People with each of the names that they were called by, those named most first.
-- name: persons_called
SELECT e.key, e.name, e.listed, coalesce(n.name, e.name) AS called FROM (
  SELECT key, name, listed, mentions FROM entities INDEXED BY entities_by_mentions
  WHERE ns = :ns AND mentions > 0 AND gone = 0 AND merged = 0 AND type = 'person' AND owner = 0
  ORDER BY mentions DESC, key LIMIT :limit) e
LEFT JOIN names n ON n.ns = :ns AND n.entity = e.key
ORDER BY e.mentions DESC, e.key, n.times DESC, n.name;

-- How much is known of some people, and how much of it meets something else.
-- name: persons_listed
SELECT e.key, e.name, e.mentions,
  (SELECT count(*) FROM claims c INDEXED BY claims_of_subject WHERE c.ns = :ns AND c.subject = e.key) AS claims,
  (SELECT count(*) FROM conflicts f WHERE f.ns = :ns AND f.person = e.key) AS conflicts
FROM json_each(:keys) k CROSS JOIN entities e ON e.ns = :ns AND e.key = k.value;

-- The conversations in which somebody is named, the latest first.
-- name: person_talks
SELECT s.conversation, max(v.title) AS title, max(v.source) AS source, count(DISTINCT m.turn) AS turns,
  min(t.said_at) AS first_at, max(t.said_at) AS last_at
FROM mentions m CROSS JOIN turns t ON t.key = m.turn CROSS JOIN sessions s ON s.key = t.session
LEFT JOIN conversations v ON v.ns = :ns AND v.id = s.conversation
WHERE m.ns = :ns AND m.entity = :key AND t.ns = :ns AND t.hidden = 0 AND s.ns = :ns
GROUP BY s.conversation ORDER BY max(t.said_at) DESC, s.conversation LIMIT :limit OFFSET :offset;

-- name: person_talks_count
SELECT count(DISTINCT s.conversation) FROM mentions m CROSS JOIN turns t ON t.key = m.turn CROSS JOIN sessions s ON s.key = t.session
WHERE m.ns = :ns AND m.entity = :key AND t.ns = :ns AND t.hidden = 0 AND s.ns = :ns;

-- A page of what was said of somebody, the latest first.
-- name: person_claims
SELECT c.key FROM claims c INDEXED BY claims_of_subject
WHERE c.ns = :ns AND c.subject = :key AND (:relation IS NULL OR c.relation = :relation)
ORDER BY c.said_at DESC, c.key DESC LIMIT :limit OFFSET :offset;

-- name: person_relations
SELECT relation, count(*) AS claims FROM claims INDEXED BY claims_of_subject WHERE ns = :ns AND subject = :key
GROUP BY relation ORDER BY claims DESC, relation;

-- Pieces of one session that wait to be extracted.
-- name: extraction_waiting_of
SELECT block FROM extracted WHERE ns = :ns AND session = :session AND version < :version ORDER BY block LIMIT :limit;
