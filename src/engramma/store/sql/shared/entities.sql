-- ---- entities as a table, and the user's word about them ----

-- A page of entities in an order that an index has; everything: those that are named too seldom to be listed, too.
-- name: entities_by_name
SELECT e.key FROM entities e INDEXED BY entities_by_name WHERE e.ns = :ns AND e.gone = 0 AND e.mentions > 0
  AND (:everything <> 0 OR e.listed = 1) AND (:type IS NULL OR e.type = :type) ORDER BY e.name, e.type, e.key LIMIT :limit OFFSET :offset;

-- name: entities_by_mentions
SELECT e.key FROM entities e INDEXED BY entities_by_mentions WHERE e.ns = :ns AND e.gone = 0 AND e.mentions > 0
  AND (:everything <> 0 OR e.listed = 1) AND (:type IS NULL OR e.type = :type) ORDER BY e.mentions DESC, e.key DESC LIMIT :limit OFFSET :offset;

-- name: entities_by_type
SELECT e.key FROM entities e INDEXED BY entities_by_type WHERE e.ns = :ns AND e.gone = 0 AND e.mentions > 0
  AND (:everything <> 0 OR e.listed = 1) AND (:type IS NULL OR e.type = :type) ORDER BY e.type, e.name, e.key LIMIT :limit OFFSET :offset;

-- How many there are of each type.
-- name: entity_types
SELECT type, count(*) AS entities FROM entities INDEXED BY entities_shown
WHERE ns = :ns AND gone = 0 AND mentions > 0 AND (:everything <> 0 OR listed = 1) GROUP BY type ORDER BY entities DESC, type;

-- Entities with some letters in a name, in any order; each row has how many there are.
-- name: entities_with_letters
SELECT e.key, count(*) OVER () AS total FROM entities e WHERE e.ns = :ns AND e.gone = 0 AND e.mentions > 0
  AND (:everything <> 0 OR e.listed = 1) AND (:type IS NULL OR e.type = :type) AND (instr(lower(e.name), lower(:search)) > 0
    OR EXISTS (SELECT 1 FROM names n WHERE n.ns = :ns AND n.entity = e.key AND instr(lower(n.name), lower(:search)) > 0)
    OR EXISTS (SELECT 1 FROM entity_words w WHERE w.ns = :ns AND w.entity = e.key AND w.kind = 'alias'
      AND instr(lower(w.value), lower(:search)) > 0)
    OR EXISTS (SELECT 1 FROM entities x CROSS JOIN entity_words w ON w.ns = :ns AND w.entity = x.key AND w.kind = 'alias'
      WHERE x.ns = :ns AND x.merged > 0 AND x.merged = e.key AND instr(lower(w.value), lower(:search)) > 0))
ORDER BY CASE :sort WHEN 'mentions' THEN -e.mentions ELSE 0 END, CASE :sort WHEN 'type' THEN e.type ELSE '' END,
  e.name, e.type, e.key LIMIT :limit OFFSET :offset;

-- name: entity_word_add
INSERT INTO entity_words (ns, entity, act, kind, value) VALUES (:ns, :entity, :act, :kind, :value)
ON CONFLICT (ns, entity, act, kind, value) DO NOTHING;

-- name: entity_words_of
SELECT act, kind, value FROM entity_words WHERE ns = :ns AND entity = :key ORDER BY act, kind, value;

-- Names that the user gave entities, and those that were merged into them and can be seen.
-- name: names_given
SELECT w.entity AS entity, w.act AS act, w.kind AS kind, w.value AS value FROM json_each(:keys) k CROSS JOIN entity_words w ON w.ns = :ns AND w.entity = k.value
WHERE w.kind = 'alias'
UNION SELECT x.merged AS entity, w.act AS act, w.kind AS kind, w.value AS value FROM json_each(:keys) k
CROSS JOIN entities x ON x.ns = :ns AND x.merged > 0 AND x.merged = k.value
CROSS JOIN entity_words w ON w.ns = :ns AND w.entity = x.key
WHERE w.kind IN ('name', 'alias') AND EXISTS (SELECT 1 FROM entity_turns y CROSS JOIN turns t ON t.ns = :ns AND t.key = y.turn
  WHERE y.ns = :ns AND y.entity = x.key AND t.hidden = 0)
ORDER BY entity, act, value;

-- name: entity_words_of_act
SELECT entity, kind, value FROM entity_words INDEXED BY entity_words_of_act WHERE ns = :ns AND act = :act ORDER BY entity, kind, value;

-- name: entity_words_named
SELECT entity, act, kind, value FROM entity_words WHERE ns = :ns AND kind IN ('name', 'alias') ORDER BY entity, act, kind, value;

-- name: entities_spoken_of
SELECT e.key, e.name FROM (SELECT DISTINCT entity FROM entity_words WHERE ns = :ns) w
CROSS JOIN entities e ON e.ns = :ns AND e.key = w.entity ORDER BY e.key;

