-- ---- looking around: by time, by who said it ----

-- Live segments within bounds in the order of their times; with :newest = 1 the newest first.
-- name: browse_segments
SELECT g.key FROM sessions s JOIN segments g ON g.ns = %(ns)s AND g.session = s.key
WHERE s.ns = %(ns)s AND g.state = 0
  AND (%(conversation)s::text IS NULL OR s.conversation = %(conversation)s) AND (%(session)s::text IS NULL OR s.id = %(session)s)
  AND (%(kind)s::text IS NULL OR g.kind = %(kind)s) AND (%(since)s::bigint IS NULL OR g.said_at >= %(since)s) AND (%(until)s::bigint IS NULL OR g.said_at < %(until)s)
  AND (%(speaker)s::text IS NULL OR EXISTS (SELECT 1 FROM turns t WHERE t.ns = %(ns)s AND t.session = g.session
    AND t.position BETWEEN g.first AND g.last AND t.hidden = 0 AND t.speaker = ANY(%(speaker)s::text[])))
ORDER BY CASE WHEN %(newest)s <> 0 THEN -g.said_at ELSE g.said_at END, s.conversation, s.id, g.idx
LIMIT nullif(%(limit)s::bigint, -1) OFFSET %(offset)s;

-- Who spoke in talks and notes, how often and when. A document's "speaker" is its name and headings: not a person.
-- name: browse_people
SELECT t.speaker, count(*) AS turns, min(t.said_at) AS first_at, max(t.said_at) AS last_at,
  count(DISTINCT s.conversation) AS conversations
FROM sessions s JOIN turns t ON t.ns = %(ns)s AND t.session = s.key
WHERE s.ns = %(ns)s AND s.conversation <> 'engramma:documents' AND t.hidden = 0
GROUP BY t.speaker ORDER BY turns DESC, t.speaker;

-- name: browse_talks_of
SELECT s.conversation, c.title, count(*) AS turns, min(t.said_at) AS first_at, max(t.said_at) AS last_at
FROM sessions s JOIN turns t ON t.ns = %(ns)s AND t.session = s.key
LEFT JOIN conversations c ON c.ns = %(ns)s AND c.id = s.conversation
WHERE s.ns = %(ns)s AND s.conversation <> 'engramma:documents' AND t.hidden = 0 AND t.speaker = ANY(%(speaker)s::text[])
GROUP BY s.conversation, c.title ORDER BY last_at DESC, s.conversation;
