-- ---- what waits for somebody's word ----

-- name: conflicts_drop
DELETE FROM conflicts WHERE ns = :ns AND person = :person AND about IN (SELECT value FROM json_each(:groups));

-- Two claims of one person, by their ids.
-- name: conflict_add
INSERT INTO conflicts (ns, item, person, about, sure, earlier, later, said_at)
SELECT :ns, :item, :person, :about, :sure, a.key, b.key, b.said_at FROM claims a INDEXED BY claims_of_subject
CROSS JOIN claims b INDEXED BY claims_of_subject ON b.ns = :ns AND b.subject = :person AND b.relation = :to AND b.id = :later
WHERE a.ns = :ns AND a.subject = :person AND a.relation = :of AND a.id = :earlier
ON CONFLICT (ns, item) DO NOTHING;

-- Those to which nothing was said yet: contradictions before disagreements, the latest first.
-- name: conflicts_open
SELECT c.item, c.about, c.sure, c.earlier, c.later FROM conflicts c INDEXED BY conflicts_in_order
WHERE c.ns = :ns
  AND NOT EXISTS (SELECT 1 FROM reviewed r WHERE r.ns = :ns AND r.item = c.item)
ORDER BY c.sure DESC, c.said_at DESC, c.item DESC LIMIT :limit OFFSET :offset;

-- name: conflict_get
SELECT c.item, c.about, c.sure, c.earlier, c.later FROM conflicts c WHERE c.ns = :ns AND c.item = :item
  AND NOT EXISTS (SELECT 1 FROM reviewed r WHERE r.ns = :ns AND r.item = c.item);

-- name: conflicts_open_count
SELECT count(*) FROM conflicts c WHERE c.ns = :ns
  AND NOT EXISTS (SELECT 1 FROM reviewed r WHERE r.ns = :ns AND r.item = c.item);

-- Decisions that no user made or confirmed, the least sure first; those that rest on a hidden turn wait.
-- name: decisions_open
SELECT d.key FROM decisions d INDEXED BY decisions_by_confidence
WHERE d.ns = :ns AND d.undone = 0 AND d.overruled = 0 AND d.made_by <> 'user' AND NOT EXISTS (
  SELECT 1 FROM decision_turns x INDEXED BY decision_turns_of CROSS JOIN turns t ON t.ns = :ns AND t.key = x.turn
  WHERE x.ns = :ns AND x.decision = d.key AND t.hidden > 0)
ORDER BY d.confidence, d.key LIMIT :limit OFFSET :offset;

-- name: decisions_open_count
SELECT count(*) FROM decisions d
WHERE d.ns = :ns AND d.undone = 0 AND d.overruled = 0 AND d.made_by <> 'user' AND NOT EXISTS (
  SELECT 1 FROM decision_turns x INDEXED BY decision_turns_of CROSS JOIN turns t ON t.ns = :ns AND t.key = x.turn
  WHERE x.ns = :ns AND x.decision = d.key AND t.hidden > 0);

-- One decision, unless it rests on a hidden turn or was undone.
-- name: decision_shown
SELECT d.key, d.act, d.verdict, d.person, d.entity, d.conversations, d.reason, d.evidence, d.confidence, d.made_by,
  d.created_at, d.overruled, d.undone
FROM decisions d WHERE d.ns = :ns AND d.key = :key AND d.undone = 0 AND NOT EXISTS (
  SELECT 1 FROM decision_turns x INDEXED BY decision_turns_of CROSS JOIN turns t ON t.ns = :ns AND t.key = x.turn
  WHERE x.ns = :ns AND x.decision = d.key AND t.hidden > 0);

-- The turns that some decisions rest on.
-- name: turns_of_decisions
SELECT x.decision, s.conversation, s.id AS session, t.id, t.speaker, t.said_at, substr(t.text, 1, :most) AS text
FROM json_each(:keys) k CROSS JOIN decision_turns x INDEXED BY decision_turns_of ON x.ns = :ns AND x.decision = k.value
CROSS JOIN turns t ON t.key = x.turn CROSS JOIN sessions s ON s.key = t.session
WHERE t.ns = :ns AND s.ns = :ns AND t.hidden = 0 ORDER BY x.decision, t.said_at, t.session, t.position;

-- The segments that hold what some claims rest on.
-- name: segments_of_claims
SELECT c.key AS claim, g.key, s.conversation, s.id AS session, g.idx FROM json_each(:keys) k
CROSS JOIN claims c ON c.ns = :ns AND c.key = k.value CROSS JOIN turns t ON t.key = c.turn
CROSS JOIN segments g ON g.ns = :ns AND g.session = t.session AND t.position BETWEEN g.first AND g.last
CROSS JOIN sessions s ON s.key = g.session
WHERE t.ns = :ns AND s.ns = :ns ORDER BY c.key, g.idx;

-- What is named most, one row an entity.
-- name: entities_most_named
SELECT key, type, name, owner, mentions FROM entities INDEXED BY entities_by_mentions
WHERE ns = :ns AND mentions > 0 AND gone = 0 AND merged = 0 AND listed = 1 ORDER BY mentions DESC, key LIMIT :limit;

-- Where some entities were named first.
-- name: entity_first_turns
SELECT k.value AS entity, s.conversation, s.id AS session, t.id, t.speaker, t.said_at, substr(t.text, 1, :most) AS text
FROM json_each(:keys) k CROSS JOIN turns t ON t.key = (
  SELECT min(m.turn) FROM mentions m CROSS JOIN turns v ON v.ns = :ns AND v.key = m.turn WHERE m.ns = :ns AND m.entity = k.value AND v.hidden = 0)
CROSS JOIN sessions s ON s.key = t.session WHERE t.ns = :ns AND s.ns = :ns;

-- What somebody said first in a conversation.
-- name: speaker_first_turn
SELECT s.conversation, s.id AS session, t.id, t.speaker, t.said_at, substr(t.text, 1, :most) AS text
FROM sessions s CROSS JOIN turns t ON t.ns = :ns AND t.session = s.key AND t.speaker = :speaker AND t.hidden = 0
WHERE s.ns = :ns AND s.conversation = :conversation ORDER BY t.said_at, t.position LIMIT 1;

-- Refused ones among some proposals.
-- name: reviewed_among
SELECT r.item FROM json_each(:items) k CROSS JOIN reviewed r ON r.ns = :ns AND r.item = k.value;

-- name: reviewed_put
INSERT INTO reviewed (ns, item, act) VALUES (:ns, :item, :act) ON CONFLICT (ns, item) DO UPDATE SET act = excluded.act;

-- name: reviewed_drop
DELETE FROM reviewed WHERE ns = :ns AND act = :act;

-- How far the log of acts is: it tells whether a plan that was made before is still one.
-- name: acts_mark
SELECT coalesce(max(id), 0) AS last, count(undone_at) AS undone FROM acts WHERE ns = :ns;

-- How far decisions are: they are numbered, and dropped ones leave a gap.
-- name: decisions_mark
SELECT coalesce(max(key), 0) AS last, count(*) AS known FROM decisions WHERE ns = :ns;
