-- For any SQL client: segments by meaning, by the graph, and by both, each within one namespace. A segment's id is the one
-- that Engramma shows; its content is what was said, with who said it.

CREATE FUNCTION memory_id(conversation text, session text, idx bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE conversation WHEN 'engramma:notes' THEN session
    WHEN 'engramma:documents' THEN 'doc_' || replace(replace(session, '%', '%25'), '/', '%2F') || '_' || idx
    ELSE 'seg_' || replace(replace(conversation, '%', '%25'), '/', '%2F') || '/'
      || replace(replace(session, '%', '%25'), '/', '%2F') || '_' || idx END
$$;

CREATE FUNCTION memory_number(namespace text) RETURNS bigint LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT n.ns FROM namespaces n WHERE n.name = namespace
$$;

-- Segments by their keys, with what was said in them and can be seen.
CREATE FUNCTION memories_by_keys(space bigint, wanted bigint[]) RETURNS TABLE (key bigint, id text, content text, said_at timestamptz)
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT g.key, memory_id(s.conversation, s.id, g.idx), string_agg(t.speaker || ': ' || t.text, E'\n' ORDER BY t.position),
    to_timestamp(g.said_at / 1000000.0)
  FROM unnest(wanted) k(value) JOIN segments g ON g.ns = space AND g.key = k.value
  JOIN sessions s ON s.ns = space AND s.key = g.session
  JOIN turns t ON t.ns = space AND t.session = g.session AND t.position BETWEEN g.first AND g.last AND t.hidden = 0
  WHERE g.state = 0 GROUP BY g.key, g.idx, g.said_at, s.conversation, s.id
$$;

-- The nearest by cosine, as keys. Up to 20,000 live segments every one is compared, which misses none; above, an index over
-- the namespace (index_memories) answers if there is one.
CREATE FUNCTION nearest_memories(query_embedding vector, space bigint, match_count int)
RETURNS TABLE (key bigint, similarity double precision) LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
  IF coalesce((SELECT t.documents FROM word_totals t WHERE t.ns = space AND t.cold = 0), 0) <= 20000 THEN
    RETURN QUERY WITH compared AS MATERIALIZED (
      SELECT e.key AS one, 1 - (e.embedding <=> query_embedding) AS likeness FROM embeddings e
      JOIN segments g ON g.ns = space AND g.key = e.key AND g.state = 0 WHERE e.ns = space
    ) SELECT c.one, c.likeness FROM compared c ORDER BY c.likeness DESC, c.one LIMIT match_count;
  ELSE
    RETURN QUERY EXECUTE format(
      'SELECT e.key, 1 - (e.embedding::vector(%1$s) <=> $1) FROM embeddings e '
      'JOIN segments g ON g.ns = %2$s AND g.key = e.key AND g.state = 0 '
      'WHERE e.ns = %2$s ORDER BY e.embedding::vector(%1$s) <=> $1 LIMIT $2', vector_dims(query_embedding), space)
      USING query_embedding, match_count;
  END IF;
END
$$;

-- A namespace's own HNSW index: over all of them at once, the filter would lose most neighbours. float32 alone: over halfvec
-- and bit, pgvector's build stops some processors.
CREATE FUNCTION index_memories(namespace text) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  space bigint := memory_number(namespace);
  dimensions int := (SELECT vector_dims(e.embedding) FROM embeddings e WHERE e.ns = space LIMIT 1);
BEGIN
  IF dimensions IS NOT NULL THEN
    EXECUTE format('CREATE INDEX IF NOT EXISTS embeddings_near_%1$s ON embeddings USING hnsw '
      '((embedding::vector(%2$s)) vector_cosine_ops) WHERE ns = %1$s', space, dimensions);
  END IF;
END
$$;

CREATE FUNCTION match_memories(query_embedding vector, namespace text DEFAULT 'default',
  match_threshold double precision DEFAULT 0, match_count int DEFAULT 10)
RETURNS TABLE (id text, content text, similarity double precision, said_at timestamptz)
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  WITH found AS MATERIALIZED (
    SELECT n.key, n.similarity FROM nearest_memories(query_embedding, memory_number(namespace), match_count) n
    WHERE n.similarity >= match_threshold
  )
  SELECT m.id, m.content, f.similarity, m.said_at FROM found f
  JOIN memories_by_keys(memory_number(namespace), ARRAY(SELECT k.key FROM found k)) m ON m.key = f.key
  ORDER BY f.similarity DESC, m.id
$$;

-- Along the edges from some segments, either way: weights multiplied, halved for each further hop.
CREATE FUNCTION near_keys(space bigint, seeds bigint[], hops int, cap int)
RETURNS TABLE (key bigint, hop int, proximity double precision) LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  WITH RECURSIVE ways (here, hop, proximity) AS (
    SELECT s.value, 0, 1.0::double precision FROM unnest(seeds) s(value)
    UNION
    SELECT e.other, w.hop + 1, w.proximity * least(e.weight, 1.0::double precision) * CASE w.hop WHEN 0 THEN 1 ELSE 0.5 END
    FROM ways w CROSS JOIN LATERAL (
      SELECT o.dst AS other, o.weight FROM edges o WHERE o.ns = space AND o.src = w.here AND o.kind <> 'supersedes'
      UNION ALL
      SELECT i.src, i.weight FROM edges i WHERE i.ns = space AND i.dst = w.here AND i.kind NOT IN ('supersedes', 'chain')
    ) e JOIN segments g ON g.ns = space AND g.key = e.other AND g.state = 0
    WHERE w.hop < least(hops, 2) AND e.weight > 0
  )
  SELECT w.here, min(w.hop), max(w.proximity) FROM ways w WHERE w.hop > 0 AND w.here <> ALL(seeds)
  GROUP BY w.here ORDER BY max(w.proximity) DESC, w.here LIMIT cap
$$;

CREATE FUNCTION get_memory_neighbors(memory_ids text[], namespace text DEFAULT 'default', hops int DEFAULT 2, cap int DEFAULT 20)
RETURNS TABLE (id text, content text, hop int, proximity double precision) LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  WITH space AS MATERIALIZED (SELECT memory_number(namespace) AS ns), seeds AS MATERIALIZED (
    SELECT g.key FROM space p JOIN sessions s ON s.ns = p.ns JOIN segments g ON g.ns = p.ns AND g.session = s.key
    WHERE g.state = 0 AND memory_id(s.conversation, s.id, g.idx) = ANY(memory_ids)
  ), found AS MATERIALIZED (
    SELECT n.* FROM space p CROSS JOIN near_keys(p.ns, ARRAY(SELECT s.key FROM seeds s), hops, cap) n
  )
  SELECT m.id, m.content, f.hop, f.proximity FROM found f CROSS JOIN space p
  JOIN LATERAL memories_by_keys(p.ns, ARRAY[f.key]) m ON true ORDER BY f.proximity DESC, m.id
$$;

-- Ranks by meaning and ranks by the graph around the best of them, fused: the sum of 1 / (k + rank).
CREATE FUNCTION match_memories_hybrid(query_embedding vector, namespace text DEFAULT 'default',
  match_threshold double precision DEFAULT 0, match_count int DEFAULT 10, rrf_k int DEFAULT 60, hops int DEFAULT 2, cap int DEFAULT 20)
RETURNS TABLE (id text, content text, score double precision, similarity double precision, proximity double precision)
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  WITH space AS MATERIALIZED (SELECT memory_number(namespace) AS ns), meant AS MATERIALIZED (
    SELECT n.key, n.similarity, row_number() OVER (ORDER BY n.similarity DESC, n.key) AS rank
    FROM space p CROSS JOIN nearest_memories(query_embedding, p.ns, match_count) n WHERE n.similarity >= match_threshold
  ), linked AS MATERIALIZED (
    SELECT n.key, n.proximity, row_number() OVER (ORDER BY n.proximity DESC, n.key) AS rank
    FROM space p CROSS JOIN near_keys(p.ns, ARRAY(SELECT m.key FROM meant m), hops, cap) n
  ), fused AS (
    SELECT coalesce(m.key, l.key) AS key, m.similarity, l.proximity,
      coalesce(1.0::float8 / (rrf_k + m.rank), 0) + coalesce(1.0::float8 / (rrf_k + l.rank), 0) AS score
    FROM meant m FULL JOIN linked l ON l.key = m.key
  )
  SELECT o.id, o.content, f.score, f.similarity, f.proximity FROM fused f CROSS JOIN space p
  JOIN LATERAL memories_by_keys(p.ns, ARRAY[f.key]) o ON true ORDER BY f.score DESC, o.id LIMIT match_count
$$;

SELECT guard_tables();
