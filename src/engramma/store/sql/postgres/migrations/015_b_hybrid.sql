-- Hybrid search for any SQL client, as the recipe takizen does it: the same ranks, the same fusion, the same rows. Before,
-- segments found by meaning were left out of the graph's ranks, so that no row had both, and the kind of a link did nothing.

-- What an edge of a kind passes on, followed the way it points or backwards; 0: not followed. As in recall/link_kinds.py.
CREATE FUNCTION link_worth(kind text, outward boolean) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN kind = 'semantic' THEN 0.5
    WHEN kind = 'chain' AND outward THEN 0.7
    WHEN kind = 'contradicts' THEN 1.0
    WHEN kind IN ('before', 'after') THEN 0.9
    WHEN kind = 'caused_by' AND outward THEN 0.8
    WHEN kind = 'part_of' AND outward THEN 0.7
    WHEN kind IN ('related_to', 'extends') THEN 0.6
    WHEN kind = 'supports' THEN 0.5
    ELSE 0 END::double precision
$$;

-- Notes whose time is up are not recalled.
CREATE FUNCTION is_expired(space bigint, wanted bigint) RETURNS boolean LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT EXISTS (SELECT 1 FROM notes n WHERE n.ns = space AND n.key = wanted
    AND n.expires_at <= (extract(epoch FROM now()) * 1000000)::bigint)
$$;

-- One step from some segments along the edges that are followed: the nearest way to each other end.
CREATE FUNCTION graph_steps(space bigint, starts bigint[], edge_floor double precision)
RETURNS TABLE (origin bigint, other bigint, nearness double precision, tie bigint)
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT e.origin, e.other, max(least(e.weight, 1.0::float8) * link_worth(e.kind, e.outward)), min(g.tie) FROM (
    SELECT o.src AS origin, o.dst AS other, o.kind, true AS outward, o.weight FROM edges o
    WHERE o.ns = space AND o.src = ANY(starts)
    UNION ALL
    SELECT i.dst, i.src, i.kind, false, i.weight FROM edges i WHERE i.ns = space AND i.dst = ANY(starts)
  ) e JOIN segments g ON g.ns = space AND g.key = e.other
  WHERE e.weight > 0 AND e.weight >= edge_floor AND e.other <> e.origin AND g.state = 0
    AND link_worth(e.kind, e.outward) > 0
  GROUP BY e.origin, e.other
$$;

-- Seeds and what edges join to them: for each the sum of its nearness to the seeds, each seed counting by its share. Every
-- seed goes on from the `cap` nearest a hop, and a second hop halves.
CREATE FUNCTION graph_channel(space bigint, seeds bigint[], shares double precision[], hops int, cap int, edge_floor double precision)
RETURNS TABLE (key bigint, proximity double precision, tie bigint) LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  WITH seed AS MATERIALIZED (
    SELECT s.key, s.share FROM unnest(seeds, shares) s(key, share)
  ), first AS MATERIALIZED (
    SELECT r.seed, r.key, r.worth FROM (
      SELECT s.key AS seed, e.other AS key, round(e.nearness::numeric, 6)::float8 AS worth,
        row_number() OVER (PARTITION BY s.key ORDER BY round(e.nearness::numeric, 6) DESC, e.tie) AS place
      FROM seed s JOIN graph_steps(space, seeds, edge_floor) e ON e.origin = s.key
      WHERE hops > 0
    ) r WHERE r.place <= cap
  ), further AS MATERIALIZED (
    SELECT f.seed, e.other AS key, max(round((f.worth * 0.5 * e.nearness)::numeric, 6))::float8 AS worth, min(e.tie) AS tie
    FROM first f JOIN graph_steps(space, ARRAY(SELECT DISTINCT o.key FROM first o), edge_floor) e ON e.origin = f.key
    WHERE hops > 1 AND e.other <> f.seed
      AND NOT EXISTS (SELECT 1 FROM first k WHERE k.seed = f.seed AND k.key = e.other)
    GROUP BY f.seed, e.other
  ), second AS (
    SELECT r.seed, r.key, r.worth FROM (
      SELECT f.*, row_number() OVER (PARTITION BY f.seed ORDER BY f.worth DESC, f.tie) AS place FROM further f WHERE f.worth > 0
    ) r WHERE r.place <= cap
  ), near AS (
    SELECT w.key, round(sum(w.worth)::numeric, 6)::float8 AS proximity FROM (
      SELECT s.key, s.share AS worth FROM seed s
      UNION ALL SELECT f.key, s.share * f.worth FROM first f JOIN seed s ON s.key = f.seed
      UNION ALL SELECT f.key, s.share * f.worth FROM second f JOIN seed s ON s.key = f.seed
    ) w GROUP BY w.key
  ), ranked AS (
    SELECT n.key, n.proximity, g.tie, n.key = ANY(seeds) AS is_seed,
      row_number() OVER (PARTITION BY n.key = ANY(seeds) ORDER BY n.proximity DESC, g.tie) AS place
    FROM near n JOIN segments g ON g.ns = space AND g.key = n.key WHERE NOT is_expired(space, n.key)
  )
  SELECT r.key, r.proximity, r.tie FROM ranked r WHERE r.is_seed OR r.place <= cap