-- Who the user said to be, the latest word first.
-- name: entity_me
SELECT e.key, e.name, w.act FROM entity_words w CROSS JOIN entities x ON x.ns = :ns AND x.key = w.entity
CROSS JOIN entities e ON e.ns = :ns AND e.key = CASE WHEN x.merged > 0 THEN x.merged ELSE x.key END
WHERE w.ns = :ns AND w.kind = 'me' ORDER BY w.act DESC LIMIT 1;

-- The names of an entity and of those that were merged into it.
-- name: entity_merged_names
SELECT name FROM entities WHERE ns = :ns AND key = :key
UNION SELECT name FROM entities WHERE ns = :ns AND merged > 0 AND merged = :key ORDER BY name;

-- What somebody says to be called.
-- name: claims_of_own_name
SELECT c.value, count(DISTINCT s.conversation) AS conversations FROM claims c INDEXED BY claims_of_subject
CROSS JOIN turns t ON t.key = c.turn CROSS JOIN sessions s ON s.ns = :ns AND s.key = c.session
WHERE c.ns = :ns AND c.subject = :key AND c.relation = 'is_called' AND c.negated = 0 AND c.modality = 'fact' AND t.ns = :ns AND t.hidden = 0
GROUP BY c.value ORDER BY conversations DESC, c.value;

-- Who is somebody else in the conversation of a session, by the user's word: "key conversation".
-- name: entities_apart
SELECT w.entity, w.value FROM json_each(:keys) k CROSS JOIN entity_words w ON w.ns = :ns AND w.entity = k.value
CROSS JOIN sessions s ON s.ns = :ns AND s.key = :session
WHERE w.kind = 'apart' AND substr(w.value, instr(w.value, ' ') + 1) = s.conversation;

-- Those who speak in conversations, with whom; by mentions, of which who speaks has one a block.
-- name: speakers_of_several
SELECT DISTINCT k.key, k.name, k.conversation, u.speaker AS other FROM (
  SELECT DISTINCT e.key, e.name, s.conversation FROM (
    SELECT e.key, e.name FROM entities e INDEXED BY entities_by_mentions
    CROSS JOIN tallies y ON y.ns = :ns AND y.kind = 'speaker' AND y.name = e.name
    WHERE e.ns = :ns AND e.mentions > 1 AND e.type = 'person' AND e.owner = 0 AND e.gone = 0 AND e.merged = 0
      AND lower(e.name) NOT IN ('user', 'you', 'me', 'human', 'assistant') AND instr(e.name, ' ') = 0
    ORDER BY e.mentions DESC, e.key LIMIT :limit
  ) e CROSS JOIN mentions m ON m.ns = :ns AND m.entity = e.key AND m.name = e.name
  CROSS JOIN turns t ON t.ns = :ns AND t.key = m.turn AND t.speaker = e.name AND t.hidden = 0
  CROSS JOIN sessions s ON s.ns = :ns AND s.key = m.session
  WHERE s.conversation NOT IN ('engramma:documents', 'engramma:notes')
) k CROSS JOIN sessions o ON o.ns = :ns AND o.conversation = k.conversation
CROSS JOIN mentions b ON b.ns = :ns AND b.session = o.key
CROSS JOIN turns u ON u.ns = :ns AND u.key = b.turn AND u.speaker = b.name AND u.hidden = 0 AND u.speaker <> k.name
ORDER BY k.key, k.conversation, other;

-- name: entity_words_take_back
DELETE FROM entity_words WHERE ns = :ns AND act = :act;

-- name: entity_word_drop
DELETE FROM entity_words WHERE ns = :ns AND entity = :entity AND act = :act AND kind = :kind AND value = :value;

-- What was said in the turns that named an entity, hidden ones too.
-- name: entity_said
SELECT t.speaker, t.text FROM entity_turns e CROSS JOIN turns t ON t.ns = :ns AND t.key = e.turn
WHERE e.ns = :ns AND e.entity = :key ORDER BY e.turn;

-- Which entity was said to be one with which, the oldest word first.
-- name: entity_merges
SELECT entity, value FROM entity_words WHERE ns = :ns AND kind = 'into' ORDER BY act, entity;

-- Those that were merged into one that is no more.
-- name: entity_merges_to
DELETE FROM entity_words WHERE ns = :ns AND kind = 'into' AND value = :value;

-- name: entity_turns_fill
INSERT INTO entity_turns (ns, turn, entity) SELECT DISTINCT ns, turn, entity FROM mentions WHERE ns = :ns AND entity = :key
ON CONFLICT (ns, turn, entity) DO NOTHING;

-- name: entity_turns_drop
DELETE FROM entity_turns WHERE ns = :ns AND entity = :key;

-- name: entity_put
UPDATE entities SET name = :called, type = :type, named = :named, base = :base, gone = :gone WHERE ns = :ns AND key = :key;

