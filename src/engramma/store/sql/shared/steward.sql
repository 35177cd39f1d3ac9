-- ---- what the steward looks at ----

-- The live notes among some segments, with all that decides about them. by_hand: a typed link that a person or an assistant drew.
-- name: steward_notes
SELECT n.key, s.id, g.tie, t.speaker, n.tags, n.strength, n.quality, n.made_at, n.expires_at,
  coalesce(u.hits, 0) AS hits, u.last_at,
  (SELECT count(*) FROM repeats r WHERE r.ns = :ns AND r.key = n.key) AS repeats,
  EXISTS (SELECT 1 FROM links l WHERE l.ns = :ns AND l.src = n.key AND l.author NOT IN ('auto-link', 'steward'))
  OR EXISTS (SELECT 1 FROM links l INDEXED BY links_in WHERE l.ns = :ns AND l.dst = n.key AND l.author NOT IN ('auto-link', 'steward')) AS by_hand
FROM json_each(:keys) k CROSS JOIN notes n ON n.ns = :ns AND n.key = k.value
CROSS JOIN segments g ON g.key = n.key CROSS JOIN sessions s ON s.ns = :ns AND s.key = g.session
CROSS JOIN turns t ON t.ns = :ns AND t.session = g.session AND t.position = g.first
LEFT JOIN uses u ON u.ns = :ns AND u.key = n.key
WHERE g.ns = :ns AND g.state = 0 ORDER BY n.made_at, g.tie, n.key;

-- The most recalled note of all, also of those laid aside.
-- name: steward_most_hits
SELECT coalesce(max(u.hits), 0) FROM notes n CROSS JOIN uses u ON u.ns = :ns AND u.key = n.key WHERE n.ns = :ns;

-- name: keys_not_live
SELECT key FROM segments INDEXED BY segments_apart WHERE ns = :ns AND state > 0 ORDER BY key;

-- ---- taking back what it did ----

-- What was counted as a repeat of one note, once more at another.
-- name: repeats_copy
INSERT INTO repeats (ns, key, id, speaker, said_at, text, source, session, similarity, hidden)
SELECT ns, :to, id, speaker, said_at, text, source, session, similarity, hidden FROM repeats WHERE ns = :ns AND key = :key
ON CONFLICT (ns, key, id) DO NOTHING;

-- name: canonical_turns_delete
DELETE FROM turns WHERE ns = :ns AND session = :session;

-- name: canonical_session_delete
DELETE FROM sessions WHERE ns = :ns AND key = :session;
