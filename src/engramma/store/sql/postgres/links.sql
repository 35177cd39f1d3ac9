-- ---- typed links: their weight is in edges, the rest here ----

-- name: link_put
INSERT INTO links (ns, src, kind, dst, weight, label, author, provenance, made_at)
VALUES (%(ns)s, %(src)s, %(kind)s, %(dst)s, %(weight)s, %(label)s, %(author)s, %(provenance)s, %(made_at)s)
ON CONFLICT (ns, src, kind, dst) DO UPDATE SET weight = excluded.weight, label = excluded.label,
  author = excluded.author, provenance = excluded.provenance, made_at = excluded.made_at;

-- name: link_delete
DELETE FROM links WHERE ns = %(ns)s AND src = %(src)s AND kind = %(kind)s AND dst = %(dst)s;

-- name: link_get
SELECT l.src, l.kind, l.dst, e.weight, l.weight AS first_weight, l.label, l.author, l.provenance, l.made_at
FROM links l JOIN edges e ON e.ns = %(ns)s AND e.src = l.src AND e.kind = l.kind AND e.dst = l.dst
WHERE l.ns = %(ns)s AND l.src = %(src)s AND l.kind = %(kind)s AND l.dst = %(dst)s;

-- The typed links at some segments, whichever way they point;
-- name: links_at
SELECT l.src, l.kind, l.dst, e.weight, l.weight AS first_weight, l.label, l.author, l.provenance, l.made_at
FROM (
  SELECT a.src, a.kind, a.dst FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN links a ON a.ns = %(ns)s AND a.src = k.value
  UNION
  SELECT b.src, b.kind, b.dst FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN links b ON b.ns = %(ns)s AND b.dst = k.value
) f JOIN links l ON l.ns = %(ns)s AND l.src = f.src AND l.kind = f.kind AND l.dst = f.dst
JOIN edges e ON e.ns = %(ns)s AND e.src = f.src AND e.kind = f.kind AND e.dst = f.dst
ORDER BY l.src, l.kind, l.dst;

-- name: links_all
SELECT l.src, l.kind, l.dst, e.weight, l.weight AS first_weight, l.label, l.author, l.provenance, l.made_at
FROM links l JOIN edges e ON e.ns = %(ns)s AND e.src = l.src AND e.kind = l.kind AND e.dst = l.dst
WHERE l.ns = %(ns)s ORDER BY l.src, l.kind, l.dst;

-- name: links_drop_out
DELETE FROM links WHERE ns = %(ns)s AND src = %(key)s;

-- name: links_drop_in
DELETE FROM links WHERE ns = %(ns)s AND dst = %(key)s;

-- Whether there is any typed link at all: most recalls end here.
-- name: links_some
SELECT 1 FROM links WHERE ns = %(ns)s LIMIT 1;

-- The typed links at some segments that were made by a time (null: by now), with the ties of their ends.
-- name: links_near
SELECT l.src, l.kind, l.dst, e.weight, a.tie AS src_tie, b.tie AS dst_tie
FROM (
  SELECT o.src, o.kind, o.dst FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN links o ON o.ns = %(ns)s AND o.src = k.value
  UNION
  SELECT i.src, i.kind, i.dst FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN links i ON i.ns = %(ns)s AND i.dst = k.value
) f JOIN links l ON l.ns = %(ns)s AND l.src = f.src AND l.kind = f.kind AND l.dst = f.dst
JOIN edges e ON e.ns = %(ns)s AND e.src = f.src AND e.kind = f.kind AND e.dst = f.dst
JOIN segments a ON a.ns = %(ns)s AND a.key = f.src JOIN segments b ON b.ns = %(ns)s AND b.key = f.dst
WHERE a.ns = %(ns)s AND b.ns = %(ns)s AND (%(before)s::bigint IS NULL OR l.made_at <= %(before)s)
ORDER BY e.weight DESC, a.tie, b.tie, l.kind, l.src, l.dst;

-- The temporal links among some segments that were made by a time (null: by now).
-- name: links_in_order
SELECT l.src, l.kind, l.dst, e.weight
FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN links l ON l.ns = %(ns)s AND l.src = k.value AND l.kind IN ('after', 'before')
JOIN edges e ON e.ns = %(ns)s AND e.src = l.src AND e.kind = l.kind AND e.dst = l.dst
WHERE l.dst = ANY(%(keys)s::bigint[]) AND (%(before)s::bigint IS NULL OR l.made_at <= %(before)s)
ORDER BY k.place;

-- name: use_last
SELECT hits, last_at FROM uses WHERE ns = %(ns)s AND key = %(key)s;

-- Take a counted use back: the time of the last one only if nothing was used since.
-- name: use_take_back
UPDATE uses SET hits = hits - 1, last_at = CASE WHEN last_at = %(at)s THEN coalesce(%(before)s, last_at) ELSE last_at END
WHERE ns = %(ns)s AND key = %(key)s;

-- name: uses_none
DELETE FROM uses WHERE ns = %(ns)s AND key = %(key)s AND hits <= 0;

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
