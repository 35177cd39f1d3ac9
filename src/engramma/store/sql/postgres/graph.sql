-- ---- the change sequence ----

-- name: change_add
INSERT INTO changes (ns, seq, key, op)
VALUES (%(ns)s, (SELECT coalesce(max(seq), 0) + 1 FROM changes WHERE ns = %(ns)s), %(key)s, %(op)s);

-- name: change_last
SELECT coalesce(max(seq), 0) FROM changes WHERE ns = %(ns)s;

-- name: changes_since
SELECT seq, key, op FROM changes WHERE ns = %(ns)s AND seq > %(seq)s ORDER BY seq;

-- ---- the graph ----

-- name: edge_put
INSERT INTO edges (ns, src, kind, dst, weight) VALUES (%(ns)s, %(src)s, %(kind)s, %(dst)s, %(weight)s)
ON CONFLICT (ns, src, kind, dst) DO UPDATE SET weight = excluded.weight;

-- name: edge_delete
DELETE FROM edges WHERE ns = %(ns)s AND src = %(src)s AND kind = %(kind)s AND dst = %(dst)s;

-- name: edges_drop_out
DELETE FROM edges WHERE ns = %(ns)s AND src = %(key)s;

-- name: edges_drop_in
DELETE FROM edges WHERE ns = %(ns)s AND dst = %(key)s;

-- name: edges_of
SELECT src, kind, dst, weight FROM edges WHERE ns = %(ns)s AND src = %(key)s
UNION SELECT src, kind, dst, weight FROM edges WHERE ns = %(ns)s AND dst = %(key)s
ORDER BY kind, weight DESC, src, dst;

-- name: edges_all
SELECT src, kind, dst, weight FROM edges WHERE ns = %(ns)s ORDER BY src, kind, dst;

-- The other ends of a segment's semantic edges, whichever way they point, strongest first.
-- name: neighbours_semantic
SELECT other, weight FROM (
  SELECT e.dst AS other, e.weight FROM edges e WHERE e.ns = %(ns)s AND e.src = %(key)s AND e.kind = 'semantic' AND e.weight >= %(floor)s
  UNION ALL
  SELECT e.src AS other, e.weight FROM edges e WHERE e.ns = %(ns)s AND e.dst = %(key)s AND e.kind = 'semantic' AND e.weight >= %(floor)s
) n JOIN segments g ON g.ns = %(ns)s AND g.key = n.other
WHERE g.ns = %(ns)s ORDER BY n.weight DESC, g.tie, n.other LIMIT nullif(%(limit)s::bigint, -1);

-- name: edges_delete_ways
DELETE FROM edges e USING json_array_elements(%(ways)s::json) w(way)
WHERE e.ns = %(ns)s AND e.kind = 'semantic' AND e.src = (w.way->>0)::bigint AND e.dst = (w.way->>1)::bigint;

-- name: chains_of
SELECT src, dst FROM edges WHERE ns = %(ns)s AND kind = 'chain' AND src = ANY(%(keys)s::bigint[]);

-- name: neighbours_chain
SELECT e.dst AS other, e.weight FROM edges e WHERE e.ns = %(ns)s AND e.src = %(key)s AND e.kind = 'chain' ORDER BY e.dst;

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

-- name: near_get
SELECT n.key, n.reach, n.list FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN near n ON n.ns = %(ns)s AND n.key = k.value
ORDER BY k.place;

-- name: near_put
INSERT INTO near (ns, key, reach, list) VALUES (%(ns)s, %(key)s, %(reach)s, %(list)s)
ON CONFLICT (ns, key) DO UPDATE SET reach = excluded.reach, list = excluded.list;

-- name: near_delete
DELETE FROM near WHERE ns = %(ns)s AND key = %(key)s;

-- name: near_reaches
SELECT key, reach FROM near WHERE ns = %(ns)s ORDER BY key;
