-- ---- acts: what was done to the store, and how to take it back ----

-- name: act_add
INSERT INTO acts (ns, at, kind, reason, detail) VALUES (%(ns)s, %(at)s, %(kind)s, %(reason)s, %(detail)s) RETURNING id;

-- name: act_get
SELECT id, at, kind, reason, detail, undone_at FROM acts WHERE ns = %(ns)s AND id = %(id)s;

-- name: acts_latest
SELECT id, at, kind, reason, detail, undone_at FROM acts WHERE ns = %(ns)s ORDER BY id DESC LIMIT nullif(%(limit)s::bigint, -1);

-- name: acts_of_kind
SELECT id, at, kind, reason, detail, undone_at FROM acts WHERE ns = %(ns)s AND kind = %(kind)s AND undone_at IS NULL ORDER BY id;

-- name: act_undone
UPDATE acts SET undone_at = %(at)s WHERE ns = %(ns)s AND id = %(id)s;

-- name: act_scrub
UPDATE acts SET reason = %(reason)s, detail = %(detail)s WHERE ns = %(ns)s AND id = %(id)s;

-- Acts of some kinds that still stand, the newest first.
-- name: acts_standing
SELECT id, at, kind, reason, detail, undone_at FROM acts
WHERE ns = %(ns)s AND undone_at IS NULL AND at >= %(since)s AND kind = ANY(%(kinds)s::text[]) ORDER BY id DESC;

-- Acts of some kinds that were taken back.
-- name: acts_undone
SELECT id, at, kind, reason, detail, undone_at FROM acts
WHERE ns = %(ns)s AND undone_at IS NOT NULL AND kind = ANY(%(kinds)s::text[]) ORDER BY id;

-- Later acts that name a segment and still stand.
-- name: acts_resting_on
SELECT id, kind FROM acts WHERE ns = %(ns)s AND id > %(id)s AND undone_at IS NULL AND strpos(detail, %(named)s) > 0 ORDER BY id;
