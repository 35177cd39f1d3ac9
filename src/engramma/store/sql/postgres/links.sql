-- ---- typed links: their weight is in edges, the rest here ----

-- The acts that made, replaced or took away one link, also those undone, oldest first.
-- name: acts_on_link
SELECT id, at, kind, reason, detail, undone_at FROM acts
WHERE ns = %(ns)s AND kind IN ('link', 'unlink') AND (detail::json ->> 'source') = %(source)s AND (detail::json ->> 'kind') = %(kind)s
  AND (detail::json ->> 'target') = %(target)s
ORDER BY id;

-- What was learnt of one link since it was made, by acts that stand, oldest first.
-- name: learnt_of_link
SELECT a.id, l.value ->> 'used' IN ('true', '1') AS used
FROM acts a CROSS JOIN json_array_elements(a.detail::json -> 'links') WITH ORDINALITY l(value, place)
WHERE a.ns = %(ns)s AND a.kind = 'learn' AND a.undone_at IS NULL AND a.at >= %(since)s AND l.value ->> 'source' = %(source)s
  AND l.value ->> 'kind' = %(kind)s AND l.value ->> 'target' = %(target)s
ORDER BY a.id, l.place;
