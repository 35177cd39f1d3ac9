-- ---- what waits for somebody's word ----

-- name: conflicts_drop
DELETE FROM conflicts WHERE ns = %(ns)s AND person = %(person)s AND about = ANY(%(groups)s::text[]);

-- Two claims of one person, by their ids.
-- name: conflict_add
INSERT INTO conflicts (ns, item, person, about, sure, earlier, later, said_at)
SELECT %(ns)s, %(item)s, %(person)s, %(about)s, %(sure)s, a.key, b.key, b.said_at FROM claims a
JOIN claims b ON b.ns = %(ns)s AND b.subject = %(person)s AND b.relation = %(to)s AND b.id = %(later)s
WHERE a.ns = %(ns)s AND a.subject = %(person)s AND a.relation = %(of)s AND a.id = %(earlier)s
ON CONFLICT (ns, item) DO NOTHING;

-- Those to which nothing was said yet: contradictions before disagreements, the latest first.
-- name: conflicts_open
SELECT c.item, c.about, c.sure, c.earlier, c.later FROM conflicts c
WHERE c.ns = %(ns)s
  AND NOT EXISTS (SELECT 1 FROM reviewed r WHERE r.ns = %(ns)s AND r.item = c.item)
ORDER BY c.sure DESC, c.said_at DESC, c.item DESC LIMIT nullif(%(limit)s::bigint, -1) OFFSET %(offset)s;

-- name: conflict_get
SELECT c.item, c.about, c.sure, c.earlier, c.later FROM conflicts c WHERE c.ns = %(ns)s AND c.item = %(item)s
  AND NOT EXISTS (SELECT 1 FROM reviewed r WHERE r.ns = %(ns)s AND r.item = c.item);

-- name: conflicts_open_count
SELECT count(*) FROM conflicts c WHERE c.ns = %(ns)s
  AND NOT EXISTS (SELECT 1 FROM reviewed r WHERE r.ns = %(ns)s AND r.item = c.item);

-- Decisions that no user made or confirmed, the least sure first;
-- name: decisions_open
SELECT d.key FROM decisions d
WHERE d.ns = %(ns)s AND d.undone = 0 AND d.overruled = 0 AND d.made_by <> 'user' AND NOT EXISTS (
  SELECT 1 FROM decision_turns x JOIN turns t ON t.ns = %(ns)s AND t.key = x.turn
  WHERE x.ns = %(ns)s AND x.decision = d.key AND t.hidden > 0)
ORDER BY d.confidence, d.key LIMIT nullif(%(limit)s::bigint, -1) OFFSET %(offset)s;

-- name: decisions_open_count
SELECT count(*) FROM decisions d
WHERE d.ns = %(ns)s AND d.undone = 0 AND d.overruled = 0 AND d.made_by <> 'user' AND NOT EXISTS (
  SELECT 1 FROM decision_turns x JOIN turns t ON t.ns = %(ns)s AND t.key = x.turn
  WHERE x.ns = %(ns)s AND x.decision = d.key AND t.hidden > 0);

-- One decision, unless it rests on a hidden turn or was undone.
-- name: decision_shown
SELECT d.key, d.act, d.verdict, d.person, d.entity, d.conversations, d.reason, d.evidence, d.confidence, d.made_by,
  d.created_at, d.overruled, d.undone
FROM decisions d WHERE d.ns = %(ns)s AND d.key = %(key)s AND d.undone = 0 AND NOT EXISTS (
  SELECT 1 FROM decision_turns x JOIN turns t ON t.ns = %(ns)s AND t.key = x.turn
  WHERE x.ns = %(ns)s AND x.decision = d.key AND t.hidden > 0);

-- The turns that some decisions rest on.
-- name: turns_of_decisions
SELECT x.decision, s.conversation, s.id AS session, t.id, t.speaker, t.said_at, substr(t.text, 1, %(most)s::int) AS text
FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN decision_turns x ON x.ns = %(ns)s AND x.decision = k.value
JOIN turns t ON t.ns = %(ns)s AND t.key = x.turn JOIN sessions s ON s.ns = %(ns)s AND s.key = t.session
WHERE t.ns = %(ns)s AND s.ns = %(ns)s AND t.hidden = 0 ORDER BY x.decision, t.said_at, t.session, t.position;

-- The segments that hold what some claims rest on.
-- name: segments_of_claims
SELECT c.key AS claim, g.key, s.conversation, s.id AS session, g.idx FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place)
JOIN claims c ON c.ns = %(ns)s AND c.key = k.value JOIN turns t ON t.ns = %(ns)s AND t.key = c.turn
JOIN segments g ON g.ns = %(ns)s AND g.session = t.session AND t.position BETWEEN g.first AND g.last
JOIN sessions s ON s.ns = %(ns)s AND s.key = g.session
WHERE t.ns = %(ns)s AND s.ns = %(ns)s ORDER BY c.key, g.idx;

-- What is named most, one row an entity.
-- name: entities_most_named
SELECT key, type, name, owner, mentions FROM entities
WHERE ns = %(ns)s AND mentions > 0 AND gone = 0 AND merged = 0 ORDER BY mentions DESC, key LIMIT nullif(%(limit)s::bigint, -1);

-- Where some entities were named first.
-- name: entity_first_turns
SELECT k.value AS entity, s.conversation, s.id AS session, t.id, t.speaker, t.said_at, substr(t.text, 1, %(most)s::int) AS text
FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN turns t ON t.ns = %(ns)s AND t.key = (
  SELECT min(m.turn) FROM mentions m JOIN turns v ON v.ns = %(ns)s AND v.key = m.turn WHERE m.ns = %(ns)s AND m.entity = k.value AND v.hidden = 0)
JOIN sessions s ON s.ns = %(ns)s AND s.key = t.session WHERE t.ns = %(ns)s AND s.ns = %(ns)s
ORDER BY k.place;

-- Refused ones among some proposals.
-- name: reviewed_among
SELECT r.item FROM unnest(%(items)s::bigint[]) WITH ORDINALITY k(value, place) JOIN reviewed r ON r.ns = %(ns)s AND r.item = k.value
ORDER BY k.place;

-- name: reviewed_put
INSERT INTO reviewed (ns, item, act) VALUES (%(ns)s, %(item)s, %(act)s) ON CONFLICT (ns, item) DO UPDATE SET act = excluded.act;

-- name: reviewed_drop
DELETE FROM reviewed WHERE ns = %(ns)s AND act = %(act)s;

-- How far the log of acts is: it tells whether a plan that was made before is still one.
-- name: acts_mark
SELECT coalesce(max(id), 0) AS last, count(undone_at) AS undone FROM acts WHERE ns = %(ns)s;

-- How far decisions are: they are numbered, and dropped ones leave a gap.
-- name: decisions_mark
SELECT coalesce(max(key), 0) AS last, count(*) AS known FROM decisions WHERE ns = %(ns)s;

-- name: namespace_drop_conflicts
DELETE FROM conflicts WHERE ns = %(ns)s;

-- name: namespace_drop_reviewed
DELETE FROM reviewed WHERE ns = %(ns)s;
