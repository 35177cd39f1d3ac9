-- ---- the graph ----

-- name: edges_delete_ways
DELETE FROM edges e USING unnest(%(ways)s::firsts, %(ways)s::seconds) w(src, dst)
WHERE e.ns = %(ns)s AND e.kind = 'semantic' AND e.src = w.src AND e.dst = w.dst;

-- Ways from some segments along edges, either way. The recursion's queue is ordered, the nearest first, and :limit ends
-- it: what is further away is never looked at. Nobody goes on from where only ways of :least or less can begin.
-- Equals are settled by the identities of the segments on the way. A chain is drawn both ways already, so it is not
-- followed backwards.
-- name: walk
WITH seeds AS MATERIALIZED (
  SELECT g.key, g.tie FROM segments g WHERE g.ns = %(ns)s AND g.key = ANY(%(seeds)s::bigint[])
), first AS MATERIALIZED (
  SELECT DISTINCT s.key AS origin, s.key AS via, e.other AS key, e.kind, 1 AS hops, least(e.weight, 1.0::float8) AS proximity,
    g.tie, s.tie AS via_tie, s.tie AS origin_tie
  FROM seeds s CROSS JOIN LATERAL (
    SELECT o.src, o.kind, o.dst, o.weight, o.dst AS other FROM edges o WHERE o.ns = %(ns)s AND o.src = s.key
    UNION ALL
    SELECT i.src, i.kind, i.dst, i.weight, i.src FROM edges i WHERE i.ns = %(ns)s AND i.dst = s.key AND i.kind <> 'chain'
  ) e JOIN segments g ON g.ns = %(ns)s AND g.key = e.other
  WHERE strpos(%(barred)s, ',' || e.kind || ',') = 0 AND e.weight > 0 AND e.weight >= %(floor)s
    AND e.other <> s.key AND e.other <> ALL(%(excluded)s::bigint[]) AND g.state <= %(most)s
    AND (%(before)s::bigint IS NULL OR e.kind IN ('chain', 'semantic') OR EXISTS (
      SELECT 1 FROM links l WHERE l.ns = %(ns)s AND l.src = e.src AND l.kind = e.kind AND l.dst = e.dst AND l.made_at <= %(before)s))
  ORDER BY proximity DESC, g.tie, via_tie, origin_tie, e.kind LIMIT %(limit)s
), second AS (
  SELECT DISTINCT w.origin, w.key AS via, e.other AS key, e.kind, 2 AS hops,
    w.proximity * least(e.weight, 1.0::float8) * %(decay)s AS proximity, g.tie, w.tie AS via_tie, w.origin_tie
  FROM first w CROSS JOIN LATERAL (
    SELECT o.src, o.kind, o.dst, o.weight, o.dst AS other FROM edges o WHERE o.ns = %(ns)s AND o.src = w.key
    UNION ALL
    SELECT i.src, i.kind, i.dst, i.weight, i.src FROM edges i WHERE i.ns = %(ns)s AND i.dst = w.key AND i.kind <> 'chain'
  ) e JOIN segments g ON g.ns = %(ns)s AND g.key = e.other
  WHERE %(hops)s > 1 AND w.proximity * %(decay)s > %(least)s
    AND strpos(%(barred)s, ',' || e.kind || ',') = 0 AND e.weight > 0 AND e.weight >= %(floor)s
    AND e.other <> w.origin AND e.other <> ALL(%(excluded)s::bigint[]) AND g.state <= %(most)s
    AND (%(before)s::bigint IS NULL OR e.kind IN ('chain', 'semantic') OR EXISTS (
      SELECT 1 FROM links l WHERE l.ns = %(ns)s AND l.src = e.src AND l.kind = e.kind AND l.dst = e.dst AND l.made_at <= %(before)s))
)
SELECT origin, via, key, kind, hops, proximity, tie FROM (SELECT * FROM first UNION ALL SELECT * FROM second) w
ORDER BY proximity DESC, hops, tie, via_tie, origin_tie, kind
LIMIT greatest(%(limit)s - (SELECT count(*) FROM seeds), 0);
