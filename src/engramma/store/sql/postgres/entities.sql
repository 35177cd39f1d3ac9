-- ---- entities as a table, and the user's word about them ----

-- A page of entities in an order that an index has.
-- name: entities_by_name
SELECT e.key FROM entities e WHERE e.ns = %(ns)s AND e.gone = 0 AND e.mentions > 0
  AND (%(type)s::text IS NULL OR e.type = %(type)s) ORDER BY e.name, e.type, e.key LIMIT nullif(%(limit)s::bigint, -1) OFFSET %(offset)s;

-- name: entities_by_mentions
SELECT e.key FROM entities e WHERE e.ns = %(ns)s AND e.gone = 0 AND e.mentions > 0
  AND (%(type)s::text IS NULL OR e.type = %(type)s) ORDER BY e.mentions DESC, e.key DESC LIMIT nullif(%(limit)s::bigint, -1) OFFSET %(offset)s;

-- name: entities_by_type
SELECT e.key FROM entities e WHERE e.ns = %(ns)s AND e.gone = 0 AND e.mentions > 0
  AND (%(type)s::text IS NULL OR e.type = %(type)s) ORDER BY e.type, e.name, e.key LIMIT nullif(%(limit)s::bigint, -1) OFFSET %(offset)s;

-- How many there are of each type.
-- name: entity_types
SELECT type, count(*) AS entities FROM entities
WHERE ns = %(ns)s AND gone = 0 AND mentions > 0 GROUP BY type ORDER BY entities DESC, type;

-- Entities with some letters in a name, in any order;
-- name: entities_with_letters
SELECT e.key, count(*) OVER () AS total FROM entities e WHERE e.ns = %(ns)s AND e.gone = 0 AND e.mentions > 0
  AND (%(type)s::text IS NULL OR e.type = %(type)s) AND (strpos(lower(e.name), lower(%(search)s COLLATE "C")) > 0
    OR EXISTS (SELECT 1 FROM names n WHERE n.ns = %(ns)s AND n.entity = e.key AND strpos(lower(n.name), lower(%(search)s COLLATE "C")) > 0)
    OR EXISTS (SELECT 1 FROM entity_words w WHERE w.ns = %(ns)s AND w.entity = e.key AND w.kind = 'alias'
      AND strpos(lower(w.value), lower(%(search)s COLLATE "C")) > 0))
ORDER BY CASE %(sort)s WHEN 'mentions' THEN -e.mentions ELSE 0 END, CASE %(sort)s WHEN 'type' THEN e.type ELSE '' END,
  e.name, e.type, e.key LIMIT nullif(%(limit)s::bigint, -1) OFFSET %(offset)s;

-- name: entity_word_add
INSERT INTO entity_words (ns, entity, act, kind, value) VALUES (%(ns)s, %(entity)s, %(act)s, %(kind)s, %(value)s)
ON CONFLICT (ns, entity, act, kind, value) DO NOTHING;

-- name: entity_words_of
SELECT act, kind, value FROM entity_words WHERE ns = %(ns)s AND entity = %(key)s ORDER BY act, kind, value;

-- name: entity_words_of_many
SELECT w.entity, w.kind, w.value FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN entity_words w ON w.ns = %(ns)s AND w.entity = k.value
ORDER BY w.entity, w.act, w.value;

-- name: entity_words_of_act
SELECT entity, kind, value FROM entity_words WHERE ns = %(ns)s AND act = %(act)s ORDER BY entity, kind, value;

-- name: entity_words_named
SELECT entity, act, kind, value FROM entity_words WHERE ns = %(ns)s AND kind IN ('name', 'alias') ORDER BY entity, act, kind, value;

-- name: entity_word_reword
WITH taken AS (
  DELETE FROM entity_words WHERE ns = %(ns)s AND entity = %(entity)s AND act = %(act)s AND kind = %(kind)s AND value = %(before)s
  RETURNING ns, entity, act, kind
)
INSERT INTO entity_words (ns, entity, act, kind, value) SELECT ns, entity, act, kind, %(value)s FROM taken
ON CONFLICT (ns, entity, act, kind, value) DO NOTHING;

-- name: entities_spoken_of
SELECT e.key, e.name FROM (SELECT DISTINCT entity FROM entity_words WHERE ns = %(ns)s) w
JOIN entities e ON e.ns = %(ns)s AND e.key = w.entity ORDER BY e.key;

-- name: entity_words_take_back
DELETE FROM entity_words WHERE ns = %(ns)s AND act = %(act)s;

-- Which entity was said to be one with which, the oldest word first.
-- name: entity_merges
SELECT entity, value FROM entity_words WHERE ns = %(ns)s AND kind = 'into' ORDER BY act, entity;

