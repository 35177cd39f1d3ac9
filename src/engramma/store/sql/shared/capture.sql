-- What the capture has seen of conversations.

-- Where these nodes stand; inner: something follows there.
-- name: captured_nodes
SELECT c.node, c.talk, c.first_at, c.last_at, EXISTS (
  SELECT 1 FROM captured d WHERE d.ns = :ns AND d.parent = c.node AND d.talk = c.talk AND d.parent != ''
) AS inner
FROM json_each(:nodes) k
CROSS JOIN captured c ON c.ns = :ns AND c.node = k.value;

-- Where a pair stands that ends a history whose beginning was cut off.
-- name: captured_pair
SELECT node, talk, last_at FROM captured WHERE ns = :ns AND pair = :pair AND pair != '' ORDER BY last_at DESC LIMIT 20;

-- Where a reply's id was noted.
-- name: captured_pointer
SELECT talk, words FROM captured WHERE ns = :ns AND node = :node ORDER BY last_at DESC LIMIT 1;

-- How often a talk has these words, and from where.
-- name: captured_words_of
SELECT c.words, c.own, c.first_at FROM json_each(:words) k
CROSS JOIN captured c ON c.ns = :ns AND c.talk = :talk AND c.words = k.value;

-- name: captured_put
INSERT INTO captured AS c (ns, node, talk, parent, pair, words, own, first_at, last_at)
VALUES (:ns, :node, :talk, :parent, :pair, :words, :own, :at, :at)
ON CONFLICT (ns, node, talk) DO UPDATE SET
  first_at = min(c.first_at, excluded.first_at), last_at = max(c.last_at, excluded.last_at)
WHERE excluded.first_at < c.first_at OR excluded.last_at > c.last_at + 60000000; -- a minute: a long history is not written anew with each request

-- Turns of a conversation that others than the capture told.
-- name: captured_told_by_others
SELECT t.role, t.text FROM sessions s
CROSS JOIN turns t ON t.ns = :ns AND t.session = s.key
WHERE s.ns = :ns AND s.conversation = :conversation AND t.id NOT LIKE 'p-%' ORDER BY s.started_at, t.position;

-- name: captured_turn_count
SELECT count(*) FROM sessions s
CROSS JOIN turns t ON t.ns = :ns AND t.session = s.key
WHERE s.ns = :ns AND s.conversation = :conversation;