-- What tells whether entities stand in lists. spoken: the user said something of it. speaks: who has said something.
-- name: entities_to_list
SELECT e.key, e.name, e.type, e.owner, e.mentions, e.listed,
  EXISTS (SELECT 1 FROM entity_words w WHERE w.ns = :ns AND w.entity = e.key AND w.kind IN ('name', 'alias', 'type')) AS spoken,
  EXISTS (SELECT 1 FROM tallies y WHERE y.ns = :ns AND y.kind = 'speaker' AND y.name = e.name) AS speaks
FROM json_each(:keys) k CROSS JOIN entities e ON e.ns = :ns AND e.key = k.value;

-- How many of somebody's latest turns are mails, and what one of them says of its sender.
-- name: mails_of_speaker
SELECT count(*) AS turns, sum(CASE WHEN c.source = 'email' THEN 1 ELSE 0 END) AS mails, max(t.meta) AS meta FROM (
  SELECT session, meta FROM turns INDEXED BY turns_by_speaker WHERE ns = :ns AND speaker = :speaker AND hidden = 0
  ORDER BY said_at DESC LIMIT :limit
) t CROSS JOIN sessions s ON s.ns = :ns AND s.key = t.session LEFT JOIN conversations c ON c.ns = :ns AND c.id = s.conversation;

-- name: entity_list
UPDATE entities SET listed = :listed WHERE ns = :ns AND key = :key;

-- name: entity_based
UPDATE entities SET base = :type WHERE ns = :ns AND key = :key;

-- name: entity_merged
UPDATE entities SET merged = :into WHERE ns = :ns AND key = :key AND merged <> :into;

-- name: entities_merged
SELECT key FROM entities INDEXED BY entities_merged WHERE ns = :ns AND merged > 0;

-- name: entity_owned_by
UPDATE entities SET owner = :owner WHERE ns = :ns AND key = :key;

-- name: forms_exact
SELECT form AS key FROM forms WHERE ns = :ns AND entity = :key AND kind = 0;

-- What an entity is found by only because of another that was merged into it.
-- name: forms_shed
DELETE FROM forms WHERE ns = :ns AND entity = :key AND form IN (SELECT form FROM forms WHERE ns = :ns AND entity = :other);

-- Mentions go over to another entity; rows are made and deleted, so that triggers count them.
-- name: mentions_copy
INSERT INTO mentions (ns, entity, turn, name, session, block, made_by)
SELECT ns, :into, turn, name, session, block, made_by FROM mentions WHERE ns = :ns AND entity = :key AND (:called IS NULL OR name = :called)
ON CONFLICT (ns, entity, turn, name) DO NOTHING;

-- name: mentions_drop
DELETE FROM mentions WHERE ns = :ns AND entity = :key AND (:called IS NULL OR name = :called);

-- name: mention_turns
SELECT DISTINCT turn AS key FROM mentions WHERE ns = :ns AND entity = :key ORDER BY turn;

-- name: mention_blocks_wait
UPDATE extracted SET version = 0, changes = changes + 1 WHERE ns = :ns AND (session, block) IN (
  SELECT DISTINCT session, block FROM mentions WHERE ns = :ns AND entity = :key);

-- What an entity's claims are made of.
-- name: claim_ends
SELECT key, subject, object, relation, value, turn, negated, modality FROM claims
WHERE ns = :ns AND key IN (
  SELECT key FROM claims INDEXED BY claims_of_subject WHERE ns = :ns AND subject = :key
  UNION SELECT key FROM claims INDEXED BY claims_of_object WHERE ns = :ns AND object = :key AND object > 0) ORDER BY key;

-- name: claim_moved
UPDATE claims SET subject = :subject, object = :object, fact = :fact WHERE ns = :ns AND key = :key;

-- A page of entities by what is counted of them; last_at: when one was last named where it can be seen.
-- name: entities_counted
SELECT e.key, e.type, e.name, o.name AS owner, e.mentions,
  (SELECT max(t.said_at) FROM mentions m CROSS JOIN turns t ON t.ns = :ns AND t.key = m.turn
    WHERE m.ns = :ns AND m.entity = e.key AND t.hidden = 0) AS last_at
FROM json_each(:keys) k CROSS JOIN entities e ON e.ns = :ns AND e.key = k.value
LEFT JOIN entities o ON o.ns = :ns AND o.key = e.owner WHERE e.gone = 0;

-- What they are called; where something is hidden, only names that can be seen.
-- name: names_shown
SELECT n.entity, n.name FROM json_each(:keys) k CROSS JOIN names n ON n.ns = :ns AND n.entity = k.value
WHERE NOT EXISTS (SELECT 1 FROM hidings h WHERE h.ns = :ns) OR EXISTS (
  SELECT 1 FROM mentions m CROSS JOIN turns t ON t.ns = :ns AND t.key = m.turn
  WHERE m.ns = :ns AND m.entity = n.entity AND m.name = n.name AND t.hidden = 0)
ORDER BY n.entity, n.times DESC, n.name;
