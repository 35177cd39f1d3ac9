-- name: extension
CREATE EXTENSION IF NOT EXISTS vector;
-- name: stamps
CREATE TABLE IF NOT EXISTS engramma_indexes (name text PRIMARY KEY, stamp text NOT NULL);
-- name: stamp
SELECT stamp FROM engramma_indexes WHERE name = %(name)s AND to_regclass(name) IS NOT NULL;
-- name: mark
INSERT INTO engramma_indexes (name, stamp) VALUES (%(name)s, %(stamp)s) ON CONFLICT (name) DO UPDATE SET stamp = excluded.stamp;
-- name: unstamp
DELETE FROM engramma_indexes WHERE name = %(name)s;
-- name: drop
DROP TABLE IF EXISTS {table};
-- name: create
CREATE TABLE {table} (key bigint PRIMARY KEY, vector vector({width}) NOT NULL);
-- name: incoming
CREATE TEMPORARY TABLE incoming (key bigint, vector vector({width})) ON COMMIT DROP;
-- name: copy
COPY incoming (key, vector) FROM STDIN;
-- name: add
INSERT INTO {table} (key, vector) SELECT key, vector FROM incoming ON CONFLICT (key) DO UPDATE SET vector = excluded.vector;
-- name: remove
DELETE FROM {table} WHERE key = ANY(%(keys)s);
-- name: exact
WITH scored AS MATERIALIZED (SELECT key, -(vector <#> %(query)s::vector) AS similarity FROM {table})
SELECT key, similarity FROM scored ORDER BY similarity DESC LIMIT %(k)s;
-- name: width
SELECT set_config('hnsw.ef_search', %(width)s, true);
-- name: nearest
SELECT key, -(vector <#> %(query)s::vector) AS similarity FROM {table} ORDER BY vector <#> %(query)s::vector LIMIT %(k)s;
-- name: count
SELECT count(*) FROM {table};
-- name: has_graph
SELECT count(*) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relname = %(graph)s AND i.indisvalid;
-- A parallel build uses instructions that not every ARM processor has, and the server dies of them.
-- name: builder
SELECT set_config('statement_timeout', '0', true),
  set_config('maintenance_work_mem', CASE WHEN pg_size_bytes(m.given) < pg_size_bytes('512MB') THEN '512MB' ELSE m.given END, true),
  set_config('max_parallel_maintenance_workers', CASE WHEN version() ~ 'aarch64|arm64' THEN '0' ELSE w.given END, true)
FROM current_setting('maintenance_work_mem') m(given), current_setting('max_parallel_maintenance_workers') w(given);
-- name: graph
CREATE INDEX IF NOT EXISTS {table}_graph ON {table} USING hnsw (vector vector_ip_ops);
