-- ---- acts: what was done to the store, and how to take it back ----

-- name: act_add
INSERT INTO acts (ns, at, kind, reason, detail) VALUES (:ns, :at, :kind, :reason, :detail) RETURNING id;

-- name: act_get
SELECT id, at, kind, reason, detail, undone_at FROM acts WHERE ns = :ns AND id = :id;

-- name: acts_latest
SELECT id, at, kind, reason, detail, undone_at FROM acts WHERE ns = :ns ORDER BY id DESC LIMIT :limit;

-- name: acts_of_kind
SELECT id, at, kind, reason, detail, undone_at FROM acts WHERE ns = :ns AND kind = :kind AND undone_at IS NULL ORDER BY id;

-- name: act_undone
UPDATE acts SET undone_at = :at WHERE ns = :ns AND id = :id;

-- name: act_scrub
UPDATE acts SET reason = :reason, detail = :detail WHERE ns = :ns AND id = :id;

-- Acts of some kinds that still stand, the newest first.
-- name: acts_standing
SELECT id, at, kind, reason, detail, undone_at FROM acts
WHERE ns = :ns AND undone_at IS NULL AND at >= :since AND kind IN (SELECT value FROM json_each(:kinds)) ORDER BY id DESC;

-- Acts of some kinds that were taken back.
-- name: acts_undone
SELECT id, at, kind, reason, detail, undone_at FROM acts
WHERE ns = :ns AND undone_at IS NOT NULL AND kind IN (SELECT value FROM json_each(:kinds)) ORDER BY id;

-- Later acts that name a segment and still stand.
-- name: acts_resting_on
SELECT id, kind FROM acts WHERE ns = :ns AND id > :id AND undone_at IS NULL AND instr(detail, :named) > 0 ORDER BY id;
