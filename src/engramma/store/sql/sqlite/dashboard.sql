-- ---- what the dashboard shows ----

-- The live segments in which somebody spoke last.
-- name: keys_of_speaker
SELECT DISTINCT g.key FROM (
  SELECT session, position FROM turns INDEXED BY turns_by_speaker WHERE ns = :ns AND speaker = :speaker AND hidden = 0
  ORDER BY said_at DESC LIMIT 3 * :limit
) t CROSS JOIN segments g ON g.ns = :ns AND g.session = t.session AND t.position BETWEEN g.first AND g.last
WHERE g.state = 0 ORDER BY g.said_at DESC, g.tie LIMIT :limit;
