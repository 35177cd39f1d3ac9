-- The turns that a decision rests on.
-- name: places_of_decision
SELECT s.conversation, s.id AS session, t.id FROM decision_turns d INDEXED BY decision_turns_of
CROSS JOIN turns t ON t.ns = :ns AND t.key = d.turn CROSS JOIN sessions s ON s.ns = :ns AND s.key = t.session
WHERE d.ns = :ns AND d.decision = :key ORDER BY s.conversation, s.id, t.position;
