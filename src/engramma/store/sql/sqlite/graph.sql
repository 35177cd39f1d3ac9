-- ---- the graph ----

-- Most of the ways are no edges: to look first is four times as fast.
-- name: edges_delete_ways
DELETE FROM edges WHERE ns = :ns AND kind = 'semantic'
AND (src, dst) IN (
  SELECT e.src, e.dst FROM json_each(:ways) k CROSS JOIN edges e
    ON e.ns = :ns AND e.src = json_extract(k.value, '$[0]') AND e.kind = 'semantic' AND e.dst = json_extract(k.value, '$[1]'));

-- Ways from some segments along edges, either way. The recursion's queue is ordered, the nearest first, and :limit ends
-- it: what is further away is never looked at. Nobody goes on from where only ways of :least or less can begin.
-- Equals are settled by the identities of the segments on the way. A chain is drawn both ways already, so it is not
-- followed backwards.
-- name: walk
WITH RECURSIVE ways (origin, via, key, kind, hops, proximity, tie, via_tie, origin_tie) AS (
  SELECT g.key, g.key, g.key, '', 0, 1.0, g.tie, g.tie, g.tie
  FROM json_each(:seeds) k CROSS JOIN segments g ON g.key = k.value WHERE g.ns = :ns
  UNION
  SELECT w.origin, w.key, e.dst, e.kind, w.hops + 1, w.proximity * min(e.weight, 1.0) * CASE w.hops WHEN 0 THEN 1.0 ELSE :decay END,
    g.tie, w.tie, w.origin_tie
  FROM ways w CROSS JOIN edges e ON e.ns = :ns AND e.src = w.key CROSS JOIN segments g ON g.key = e.dst
  WHERE w.hops < :hops AND (w.hops = 0 OR w.proximity * :decay > :least)
    AND instr(:barred, ',' || e.kind || ',') = 0 AND e.weight > 0 AND e.weight >= :floor
    AND e.dst <> w.origin AND e.dst NOT IN (SELECT value FROM json_each(:excluded))
    AND g.ns = :ns AND g.state <= :most
    AND (:before IS NULL OR e.kind IN ('chain', 'semantic') OR EXISTS (
      SELECT 1 FROM links l WHERE l.ns = :ns AND l.src = e.src AND l.kind = e.kind AND l.dst = e.dst AND l.made_at <= :before))
  UNION
  SELECT w.origin, w.key, e.src, e.kind, w.hops + 1, w.proximity * min(e.weight, 1.0) * CASE w.hops WHEN 0 THEN 1.0 ELSE :decay END,
    g.tie, w.tie, w.origin_tie
  FROM ways w CROSS JOIN edges e INDEXED BY edges_in ON e.ns = :ns AND e.dst = w.key CROSS JOIN segments g ON g.key = e.src
  WHERE w.hops < :hops AND (w.hops = 0 OR w.proximity * :decay > :least)
    AND e.kind <> 'chain' AND instr(:barred, ',' || e.kind || ',') = 0 AND e.weight > 0 AND e.weight >= :floor
    AND e.src <> w.origin AND e.src NOT IN (SELECT value FROM json_each(:excluded))
    AND g.ns = :ns AND g.state <= :most
    AND (:before IS NULL OR e.kind IN ('chain', 'semantic') OR EXISTS (
      SELECT 1 FROM links l WHERE l.ns = :ns AND l.src = e.src AND l.kind = e.kind AND l.dst = e.dst AND l.made_at <= :before))
  ORDER BY 6 DESC, 5, 7, 8, 9, 4 LIMIT :limit
)
SELECT origin, via, key, kind, hops, proximity, tie FROM ways WHERE hops > 0
ORDER BY proximity DESC, hops, tie, via_tie, origin_tie, kind;