$$;

-- The nearest by meaning, exactly: float16 vectors as Engramma multiplies them, equals in an order of the segments' own.
CREATE FUNCTION semantic_channel(query_embedding vector, space bigint, wanted int)
RETURNS TABLE (key bigint, similarity double precision, rank bigint) LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  WITH near AS MATERIALIZED (
    SELECT n.key FROM nearest_memories(query_embedding, space, wanted + 64) n WHERE NOT is_expired(space, n.key)
  ), exact AS MATERIALIZED (
    SELECT n.key, g.tie, (
      SELECT sum(p.a::float8 * p.b::float8) FROM unnest(e.embedding::real[], query_embedding::real[]) p(a, b)
    ) AS similarity
    FROM near n JOIN embeddings e ON e.ns = space AND e.key = n.key JOIN segments g ON g.ns = space AND g.key = n.key
  )
  SELECT x.key, round(x.similarity::numeric, 6)::float8, row_number() OVER (ORDER BY x.similarity DESC, x.tie)
  FROM exact x ORDER BY 3 LIMIT wanted
$$;

DROP FUNCTION match_memories_hybrid(vector, text, double precision, int, int, int, int);

-- Ranks by meaning and by the graph around the best ten of them, fused: the sum of 1 / (rrf_k + rank).
CREATE FUNCTION match_memories_hybrid(query_embedding vector, namespace text DEFAULT 'default',
  match_threshold double precision DEFAULT -1, match_count int DEFAULT 10, rrf_k int DEFAULT 60, hops int DEFAULT 2,
  cap int DEFAULT 20, edge_floor double precision DEFAULT 0.75)
RETURNS TABLE (id text, content text, score double precision, similarity double precision, proximity double precision,
  similarity_rank bigint, proximity_rank bigint)
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  WITH space AS MATERIALIZED (SELECT memory_number(namespace) AS ns), meant AS MATERIALIZED (
    SELECT n.key, n.similarity, n.rank
    FROM space p CROSS JOIN semantic_channel(query_embedding, p.ns, 2 * greatest(60, match_count)) n
    WHERE n.similarity >= match_threshold
  ), seeds AS MATERIALIZED (
    SELECT m.key, m.rank, CASE WHEN max(m.similarity) OVER () > 0
      THEN round((greatest(m.similarity, 0) / max(m.similarity) OVER ())::numeric, 6)::float8 ELSE 1 END AS share
    FROM meant m WHERE m.rank <= least(10, match_count)
  ), linked AS MATERIALIZED (
    SELECT n.key, n.proximity, row_number() OVER (ORDER BY n.proximity DESC, n.tie) AS rank
    FROM space p CROSS JOIN graph_channel(p.ns, ARRAY(SELECT s.key FROM seeds s ORDER BY s.rank),
      ARRAY(SELECT s.share FROM seeds s ORDER BY s.rank), least(hops, 2), cap, edge_floor) n
  ), fused AS MATERIALIZED (
    SELECT f.*, g.tie FROM (
      SELECT coalesce(m.key, l.key) AS key, m.similarity, l.proximity, m.rank AS similarity_rank, l.rank AS proximity_rank,
        round((coalesce(1.0::float8 / (rrf_k + m.rank), 0) + coalesce(1.0::float8 / (rrf_k + l.rank), 0))::numeric, 9)::float8 AS score
      FROM meant m FULL JOIN linked l ON l.key = m.key
    ) f CROSS JOIN space p JOIN segments g ON g.ns = p.ns AND g.key = f.key
    ORDER BY f.score DESC, g.tie, f.key LIMIT match_count
  )
  SELECT o.id, o.content, f.score, f.similarity, f.proximity, f.similarity_rank, f.proximity_rank
  FROM fused f CROSS JOIN space p JOIN LATERAL memories_by_keys(p.ns, ARRAY[f.key]) o ON true
  ORDER BY f.score DESC, f.tie, f.key
$$;
