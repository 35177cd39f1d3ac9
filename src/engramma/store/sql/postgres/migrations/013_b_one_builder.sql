-- A namespace's own HNSW index, as before, but built by one process where pgvector's parallel build stops the server: its
-- builds for ARM use instructions there that not every such processor has.
CREATE OR REPLACE FUNCTION index_memories(namespace text) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  space bigint := memory_number(namespace);
  dimensions int := (SELECT vector_dims(e.embedding) FROM embeddings e WHERE e.ns = space LIMIT 1);
BEGIN
  IF dimensions IS NOT NULL THEN
    IF version() ~ 'aarch64|arm64' THEN
      PERFORM set_config('max_parallel_maintenance_workers', '0', true);
    END IF;
    EXECUTE format('CREATE INDEX IF NOT EXISTS embeddings_near_%1$s ON embeddings USING hnsw '
      '((embedding::vector(%2$s)) vector_cosine_ops) WHERE ns = %1$s', space, dimensions);
  END IF;
END
$$;
