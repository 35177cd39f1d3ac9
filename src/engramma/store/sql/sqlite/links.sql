-- ---- typed links: their weight is in edges, the rest here ----

-- The acts that made, replaced or took away one link, also those undone, oldest first.
-- name: acts_on_link
SELECT id, at, kind, reason, detail, undone_at FROM acts
WHERE ns = :ns AND kind IN ('link', 'unlink') AND json_extract(detail, '$.source') = :source AND json_extract(detail, '$.kind') = :kind
  AND json_extract(detail, '$.target') = :target
ORDER BY id;

-- What was learnt of one link since it was made, by acts that stand, oldest first.
-- name: learnt_of_link
SELECT a.id, json_extract(l.value, '$.used') AS used FROM acts a CROSS JOIN json_each(a.detail, '$.links') l
WHERE a.ns = :ns AND a.kind = 'learn' AND a.undone_at IS NULL AND a.at >= :since AND json_extract(l.value, '$.source') = :source
  AND json_extract(l.value, '$.kind') = :kind AND json_extract(l.value, '$.target') = :target
ORDER BY a.id;
