-- ---- looking around: by time, by who said it ----

-- Live segments within bounds in the order of their times; with :newest = 1 the newest first.
-- name: browse_segments
SELECT g.key FROM sessions s CROSS JOIN segments g ON g.ns = :ns AND g.session = s.key
WHERE s.ns = :ns AND g.state = 0
  AND (:conversation IS NULL OR s.conversation = :conversation) AND (:session IS NULL OR s.id = :session)
  AND (:kind IS NULL OR g.kind = :kind) AND (:since IS NULL OR g.said_at >= :since) AND (:until IS NULL OR g.said_at < :until)
  AND (:speaker IS NULL OR EXISTS (SELECT 1 FROM turns t WHERE t.ns = :ns AND t.session = g.session
    AND t.position BETWEEN g.first AND g.last AND t.hidden = 0 AND t.speaker IN (SELECT value FROM json_each(:speaker))))
ORDER BY CASE WHEN :newest <> 0 THEN -g.said_at ELSE g.said_at END, s.conversation, s.id, g.idx
LIMIT :limit OFFSET :offset;

-- Who spoke in talks and notes, how often and when. A document's "speaker" is its name and headings: not a person.
-- name: browse_people
SELECT t.speaker, count(*) AS turns, min(t.said_at) AS first_at, max(t.said_at) AS last_at,
  count(DISTINCT s.conversation) AS conversations
FROM sessions s CROSS JOIN turns t ON t.ns = :ns AND t.session = s.key
WHERE s.ns = :ns AND s.conversation <> 'engramma:documents' AND t.hidden = 0
GROUP BY t.speaker ORDER BY turns DESC, t.speaker;

-- name: browse_talks_of
SELECT s.conversation, max(c.title) AS title, count(*) AS turns, min(t.said_at) AS first_at, max(t.said_at) AS last_at
FROM sessions s CROSS JOIN turns t ON t.ns = :ns AND t.session = s.key
LEFT JOIN conversations c ON c.ns = :ns AND c.id = s.conversation
WHERE s.ns = :ns AND s.conversation <> 'engramma:documents' AND t.hidden = 0
  AND t.speaker IN (SELECT value FROM json_each(:speaker))
GROUP BY s.conversation ORDER BY last_at DESC, s.conversation;
