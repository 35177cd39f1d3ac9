-- All namespaces of a store as one for SQL clients, wherever they live (store/postgres/partitions.py). Words in braces are names of our
-- own schema and tables, or values that were quoted by the server; partitions are lists of namespaces, one a server.

-- name: drop
DROP SCHEMA IF EXISTS {all} CASCADE;

-- name: make
CREATE SCHEMA {all};

-- name: extension
CREATE EXTENSION IF NOT EXISTS postgres_fdw SCHEMA public;

-- name: server_drop
DROP SERVER IF EXISTS {server} CASCADE;

-- name: server
CREATE SERVER {server} FOREIGN DATA WRAPPER postgres_fdw OPTIONS ({options});

-- name: user
CREATE USER MAPPING FOR CURRENT_USER SERVER {server} OPTIONS ({options});

-- name: far
CREATE TABLE {all}.{far} (LIKE {schema}.{table}) PARTITION BY LIST (ns);

-- name: partition
CREATE FOREIGN TABLE {all}.{part} PARTITION OF {all}.{far} FOR VALUES IN ({numbers}) SERVER {server}
OPTIONS (schema_name {remote}, table_name {name});

-- name: whole
CREATE VIEW {all}.{table} AS SELECT * FROM {schema}.{table} UNION ALL SELECT * FROM {all}.{far};
