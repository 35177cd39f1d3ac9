-- ---- what the dashboard shows of people ----

-- A page of people by name or a part of it, those named most first; somebody's "sister" without a name is not one of them.
-- name: persons_page
SELECT e.key FROM entities e
WHERE e.ns = %(ns)s AND e.mentions > 0 AND e.gone = 0 AND e.merged = 0 AND e.type = 'person' AND e.owner = 0 AND (%(words)s::text IS NULL
  OR strpos(lower(e.name), lower(%(words)s COLLATE "C")) > 0
  OR EXISTS (SELECT 1 FROM names n WHERE n.ns = %(ns)s AND n.entity = e.key AND strpos(lower(n.name), lower(%(words)s COLLATE "C")) > 0))
ORDER BY e.mentions DESC, e.key LIMIT nullif(%(limit)s::bigint, -1) OFFSET %(offset)s;

-- name: persons_count
SELECT count(*) FROM entities e
WHERE e.ns = %(ns)s AND e.mentions > 0 AND e.gone = 0 AND e.merged = 0 AND e.type = 'person' AND e.owner = 0 AND (%(words)s::text IS NULL
  OR strpos(lower(e.name), lower(%(words)s COLLATE "C")) > 0
  OR EXISTS (SELECT 1 FROM names n WHERE n.ns = %(ns)s AND n.entity = e.key AND strpos(lower(n.name), lower(%(words)s COLLATE "C")) > 0));

-- How much is known of some people, and how much of it meets something else.
-- name: persons_listed
SELECT e.key, e.name, e.mentions,
  (SELECT count(*) FROM claims c WHERE c.ns = %(ns)s AND c.subject = e.key) AS claims,
  (SELECT count(*) FROM conflicts f WHERE f.ns = %(ns)s AND f.person = e.key) AS conflicts
FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN entities e ON e.ns = %(ns)s AND e.key = k.value
ORDER BY k.place;

-- The conversations in which somebody is named, the latest first.
-- name: person_talks
SELECT s.conversation, max(v.title) AS title, max(v.source) AS source, count(DISTINCT m.turn) AS turns,
  min(t.said_at) AS first_at, max(t.said_at) AS last_at
FROM mentions m JOIN turns t ON t.ns = %(ns)s AND t.key = m.turn JOIN sessions s ON s.ns = %(ns)s AND s.key = t.session
LEFT JOIN conversations v ON v.ns = %(ns)s AND v.id = s.conversation
WHERE m.ns = %(ns)s AND m.entity = %(key)s AND t.ns = %(ns)s AND t.hidden = 0 AND s.ns = %(ns)s
GROUP BY s.conversation ORDER BY max(t.said_at) DESC, s.conversation LIMIT nullif(%(limit)s::bigint, -1) OFFSET %(offset)s;

-- name: person_talks_count
SELECT count(DISTINCT s.conversation) FROM mentions m JOIN turns t ON t.ns = %(ns)s AND t.key = m.turn JOIN sessions s ON s.ns = %(ns)s AND s.key = t.session
WHERE m.ns = %(ns)s AND m.entity = %(key)s AND t.ns = %(ns)s AND t.hidden = 0 AND s.ns = %(ns)s;

-- A page of what was said of somebody, the latest first.
-- name: person_claims
SELECT c.key FROM claims c
WHERE c.ns = %(ns)s AND c.subject = %(key)s AND (%(relation)s::text IS NULL OR c.relation = %(relation)s)
ORDER BY c.said_at DESC, c.key DESC LIMIT nullif(%(limit)s::bigint, -1) OFFSET %(offset)s;

-- name: person_relations
SELECT relation, count(*) AS claims FROM claims WHERE ns = %(ns)s AND subject = %(key)s
GROUP BY relation ORDER BY claims DESC, relation;

-- Pieces of one session that wait to be extracted.
-- name: extraction_waiting_of
SELECT block FROM extracted WHERE ns = %(ns)s AND session = %(session)s AND version < %(version)s ORDER BY block LIMIT nullif(%(limit)s::bigint, -1);