-- Those that were merged into one that is no more.
-- name: entity_merges_to
DELETE FROM entity_words WHERE ns = %(ns)s AND kind = 'into' AND value = %(value)s;

-- name: entity_turns_fill
INSERT INTO entity_turns (ns, turn, entity) SELECT DISTINCT ns, turn, entity FROM mentions WHERE ns = %(ns)s AND entity = %(key)s
ON CONFLICT (ns, turn, entity) DO NOTHING;

-- name: entity_turns_drop
DELETE FROM entity_turns WHERE ns = %(ns)s AND entity = %(key)s;

-- name: entity_put
UPDATE entities SET name = %(called)s, type = %(type)s, named = %(named)s, base = %(base)s, gone = %(gone)s WHERE ns = %(ns)s AND key = %(key)s;

-- name: entity_based
UPDATE entities SET base = %(type)s WHERE ns = %(ns)s AND key = %(key)s;

-- name: entity_merged
UPDATE entities SET merged = %(into)s WHERE ns = %(ns)s AND key = %(key)s AND merged <> %(into)s;

-- name: entities_merged
SELECT key FROM entities WHERE ns = %(ns)s AND merged > 0;

-- name: entity_owned_by
UPDATE entities SET owner = %(owner)s WHERE ns = %(ns)s AND key = %(key)s;

-- name: forms_exact
SELECT form AS key FROM forms WHERE ns = %(ns)s AND entity = %(key)s AND kind = 0;

-- What an entity is found by only because of another that was merged into it.
-- name: forms_shed
DELETE FROM forms WHERE ns = %(ns)s AND entity = %(key)s AND form IN (SELECT form FROM forms WHERE ns = %(ns)s AND entity = %(other)s);

-- Mentions go over to another entity;
-- name: mentions_copy
INSERT INTO mentions (ns, entity, turn, name, session, block, made_by)
SELECT ns, %(into)s, turn, name, session, block, made_by FROM mentions WHERE ns = %(ns)s AND entity = %(key)s AND (%(called)s::text IS NULL OR name = %(called)s)
ON CONFLICT (ns, entity, turn, name) DO NOTHING;

-- name: mentions_drop
DELETE FROM mentions WHERE ns = %(ns)s AND entity = %(key)s AND (%(called)s::text IS NULL OR name = %(called)s);

-- name: mention_turns
SELECT DISTINCT turn AS key FROM mentions WHERE ns = %(ns)s AND entity = %(key)s ORDER BY turn;

-- name: mention_blocks_wait
UPDATE extracted SET version = 0, changes = changes + 1 WHERE ns = %(ns)s AND (session, block) IN (
  SELECT DISTINCT session, block FROM mentions WHERE ns = %(ns)s AND entity = %(key)s);

-- What an entity's claims are made of.
-- name: claim_ends
SELECT key, subject, object, relation, value, turn, negated, modality FROM claims
WHERE ns = %(ns)s AND key IN (
  SELECT key FROM claims WHERE ns = %(ns)s AND subject = %(key)s
  UNION SELECT key FROM claims WHERE ns = %(ns)s AND object = %(key)s AND object > 0) ORDER BY key;

-- name: claim_moved
UPDATE claims SET subject = %(subject)s, object = %(object)s, fact = %(fact)s WHERE ns = %(ns)s AND key = %(key)s;

-- name: namespace_drop_entity_words
DELETE FROM entity_words WHERE ns = %(ns)s;

-- name: namespace_drop_entity_turns
DELETE FROM entity_turns WHERE ns = %(ns)s;

-- A page of entities by what is counted of them, without a walk through all their mentions;
-- name: entities_counted
SELECT e.key, e.type, e.name, o.name AS owner, e.mentions,
  (SELECT t.said_at FROM mentions m JOIN turns t ON t.ns = %(ns)s AND t.key = m.turn WHERE m.ns = %(ns)s AND m.entity = e.key AND t.hidden = 0
    ORDER BY m.turn DESC LIMIT 1) AS last_at
FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN entities e ON e.ns = %(ns)s AND e.key = k.value
LEFT JOIN entities o ON o.ns = %(ns)s AND o.key = e.owner WHERE e.gone = 0;

-- What they are called;
-- name: names_shown
SELECT n.entity, n.name FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN names n ON n.ns = %(ns)s AND n.entity = k.value
WHERE NOT EXISTS (SELECT 1 FROM hidings h WHERE h.ns = %(ns)s) OR EXISTS (
  SELECT 1 FROM mentions m JOIN turns t ON t.ns = %(ns)s AND t.key = m.turn
  WHERE m.ns = %(ns)s AND m.entity = n.entity AND m.name = n.name AND t.hidden = 0)
ORDER BY n.entity, n.times DESC, n.name;
