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
SELECT n.origin, n.other, n.weight FROM (
  SELECT k.value AS origin, e.dst AS other, e.weight FROM json_each(:keys) k CROSS JOIN edges e ON e.ns = :ns AND e.src = k.value
  WHERE e.kind = 'semantic' AND e.weight >= :floor
  UNION ALL
  SELECT k.value AS origin, e.src AS other, e.weight FROM json_each(:keys) k CROSS JOIN edges e INDEXED BY edges_in ON e.ns = :ns AND e.dst = k.value
  WHERE e.kind = 'semantic' AND e.weight >= :floor
) n CROSS JOIN segments g ON g.key = n.other
WHERE g.ns = :ns ORDER BY n.origin, n.weight DESC, g.tie, n.other;

-- One step from some segments along edges, and whether it leads the way the edge points; not along typed links that were
-- made after :before (null: all of them). A chain is drawn both ways already.
-- name: graph_steps
SELECT k.value AS origin, e.dst AS other, e.kind, 1 AS outward, e.weight, g.tie
FROM json_each(:keys) k CROSS JOIN edges e ON e.ns = :ns AND e.src = k.value CROSS JOIN segments g ON g.ns = :ns AND g.key = e.dst
WHERE e.dst <> k.value AND e.weight > 0 AND e.weight >= :floor AND g.state <= :most
  AND (:before IS NULL OR e.kind IN ('chain', 'semantic') OR EXISTS (
    SELECT 1 FROM links l WHERE l.ns = :ns AND l.src = e.src AND l.kind = e.kind AND l.dst = e.dst AND l.made_at <= :before))
UNION ALL
SELECT k.value, e.src, e.kind, 0, e.weight, g.tie
FROM json_each(:keys) k CROSS JOIN edges e INDEXED BY edges_in ON e.ns = :ns AND e.dst = k.value CROSS JOIN segments g ON g.ns = :ns AND g.key = e.src
WHERE e.kind <> 'chain' AND e.src <> k.value AND e.weight > 0 AND e.weight >= :floor AND g.state <= :most
  AND (:before IS NULL OR e.kind = 'semantic' OR EXISTS (
    SELECT 1 FROM links l WHERE l.ns = :ns AND l.src = e.src AND l.kind = e.kind AND l.dst = e.dst AND l.made_at <= :before));

-- name: chains_of
SELECT src, dst FROM edges WHERE ns = :ns AND kind = 'chain' AND src IN (SELECT value FROM json_each(:keys));

-- name: neighbours_chain
SELECT k.value AS origin, e.dst AS other FROM json_each(:keys) k
CROSS JOIN edges e ON e.ns = :ns AND e.src = k.value AND e.kind = 'chain' ORDER BY origin, e.dst;

-- name: near_get
SELECT n.key, n.reach, n.list FROM json_each(:keys) k CROSS JOIN near n ON n.ns = :ns AND n.key = k.value;

-- name: near_put
INSERT INTO near (ns, key, reach, list) VALUES (:ns, :key, :reach, :list)
ON CONFLICT (ns, key) DO UPDATE SET reach = excluded.reach, list = excluded.list;

-- name: near_delete
DELETE FROM near WHERE ns = :ns AND key = :key;

-- name: near_reaches
SELECT key, reach FROM near WHERE ns = :ns ORDER BY key;
