-- ---- what it has read ----

-- name: llm_drops
SELECT p.model, d.key AS reason, sum(d.value::bigint)::bigint AS claims FROM llm_pieces p CROSS JOIN json_each_text(p.dropped::json) d
WHERE p.ns = %(ns)s GROUP BY p.model, d.key ORDER BY claims DESC, d.key COLLATE "C";

-- name: llm_mentions
SELECT m.entity FROM unnest(%(turns)s::bigint[]) WITH ORDINALITY k(value, place)
JOIN mentions m ON m.ns = %(ns)s AND m.turn = k.value WHERE m.made_by = 1 GROUP BY m.entity ORDER BY min(k.place), m.entity;
