-- ---- segments within the bounds of a question ----

-- Where somebody of these names said something that can be seen.
-- name: keys_said_by
SELECT DISTINCT g.key FROM turns t INDEXED BY turns_by_speaker
CROSS JOIN segments g ON g.ns = :ns AND g.session = t.session AND t.position BETWEEN g.first AND g.last
WHERE t.ns = :ns AND t.hidden = 0 AND t.speaker IN (SELECT value FROM json_each(:speaker)) ORDER BY g.key;

-- Said at :since or later, and before :until.
-- name: keys_between
SELECT g.key FROM segments g
WHERE g.ns = :ns AND (:since IS NULL OR g.said_at >= :since) AND (:until IS NULL OR g.said_at < :until) ORDER BY g.key;

-- name: keys_tagged
SELECT DISTINCT n.key FROM notes n CROSS JOIN json_each(n.tags) j WHERE n.ns = :ns AND j.value = :tag ORDER BY n.key;

-- Where it comes from: the format of an import, the source that a note names, the name of a document.
-- name: keys_of_source
SELECT g.key FROM conversations c CROSS JOIN sessions s ON s.ns = :ns AND s.conversation = c.id
CROSS JOIN segments g ON g.ns = :ns AND g.session = s.key WHERE c.ns = :ns AND c.source = :source
UNION SELECT n.key FROM notes n WHERE n.ns = :ns AND n.source = :source
UNION SELECT g.key FROM sessions s CROSS JOIN segments g ON g.ns = :ns AND g.session = s.key
WHERE s.ns = :ns AND s.conversation = 'engramma:documents' AND s.id = :source
ORDER BY 1;
