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
