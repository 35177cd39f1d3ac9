-- ---- what it has read ----

-- name: llm_drops
SELECT p.model, d.key AS reason, sum(d.value) AS claims FROM llm_pieces p, json_each(p.dropped) d
WHERE p.ns = :ns GROUP BY p.model, d.key ORDER BY claims DESC, reason;

-- name: llm_mentions
SELECT DISTINCT m.entity FROM json_each(:turns) k
CROSS JOIN mentions m INDEXED BY mentions_of_turn ON m.ns = :ns AND m.turn = k.value WHERE m.made_by = 1;
