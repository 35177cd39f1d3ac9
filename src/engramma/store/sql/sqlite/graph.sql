-- ---- the change sequence ----

-- name: change_add
INSERT INTO changes (ns, seq, key, op)
VALUES (:ns, (SELECT coalesce(max(seq), 0) + 1 FROM changes WHERE ns = :ns), :key, :op);

-- name: change_last
SELECT coalesce(max(seq), 0) FROM changes WHERE ns = :ns;

-- name: changes_since
SELECT seq, key, op FROM changes WHERE ns = :ns AND seq > :seq ORDER BY seq;

-- ---- the graph ----

-- name: edge_put
INSERT INTO edges (ns, src, kind, dst, weight) VALUES (:ns, :src, :kind, :dst, :weight)
ON CONFLICT (ns, src, kind, dst) DO UPDATE SET weight = excluded.weight;

-- name: edge_delete
DELETE FROM edges WHERE ns = :ns AND src = :src AND kind = :kind AND dst = :dst;

-- name: edges_drop_out
DELETE FROM edges WHERE ns = :ns AND src = :key;

-- name: edges_drop_in
DELETE FROM edges INDEXED BY edges_in WHERE ns = :ns AND dst = :key;

-- name: edges_of
SELECT src, kind, dst, weight FROM edges WHERE ns = :ns AND src = :key
UNION SELECT src, kind, dst, weight FROM edges WHERE ns = :ns AND dst = :key
ORDER BY kind, weight DESC, src, dst;

-- name: edges_all
SELECT src, kind, dst, weight FROM edges WHERE ns = :ns ORDER BY src, kind, dst;

-- The other ends of a segment's semantic edges, whichever way they point, strongest first.
-- name: neighbours_semantic
SELECT other, weight FROM (
  SELECT e.dst AS other, e.weight FROM edges e WHERE e.ns = :ns AND e.src = :key AND e.kind = 'semantic' AND e.weight >= :floor
  UNION ALL
  SELECT e.src AS other, e.weight FROM edges e INDEXED BY edges_in WHERE e.ns = :ns AND e.dst = :key AND e.kind = 'semantic' AND e.weight >= :floor
) n CROSS JOIN segments g ON g.key = n.other
WHERE g.ns = :ns ORDER BY n.weight DESC, g.tie, n.other LIMIT :limit;

-- name: edges_delete_ways
DELETE FROM edges WHERE ns = :ns AND kind = 'semantic'
AND (src, dst) IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(:ways));

-- name: chains_of
SELECT src, dst FROM edges WHERE ns = :ns AND kind = 'chain' AND src IN (SELECT value FROM json_each(:keys));

-- name: neighbours_chain
SELECT e.dst AS other, e.weight FROM edges e WHERE e.ns = :ns AND e.src = :key AND e.kind = 'chain' ORDER BY e.dst;

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

-- name: near_get
SELECT n.key, n.reach, n.list FROM json_each(:keys) k CROSS JOIN near n ON n.ns = :ns AND n.key = k.value;

-- name: near_put
INSERT INTO near (ns, key, reach, list) VALUES (:ns, :key, :reach, :list)
ON CONFLICT (ns, key) DO UPDATE SET reach = excluded.reach, list = excluded.list;

-- name: near_delete
DELETE FROM near WHERE ns = :ns AND key = :key;

-- name: near_reaches
SELECT key, reach FROM near WHERE ns = :ns ORDER BY key;
