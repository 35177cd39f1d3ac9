-- Whole tables from one database to another (store/copy_tables.py). `{table}`, `{columns}`, `{key}` and `{marks}` are filled with
-- names of the schema's own tables and columns and with placeholders, never with a value.

-- name: copy_stream
SELECT {columns} FROM {table} ORDER BY {key};

-- name: copy_stream_after
SELECT {columns} FROM {table} WHERE ({key}) > ({marks}) ORDER BY {key};

-- name: copy_stream_back
SELECT {columns} FROM {table} ORDER BY {backwards};

-- name: copy_last
SELECT {key} FROM {table} ORDER BY {backwards} LIMIT 1;

-- name: copy_count
SELECT count(*) FROM {table};

-- name: copy_clear
DELETE FROM {table};

-- Of one namespace; the namespace leads every key.
-- name: copy_stream_of
SELECT {columns} FROM {table} WHERE ns = %s ORDER BY {key};

-- name: copy_count_of
SELECT count(*) FROM {table} WHERE ns = %s;

-- name: copy_clear_of
DELETE FROM {table} WHERE ns = %s;

-- What each database notes for itself stays: the schema's version, that it is being filled, the form of its words.
-- name: copy_clear_meta
DELETE FROM {table} WHERE key NOT IN ('schema_version', 'moving') AND substr(key, 1, 11) <> 'words_form_';

-- name: sqlite_add
INSERT INTO {table} ({columns}) VALUES ({marks});

-- name: sqlite_triggers
SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?;

-- name: sqlite_tables
SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name;

-- name: sqlite_made
SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?;

-- name: sqlite_counters
SELECT name, seq FROM sqlite_sequence;

-- name: sqlite_counter_drop
DELETE FROM sqlite_sequence WHERE name = ?;

-- name: sqlite_counter_add
INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?);

-- name: postgres_add
COPY {table} ({columns}) FROM STDIN;

-- name: postgres_forced
SELECT relforcerowsecurity AS forced FROM pg_class WHERE oid = %(table)s::text::regclass;

-- name: postgres_counters
SELECT t.relname AS name, a.attname AS counted, pg_sequence_last_value(s.oid) AS seq FROM pg_class s
JOIN pg_depend d ON d.objid = s.oid AND d.deptype = 'i' AND d.classid = 'pg_class'::regclass
JOIN pg_class t ON t.oid = d.refobjid JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
WHERE s.relkind = 'S' AND t.relnamespace = current_schema()::regnamespace;

-- name: postgres_counter_set
SELECT setval(pg_get_serial_sequence(%(table)s, %(counted)s), %(seq)s);

-- name: postgres_highest
SELECT max({key}) FROM {table};

-- What runs by itself in a file that came from elsewhere.
-- name: sqlite_acting
SELECT type, name, sql FROM sqlite_schema WHERE type IN ('trigger', 'view');
