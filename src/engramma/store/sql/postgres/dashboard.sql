-- ---- what the dashboard shows ----

-- The live segments in which somebody spoke last.
-- name: keys_of_speaker
SELECT g.key FROM (
  SELECT session, position FROM turns WHERE ns = %(ns)s AND speaker = %(speaker)s AND hidden = 0
  ORDER BY said_at DESC LIMIT 3 * %(limit)s
) t JOIN segments g ON g.ns = %(ns)s AND g.session = t.session AND t.position BETWEEN g.first AND g.last
WHERE g.state = 0 GROUP BY g.ns, g.key ORDER BY g.said_at DESC, g.tie LIMIT %(limit)s;
