-- ---- people reconciled ----

-- People of whom something came or went since, at most so many.
-- name: unsettled_people
SELECT DISTINCT person FROM unsettled WHERE ns = :ns ORDER BY person LIMIT :limit;

-- name: unsettled_of
SELECT relation, changes FROM unsettled WHERE ns = :ns AND person = :person ORDER BY relation;

-- name: unsettled_add
INSERT INTO unsettled AS u (ns, person, relation, changes) VALUES (:ns, :person, :relation, 1)
ON CONFLICT (ns, person, relation) DO UPDATE SET changes = u.changes + 1;

-- name: unsettled_done
DELETE FROM unsettled WHERE ns = :ns AND person = :person AND relation = :relation AND changes = :changes;

-- name: claim_keys_by_relations
SELECT c.key FROM json_each(:relations) r
CROSS JOIN claims c INDEXED BY claims_of_subject ON c.ns = :ns AND c.subject = :person AND c.relation = r.value
ORDER BY c.said_at DESC, c.key DESC LIMIT :limit;

-- Who speaks in some conversations.
-- name: speakers_of_conversations
SELECT DISTINCT s.conversation, t.speaker FROM json_each(:conversations) k
CROSS JOIN sessions s ON s.ns = :ns AND s.conversation = k.value
CROSS JOIN turns t ON t.ns = :ns AND t.session = s.key
WHERE t.hidden = 0 AND (t.role IS NULL OR t.role IN ('user', 'assistant')) ORDER BY s.conversation, t.speaker;

-- Decisions about people by any of their names, also those that rest on a hidden turn.
-- name: decisions_of_people
SELECT d.key, d.act, d.verdict, d.person, d.entity, d.conversations, d.reason, d.evidence, d.confidence, d.made_by,
  d.created_at, d.overruled, d.undone, d.basis, EXISTS (
    SELECT 1 FROM decision_turns x INDEXED BY decision_turns_of CROSS JOIN turns t ON t.ns = :ns AND t.key = x.turn
    WHERE x.ns = :ns AND x.decision = d.key AND t.hidden > 0) AS hidden
FROM json_each(:people) p CROSS JOIN decisions d INDEXED BY decisions_about ON d.ns = :ns AND d.person = p.value
WHERE d.undone = 0 ORDER BY d.key;

-- name: decision_rewrite
UPDATE decisions SET verdict = :verdict, person = :person, reason = :reason, evidence = :evidence,
  confidence = :confidence, made_by = :made_by, overruled = :overruled, basis = :basis
WHERE ns = :ns AND key = :key;

-- name: decision_delete
DELETE FROM decisions WHERE ns = :ns AND key = :key;

-- name: decision_turns_delete
DELETE FROM decision_turns WHERE ns = :ns AND decision = :key;

-- name: turn_key_at
SELECT t.key FROM sessions s CROSS JOIN turns t ON t.ns = :ns AND t.session = s.key AND t.id = :id
WHERE s.ns = :ns AND s.conversation = :conversation AND s.id = :session AND t.hidden = 0;

-- name: turns_of_decision
SELECT turn FROM decision_turns INDEXED BY decision_turns_of WHERE ns = :ns AND decision = :key ORDER BY turn;

-- People with how much is known of them: those of most conversations first. Who is only named has no claims.
-- name: people_listed
SELECT e.key, e.name, count(DISTINCT s.conversation) AS conversations, min(t.said_at) AS first_at, max(t.said_at) AS last_at,
  (SELECT count(*) FROM claims c INDEXED BY claims_of_subject CROSS JOIN turns u ON u.key = c.turn
    WHERE c.ns = :ns AND c.subject = e.key AND u.ns = :ns AND u.hidden = 0) AS claims
FROM entities e INDEXED BY entities_by_type
CROSS JOIN mentions m ON m.ns = :ns AND m.entity = e.key
CROSS JOIN turns t ON t.key = m.turn AND t.hidden = 0
CROSS JOIN sessions s ON s.ns = :ns AND s.key = t.session
WHERE e.ns = :ns AND e.type = 'person' AND e.owner = 0 AND e.gone = 0 AND e.merged = 0 AND t.ns = :ns
  AND (:everything <> 0 OR e.listed = 1)
GROUP BY e.ns, e.key, e.name ORDER BY conversations DESC, claims DESC, e.name, e.key LIMIT :limit;
