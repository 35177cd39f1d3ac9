-- name: begin
CREATE TABLE IF NOT EXISTS stamp (one INTEGER PRIMARY KEY CHECK (one = 1), value TEXT NOT NULL);
-- name: create
CREATE VIRTUAL TABLE IF NOT EXISTS vectors USING vec0(key INTEGER PRIMARY KEY, vector float[{width}] distance_metric=L2);
-- name: drop
DROP TABLE IF EXISTS vectors;
-- name: unstamp
DELETE FROM stamp;
-- name: stamp
SELECT value FROM stamp;
-- name: mark
INSERT INTO stamp (one, value) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET value = excluded.value;
-- name: add
INSERT INTO vectors (key, vector) VALUES (?, ?);
-- name: remove
DELETE FROM vectors WHERE key = ?;
-- name: nearest
SELECT key, distance FROM vectors WHERE vector MATCH ? AND k = ?;
-- name: count
SELECT count(*) FROM vectors;
