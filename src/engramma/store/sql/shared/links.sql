-- ---- typed links: their weight is in edges, the rest here ----

-- name: link_put
INSERT INTO links (ns, src, kind, dst, weight, label, author, provenance, made_at)
VALUES (:ns, :src, :kind, :dst, :weight, :label, :author, :provenance, :made_at)
ON CONFLICT (ns, src, kind, dst) DO UPDATE SET weight = excluded.weight, label = excluded.label,
  author = excluded.author, provenance = excluded.provenance, made_at = excluded.made_at;

-- name: link_delete
DELETE FROM links WHERE ns = :ns AND src = :src AND kind = :kind AND dst = :dst;

-- name: link_get
SELECT l.src, l.kind, l.dst, e.weight, l.weight AS first_weight, l.label, l.author, l.provenance, l.made_at
FROM links l JOIN edges e ON e.ns = :ns AND e.src = l.src AND e.kind = l.kind AND e.dst = l.dst
WHERE l.ns = :ns AND l.src = :src AND l.kind = :kind AND l.dst = :dst;

-- The typed links at some segments, whichever way they point; each once.
-- name: links_at
SELECT l.src, l.kind, l.dst, e.weight, l.weight AS first_weight, l.label, l.author, l.provenance, l.made_at
FROM (
  SELECT a.src, a.kind, a.dst FROM json_each(:keys) k CROSS JOIN links a ON a.ns = :ns AND a.src = k.value
  UNION
  SELECT b.src, b.kind, b.dst FROM json_each(:keys) k CROSS JOIN links b INDEXED BY links_in ON b.ns = :ns AND b.dst = k.value
) f CROSS JOIN links l ON l.ns = :ns AND l.src = f.src AND l.kind = f.kind AND l.dst = f.dst
CROSS JOIN edges e ON e.ns = :ns AND e.src = f.src AND e.kind = f.kind AND e.dst = f.dst
ORDER BY l.src, l.kind, l.dst;

-- name: links_all
SELECT l.src, l.kind, l.dst, e.weight, l.weight AS first_weight, l.label, l.author, l.provenance, l.made_at
FROM links l JOIN edges e ON e.ns = :ns AND e.src = l.src AND e.kind = l.kind AND e.dst = l.dst
WHERE l.ns = :ns ORDER BY l.src, l.kind, l.dst;

-- name: links_drop_out
DELETE FROM links WHERE ns = :ns AND src = :key;

-- name: links_drop_in
DELETE FROM links INDEXED BY links_in WHERE ns = :ns AND dst = :key;

-- Whether there is any typed link at all: most recalls end here.
-- name: links_some
SELECT 1 FROM links WHERE ns = :ns LIMIT 1;

-- The typed links at some segments that were made by a time (null: by now), with the ties of their ends.
-- name: links_near
SELECT l.src, l.kind, l.dst, e.weight, a.tie AS src_tie, b.tie AS dst_tie
FROM (
  SELECT o.src, o.kind, o.dst FROM json_each(:keys) k CROSS JOIN links o ON o.ns = :ns AND o.src = k.value
  UNION
  SELECT i.src, i.kind, i.dst FROM json_each(:keys) k CROSS JOIN links i INDEXED BY links_in ON i.ns = :ns AND i.dst = k.value
) f CROSS JOIN links l ON l.ns = :ns AND l.src = f.src AND l.kind = f.kind AND l.dst = f.dst
CROSS JOIN edges e ON e.ns = :ns AND e.src = f.src AND e.kind = f.kind AND e.dst = f.dst
CROSS JOIN segments a ON a.key = f.src CROSS JOIN segments b ON b.key = f.dst
WHERE a.ns = :ns AND b.ns = :ns AND (:before IS NULL OR l.made_at <= :before)
ORDER BY e.weight DESC, a.tie, b.tie, l.kind, l.src, l.dst;

-- The temporal links among some segments that were made by a time (null: by now).
-- name: links_in_order
SELECT l.src, l.kind, l.dst, e.weight
FROM json_each(:keys) k CROSS JOIN links l ON l.ns = :ns AND l.src = k.value AND l.kind IN ('after', 'before')
CROSS JOIN edges e ON e.ns = :ns AND e.src = l.src AND e.kind = l.kind AND e.dst = l.dst
WHERE l.dst IN (SELECT value FROM json_each(:keys)) AND (:before IS NULL OR l.made_at <= :before);

-- name: use_last
SELECT hits, last_at FROM uses WHERE ns = :ns AND key = :key;

-- Take a counted use back: the time of the last one only if nothing was used since.
-- name: use_take_back
UPDATE uses SET hits = hits - 1, last_at = CASE WHEN last_at = :at THEN coalesce(:before, last_at) ELSE last_at END
WHERE ns = :ns AND key = :key;

-- name: uses_none
DELETE FROM uses WHERE ns = :ns AND key = :key AND hits <= 0;
