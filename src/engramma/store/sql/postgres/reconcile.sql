-- ---- people reconciled ----

-- People of whom something came or went since, at most so many.
-- name: unsettled_people
SELECT DISTINCT person FROM unsettled WHERE ns = %(ns)s ORDER BY person LIMIT nullif(%(limit)s::bigint, -1);

-- name: unsettled_of
SELECT relation, changes FROM unsettled WHERE ns = %(ns)s AND person = %(person)s ORDER BY relation;

-- name: unsettled_add
INSERT INTO unsettled AS u (ns, person, relation, changes) VALUES (%(ns)s, %(person)s, %(relation)s, 1)
ON CONFLICT (ns, person, relation) DO UPDATE SET changes = u.changes + 1;

-- name: unsettled_done
DELETE FROM unsettled WHERE ns = %(ns)s AND person = %(person)s AND relation = %(relation)s AND changes = %(changes)s;

-- name: claim_keys_by_relations
SELECT c.key FROM unnest(%(relations)s::text[]) WITH ORDINALITY r(value, place)
JOIN claims c ON c.ns = %(ns)s AND c.subject = %(person)s AND c.relation = r.value
ORDER BY c.said_at DESC, c.key DESC LIMIT nullif(%(limit)s::bigint, -1);

-- Who speaks in some conversations.
-- name: speakers_of_conversations
SELECT DISTINCT s.conversation, t.speaker FROM unnest(%(conversations)s::text[]) WITH ORDINALITY k(value, place)
JOIN sessions s ON s.ns = %(ns)s AND s.conversation = k.value
JOIN turns t ON t.ns = %(ns)s AND t.session = s.key
WHERE t.hidden = 0 AND (t.role IS NULL OR t.role IN ('user', 'assistant')) ORDER BY s.conversation, t.speaker;

-- Decisions about people by any of their names, also those that rest on a hidden turn.
-- name: decisions_of_people
SELECT d.key, d.act, d.verdict, d.person, d.entity, d.conversations, d.reason, d.evidence, d.confidence, d.made_by,
  d.created_at, d.overruled, d.undone, d.basis, EXISTS (
    SELECT 1 FROM decision_turns x JOIN turns t ON t.ns = %(ns)s AND t.key = x.turn
    WHERE x.ns = %(ns)s AND x.decision = d.key AND t.hidden > 0) AS hidden
FROM unnest(%(people)s::text[]) WITH ORDINALITY p(value, place) JOIN decisions d ON d.ns = %(ns)s AND d.person = p.value
WHERE d.undone = 0 ORDER BY d.key;

-- name: decision_rewrite
UPDATE decisions SET verdict = %(verdict)s, person = %(person)s, reason = %(reason)s, evidence = %(evidence)s,
  confidence = %(confidence)s, made_by = %(made_by)s, overruled = %(overruled)s, basis = %(basis)s
WHERE ns = %(ns)s AND key = %(key)s;

-- name: decision_delete
DELETE FROM decisions WHERE ns = %(ns)s AND key = %(key)s;

-- name: decision_turns_delete
DELETE FROM decision_turns WHERE ns = %(ns)s AND decision = %(key)s;

-- name: turn_key_at
SELECT t.key FROM sessions s JOIN turns t ON t.ns = %(ns)s AND t.session = s.key AND t.id = %(id)s
WHERE s.ns = %(ns)s AND s.conversation = %(conversation)s AND s.id = %(session)s AND t.hidden = 0;

-- name: turns_of_decision
SELECT turn FROM decision_turns WHERE ns = %(ns)s AND decision = %(key)s ORDER BY turn;

-- People with what is known of them: those of most conversations first.
-- name: people_listed
SELECT e.key, e.name, count(c.key) AS claims, count(DISTINCT s.conversation) AS conversations,
  min(c.said_at) AS first_at, max(c.said_at) AS last_at
FROM entities e
JOIN claims c ON c.ns = %(ns)s AND c.subject = e.key
JOIN turns t ON t.ns = %(ns)s AND t.key = c.turn AND t.hidden = 0
JOIN sessions s ON s.ns = %(ns)s AND s.key = c.session
WHERE e.ns = %(ns)s AND e.type = 'person' AND e.owner = 0 AND e.gone = 0 AND t.ns = %(ns)s
GROUP BY e.ns, e.key ORDER BY conversations DESC, claims DESC, e.name, e.key LIMIT nullif(%(limit)s::bigint, -1);

-- name: namespace_drop_unsettled
DELETE FROM unsettled WHERE ns = %(ns)s;
