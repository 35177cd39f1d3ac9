-- What the PostgreSQL engine itself asks, beside the named queries of the store.

-- Whoever writes to one namespace shares the store's lock and has the namespace's alone; whoever changes the store as a
-- whole has the store's alone. The transaction's number tells its fate if the connection dies with its COMMIT; on another
-- timeline (a standby that was promoted) the same number is another transaction's. Listeners hear of it when it is committed.
-- name: begin_namespace
SELECT pg_advisory_xact_lock_shared(%(store)s), pg_advisory_xact_lock(%(space)s), pg_current_xact_id()::text AS xid,
  left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS timeline, pg_notify(%(channel)s, %(told)s);

-- name: begin_store
SELECT pg_advisory_xact_lock(%(store)s), pg_current_xact_id()::text AS xid,
  left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS timeline, pg_notify(%(channel)s, %(told)s);

-- name: try_namespace
SELECT pg_try_advisory_xact_lock_shared(%(store)s) AND pg_try_advisory_xact_lock(%(space)s) AS got,
  pg_current_xact_id()::text AS xid, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS timeline,
  pg_notify(%(channel)s, %(told)s);

-- name: try_store
SELECT pg_try_advisory_xact_lock(%(store)s) AS got, pg_current_xact_id()::text AS xid,
  left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS timeline, pg_notify(%(channel)s, %(told)s);

-- name: fate
SELECT CASE left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) WHEN %(timeline)s::text
  THEN pg_xact_status(%(xid)s::text::xid8) ELSE 'unknown' END AS status;

-- Instead of an insert's VALUES, so that any number of rows comes in as many values as there are columns.
-- name: rows_of_arrays
SELECT {body} FROM unnest({arrays}) WITH ORDINALITY r({columns});

-- What settles equal ranks: an order that comes from the segments' identities.
-- name: ties
SELECT g.key, g.tie FROM unnest(%(keys)s::bigint[]) k(value) JOIN segments g ON g.ns = %(ns)s AND g.key = k.value;

-- What recall asks of the state that it looks at: the namespace's name, how far its changes go, notes about it.
-- name: ahead
SELECT 'name' AS kind, '' AS key, n.name AS value FROM namespaces n WHERE n.ns = %(ns)s
UNION ALL SELECT 'last', '', (SELECT coalesce(max(c.seq), 0)::text FROM changes c WHERE c.ns = %(ns)s)
UNION ALL SELECT 'note', m.key, m.value FROM meta m WHERE m.ns = 0 AND m.key = ANY(%(keys)s);

-- How far a primary's log is on its disk, how far with what was just written, and how far a standby has replayed it (NULL:
-- it is no standby).
-- name: log_of_primary
SELECT pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint AS place;

-- name: log_after_commit
SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint AS place;

-- name: replayed
SELECT CASE WHEN pg_is_in_recovery() THEN pg_wal_lsn_diff(coalesce(pg_last_wal_replay_lsn(), '0/0'), '0/0')::bigint END AS place;

-- name: alive
SELECT 1;

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

-- The index over a namespace's vectors that match_memories uses above so many live segments: whether one is due, and what
-- is left of one whose making was broken off.
-- name: near_due
SELECT vector_dims((SELECT e.embedding FROM embeddings e WHERE e.ns = %(ns)s LIMIT 1)) AS dimension,
  (SELECT i.indisvalid FROM pg_index i WHERE i.indexrelid = to_regclass(format('%%I.%%I', %(schema)s::text, %(index)s::text))) AS whole
FROM word_totals t WHERE t.ns = %(ns)s AND t.cold = 0 AND t.documents > 20000;

-- Tables that have outgrown what the planner knows of them: twice as long as when they were last looked at.
-- name: outgrown
SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = %(schema)s::text::regnamespace AND c.relkind = 'r'
AND c.relowner = (SELECT oid FROM pg_roles WHERE rolname = current_user)
AND pg_relation_size(c.oid) > current_setting('block_size')::bigint * (CASE WHEN c.reltuples < 0 THEN 1 ELSE 2 * greatest(c.relpages, 1) END);

-- What the planner knows of our tables: the commonest of their words and names, and some of the others.
-- name: forget_tables
DELETE FROM pg_catalog.pg_statistic s USING pg_class c
WHERE c.oid = s.starelid AND c.relnamespace = %(schema)s::text::regnamespace RETURNING 1 AS gone;

-- name: next_log
SELECT pg_switch_wal()::text AS place;

-- pgvector's parallel build uses instructions that not every ARM processor has, and the server dies of them.
-- name: near_builder
SELECT set_config('statement_timeout', '0', false),
  set_config('maintenance_work_mem', CASE WHEN pg_size_bytes(m.given) < pg_size_bytes('512MB') THEN '512MB' ELSE m.given END, false),
  set_config('max_parallel_maintenance_workers', CASE WHEN version() ~ 'aarch64|arm64' THEN '0' ELSE w.given END, false)
FROM current_setting('maintenance_work_mem') m(given), current_setting('max_parallel_maintenance_workers') w(given);

-- name: near_indexes
SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = %(schema)s::text::regnamespace AND c.relkind = 'i'
AND starts_with(c.relname, 'embeddings_near_');

-- ---- namespaces on other servers ----

-- name: homes
SELECT substr(key, length(%(prefix)s::text) + 1) AS name, value FROM meta WHERE ns = 0 AND starts_with(key, %(prefix)s::text)
ORDER BY 1;

-- name: granted
SELECT EXISTS (SELECT 1 FROM grants WHERE ns = %(ns)s) OR EXISTS (SELECT 1 FROM tenants WHERE ns = %(ns)s) AS granted;

-- What is noted of the store as a whole; what is noted of a namespace ends in its number.
-- name: notes_of_the_store
SELECT key FROM meta WHERE ns = 0 AND key !~ '[a-z]_[0-9]+$' ORDER BY key;

-- name: notes_of_namespace
SELECT key, value FROM meta WHERE ns = 0 AND key ~ ('[a-z]_' || %(ns)s::text || '$') AND NOT starts_with(key, 'words_form_')
ORDER BY key;
