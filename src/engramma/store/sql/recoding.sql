-- A database written anew under another key (store/sqlite/rekey.py). SQLCipher's library runs these.

-- The new file; its key is bound, and an empty one leaves it plain.
-- name: recode_attach
ATTACH DATABASE ? AS target KEY ?;

-- Schema, rows and virtual tables; the library's own function.
-- name: recode_export
SELECT sqlcipher_export('target');

-- name: recode_detach
DETACH DATABASE target;

-- Tables with rows of their own: the words' shadow tables among them, but no virtual table.
-- name: recode_tables
SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE 'CREATE VIRTUAL%'
ORDER BY name;

-- What says the same on both sides if nothing of the schema was lost.
-- name: recode_schema
SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name;
