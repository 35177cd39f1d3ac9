-- What the PostgreSQL engine itself asks, beside the named queries of the store.

-- Whoever writes to one namespace shares the store's lock and has the namespace's alone; whoever changes the store as a
-- whole has the store's alone. The transaction's number tells its fate if the connection dies with its COMMIT.
-- name: begin_namespace
SELECT pg_advisory_xact_lock_shared(%(store)s), pg_advisory_xact_lock(%(space)s), pg_current_xact_id()::text AS xid;

-- name: begin_store
SELECT pg_advisory_xact_lock(%(store)s), pg_current_xact_id()::text AS xid;

-- name: try_namespace
SELECT pg_try_advisory_xact_lock_shared(%(store)s) AND pg_try_advisory_xact_lock(%(space)s) AS got,
  pg_current_xact_id()::text AS xid;

-- name: try_store
SELECT pg_try_advisory_xact_lock(%(store)s) AS got, pg_current_xact_id()::text AS xid;

-- name: fate
SELECT pg_xact_status(%(xid)s::text::xid8) AS status;

-- name: alone
SELECT pg_advisory_xact_lock(%(number)s);

-- Where extensions are: their types must be on the search path.
-- name: extensions
SELECT e.extname AS name, n.nspname AS schema, e.extversion AS version FROM pg_extension e
JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname IN ('vector', 'btree_gin');

-- name: available
SELECT name, default_version AS version FROM pg_available_extensions WHERE name IN ('vector', 'btree_gin');

-- name: has_meta
SELECT to_regclass(%(table)s::text) IS NOT NULL AS there;

-- name: tables
SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = %(schema)s::text::regnamespace AND c.relkind = 'r' ORDER BY 1;

-- name: about
SELECT current_setting('server_version_num')::bigint AS number, current_setting('server_version') AS version,
  current_user::text AS role, current_database()::text AS database, pg_is_in_recovery() AS standby,
  has_database_privilege(current_database(), 'CREATE') AS may_create,
  pg_database_size(current_database()) AS bytes, current_setting('server_encoding') AS encoding;

-- name: schema_bytes
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint AS bytes FROM pg_class c
WHERE c.relnamespace = %(schema)s::text::regnamespace AND c.relkind = 'r';

-- What the user may do in the schema, and whether rows are walled off.
-- name: rights
SELECT has_schema_privilege(current_user, %(schema)s::text, 'CREATE') AS may_create,
  (SELECT count(*) FROM pg_class c WHERE c.relnamespace = %(schema)s::text::regnamespace AND c.relkind = 'r'
    AND NOT has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE')) AS closed,
  (SELECT count(*) FROM pg_class c WHERE c.relnamespace = %(schema)s::text::regnamespace AND c.relkind = 'r'
    AND NOT (c.relrowsecurity AND c.relforcerowsecurity)) AS unguarded;

-- Indexes over types whose building stops some processors.
-- name: risky_indexes
SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
WHERE c.relnamespace = %(schema)s::text::regnamespace AND a.amname = 'hnsw' AND EXISTS (
  SELECT 1 FROM unnest(i.indclass) o(oid) JOIN pg_opclass p ON p.oid = o.oid WHERE p.opcname ~ '^(halfvec|bit)');

-- Two vectors of the store's own size compared, and an index over them: the way that match_memories goes.
-- name: probe_make
CREATE TEMPORARY TABLE engramma_probe AS
SELECT array_fill(1.0::real, ARRAY[%(dimension)s::int])::vector AS embedding FROM generate_series(1, 40);

-- name: probe_ask
SELECT round((embedding <=> embedding)::numeric, 6)::float8 AS distance FROM engramma_probe LIMIT 1;
