-- ---- which turns were extracted ----

-- Pieces of sessions that wait, or were extracted by older rules.
-- name: extraction_waiting
SELECT session, block, changes FROM extracted
WHERE ns = %(ns)s AND version < %(version)s ORDER BY version, session, block LIMIT nullif(%(limit)s::bigint, -1);

-- name: extraction_count
SELECT count(*) FROM extracted WHERE ns = %(ns)s AND version < %(version)s;

-- name: extraction_changes
SELECT changes FROM extracted WHERE ns = %(ns)s AND session = %(session)s AND block = %(block)s AND version < %(version)s;

-- name: extraction_done
UPDATE extracted SET version = %(version)s WHERE ns = %(ns)s AND session = %(session)s AND block = %(block)s;

-- name: extraction_drop
DELETE FROM extracted WHERE ns = %(ns)s AND session = %(session)s AND block = %(block)s;

-- name: extraction_turns
SELECT key, position, id, speaker, role, said_at, text, hidden, meta FROM turns
WHERE ns = %(ns)s AND session = %(session)s AND position >= %(first)s AND position < %(beyond)s ORDER BY position;

-- Who spoke in a session and in those of its conversation right before it.
-- name: extraction_people
WITH near AS MATERIALIZED (
  SELECT o.key FROM sessions s JOIN sessions o ON o.ns = %(ns)s AND o.conversation = s.conversation
  WHERE s.ns = %(ns)s AND s.key = %(session)s AND o.started_at <= s.started_at ORDER BY o.started_at DESC, o.id DESC LIMIT nullif(%(sessions)s::bigint, -1)
)
SELECT DISTINCT t.speaker FROM near n
JOIN turns t ON t.ns = %(ns)s AND t.session = n.key AND t.position < %(turns)s
WHERE t.hidden = 0 AND (t.role IS NULL OR t.role IN ('user', 'assistant')) ORDER BY t.speaker;

-- ---- claims ----

-- name: claim_next
SELECT coalesce(max(key), 0) + 1 FROM claims WHERE ns = %(ns)s;

-- name: claim_add
INSERT INTO claims (ns, key, id, session, block, turn, start, length, others, subject, relation, object, value, fact,
  said_at, valid_from, valid_to, negated, modality, confidence, method, questions)
VALUES (%(ns)s, %(key)s, %(id)s, %(session)s, %(block)s, %(turn)s, %(start)s, %(length)s, %(others)s, %(subject)s, %(relation)s, %(object)s, %(value)s, %(fact)s,
  %(said_at)s, %(valid_from)s, %(valid_to)s, %(negated)s, %(modality)s, %(confidence)s, %(method)s, %(questions)s);

-- name: claims_drop_block
DELETE FROM claims WHERE ns = %(ns)s AND session = %(session)s AND block = %(block)s AND (method = 'rules') = (%(rules)s <> 0);
-- name: claims_by_keys
SELECT c.key, c.id, c.start, c.length, c.others, c.subject, c.relation, CASE WHEN b.key IS NULL THEN 0 ELSE c.object END AS object, c.value, c.fact, c.said_at, c.valid_from,
  c.valid_to, c.negated, c.modality, c.confidence, c.method, c.questions, t.key AS turn, t.id AS turn_id, t.speaker,
  substr(t.text, (c.start + 1)::int, c.length::int) AS quote, s.conversation, s.id AS session_id,
  a.name AS subject_name, a.type AS subject_type, w.name AS subject_owner, b.name AS object_name, b.type AS object_type
FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place)
JOIN claims c ON c.ns = %(ns)s AND c.key = k.value
JOIN turns t ON t.ns = %(ns)s AND t.key = c.turn
JOIN sessions s ON s.ns = %(ns)s AND s.key = c.session
LEFT JOIN entities a ON a.ns = %(ns)s AND a.key = c.subject
LEFT JOIN entities w ON w.ns = %(ns)s AND w.key = a.owner
LEFT JOIN entities b ON b.ns = %(ns)s AND b.key = c.object AND b.gone = 0
WHERE t.ns = %(ns)s AND t.hidden = 0 AND coalesce(a.gone, 0) = 0 AND (c.others IS NULL OR NOT EXISTS (
  SELECT 1 FROM json_array_elements_text(c.others::json) o(value) JOIN turns h ON h.ns = %(ns)s AND h.key = o.value::bigint WHERE h.hidden > 0))
ORDER BY k.place;

-- The ids of turns by their keys.
-- name: claim_turn_ids
SELECT t.key, t.id FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN turns t ON t.ns = %(ns)s AND t.key = k.value WHERE t.ns = %(ns)s
ORDER BY k.place;

-- Who said these facts where it can be seen, the first first.
-- name: claim_speakers
SELECT c.fact, t.speaker, min(c.said_at) AS first_at FROM unnest(%(facts)s::bigint[]) WITH ORDINALITY k(value, place)
JOIN claims c ON c.ns = %(ns)s AND c.fact = k.value
JOIN turns t ON t.ns = %(ns)s AND t.key = c.turn
WHERE t.ns = %(ns)s AND t.hidden = 0 GROUP BY c.fact, t.speaker ORDER BY c.fact, first_at, t.speaker;

-- name: claim_keys_of_facts
SELECT c.key FROM unnest(%(facts)s::bigint[]) WITH ORDINALITY k(value, place) JOIN claims c ON c.ns = %(ns)s AND c.fact = k.value ORDER BY c.said_at, c.key;

-- name: claim_keys_of_subjects
SELECT c.key FROM unnest(%(entities)s::bigint[]) WITH ORDINALITY k(value, place)
JOIN claims c ON c.ns = %(ns)s AND c.subject = k.value
WHERE %(relation)s::text IS NULL OR c.relation = %(relation)s ORDER BY c.said_at DESC, c.key DESC LIMIT nullif(%(limit)s::bigint, -1);

-- name: claim_keys_of_objects
SELECT c.key FROM unnest(%(entities)s::bigint[]) WITH ORDINALITY k(value, place)
JOIN claims c ON c.ns = %(ns)s AND c.object = k.value AND c.object > 0
WHERE %(relation)s::text IS NULL OR c.relation = %(relation)s ORDER BY c.said_at DESC, c.key DESC LIMIT nullif(%(limit)s::bigint, -1);

-- name: claim_keys_of_relation
SELECT key FROM claims
WHERE ns = %(ns)s AND relation = %(relation)s ORDER BY said_at DESC, key DESC LIMIT nullif(%(limit)s::bigint, -1);

-- Those of a relation whose value has some letters in it.
-- name: claim_keys_with_letters
SELECT key FROM claims
WHERE ns = %(ns)s AND relation = %(relation)s AND strpos(lower(value), %(letters)s) > 0 ORDER BY said_at DESC, key DESC LIMIT nullif(%(limit)s::bigint, -1);

-- name: claim_keys_of_turns
SELECT c.key FROM unnest(%(turns)s::bigint[]) WITH ORDINALITY k(value, place)
JOIN claims c ON c.ns = %(ns)s AND c.turn = k.value ORDER BY c.turn, c.start, c.key LIMIT nullif(%(limit)s::bigint, -1);

-- name: claim_keys_of_conversation
SELECT c.key FROM sessions s
JOIN claims c ON c.ns = %(ns)s AND c.session = s.key
WHERE s.ns = %(ns)s AND s.conversation = %(conversation)s ORDER BY c.said_at DESC, c.key DESC LIMIT nullif(%(limit)s::bigint, -1);

-- name: claim_keys_of_session
SELECT key FROM claims WHERE ns = %(ns)s AND session = %(session)s ORDER BY turn, start, key;

-- name: claim_keys_latest
SELECT key FROM claims WHERE ns = %(ns)s ORDER BY key DESC LIMIT nullif(%(limit)s::bigint, -1);

-- name: claim_relations
SELECT relation, count(*) AS claims FROM claims WHERE ns = %(ns)s GROUP BY relation ORDER BY claims DESC, relation;

-- name: claim_ids
SELECT id FROM claims WHERE ns = %(ns)s AND session = %(session)s AND block = %(block)s;

-- ---- entities ----

-- name: entity_next
SELECT coalesce(max(key), 0) + 1 FROM entities WHERE ns = %(ns)s;

-- name: entity_add
INSERT INTO entities (ns, key, type, name, owner) VALUES (%(ns)s, %(key)s, %(type)s, %(called)s, %(owner)s);

-- name: entity_get
SELECT key, type, name, owner, named, base, merged, gone FROM entities WHERE ns = %(ns)s AND key = %(key)s;

-- name: entities_get
SELECT e.key, e.name FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place) JOIN entities e ON e.ns = %(ns)s AND e.key = k.value
ORDER BY k.place;

-- name: entity_named
UPDATE entities SET name = %(called)s WHERE ns = %(ns)s AND key = %(key)s;

-- name: entity_typed
UPDATE entities SET type = %(type)s WHERE ns = %(ns)s AND key = %(key)s;

-- name: entity_delete
DELETE FROM entities WHERE ns = %(ns)s AND key = %(key)s;

-- name: entities_of_owner
SELECT key FROM entities WHERE ns = %(ns)s AND owner = %(key)s AND owner > 0;

-- name: entities_disown
UPDATE entities SET owner = 0 WHERE ns = %(ns)s AND owner = %(key)s AND owner > 0;

-- Entities with how often, and in how many conversations, they were named where it can be seen.
-- name: entities_by_keys
SELECT e.key, e.type, e.name, e.owner, o.name AS owner_name, count(t.key) AS mentions,
  count(DISTINCT s.conversation) AS conversations, min(t.said_at) AS first_at, max(t.said_at) AS last_at
FROM unnest(%(keys)s::bigint[]) WITH ORDINALITY k(value, place)
JOIN entities e ON e.ns = %(ns)s AND e.key = k.value
LEFT JOIN entities o ON o.ns = %(ns)s AND o.key = e.owner
JOIN mentions m ON m.ns = %(ns)s AND m.entity = e.key
JOIN turns t ON t.ns = %(ns)s AND t.key = m.turn AND t.hidden = 0
JOIN sessions s ON s.ns = %(ns)s AND s.key = t.session
WHERE t.ns = %(ns)s AND e.gone = 0 GROUP BY e.ns, e.key, o.name ORDER BY e.key;

-- root: the entity that it is, by the user's word, one with;
-- name: forms_find
SELECT f.form, f.kind, e.key, e.type, e.name, e.owner, e.base, e.named, r.key AS root, r.type AS root_type, r.gone
FROM unnest(%(forms)s::bigint[]) WITH ORDINALITY k(value, place)
JOIN forms f ON f.ns = %(ns)s AND f.form = k.value
JOIN entities e ON e.ns = %(ns)s AND e.key = f.entity
JOIN entities r ON r.ns = %(ns)s AND r.key = CASE WHEN e.merged > 0 THEN e.merged ELSE e.key END
ORDER BY k.place;

-- name: form_add
INSERT INTO forms AS f (ns, form, entity, kind) VALUES (%(ns)s, %(form)s, %(entity)s, %(kind)s)
ON CONFLICT (ns, form, entity) DO UPDATE SET kind = least(f.kind, excluded.kind);

-- name: forms_drop
DELETE FROM forms WHERE ns = %(ns)s AND entity = %(key)s;

-- name: mention_add
INSERT INTO mentions (ns, entity, turn, name, session, block, made_by)
VALUES (%(ns)s, %(entity)s, %(turn)s, %(name)s, %(session)s, %(block)s, %(made_by)s) ON CONFLICT (ns, entity, turn, name) DO NOTHING;

-- name: mentions_of_block
SELECT entity, turn, name FROM mentions
WHERE ns = %(ns)s AND session = %(session)s AND block = %(block)s AND made_by = %(made_by)s;

-- name: mentions_drop_block
DELETE FROM mentions
WHERE ns = %(ns)s AND session = %(session)s AND block = %(block)s AND made_by = %(made_by)s;

-- name: mention_entities
SELECT m.entity FROM unnest(%(turns)s::bigint[]) WITH ORDINALITY k(value, place)
JOIN mentions m ON m.ns = %(ns)s AND m.turn = k.value GROUP BY m.entity ORDER BY min(k.place), m.entity;

-- How an entity was called where it can be seen, how often, and where first.
-- name: names_of_entities
SELECT m.entity, m.name, count(*) AS times, min(t.said_at) AS first_at,
  (array_agg(s.conversation ORDER BY t.said_at, t.key))[1] AS conversation, (array_agg(t.id ORDER BY t.said_at, t.key))[1] AS turn_id
FROM unnest(%(keys)s::bigint[]) k(value)
JOIN mentions m ON m.ns = %(ns)s AND m.entity = k.value
JOIN turns t ON t.ns = %(ns)s AND t.key = m.turn AND t.hidden = 0
JOIN sessions s ON s.ns = %(ns)s AND s.key = t.session
GROUP BY m.entity, m.name ORDER BY m.entity, times DESC, m.name;

-- The same for the store's own use, of what is hidden, too.
-- name: names_kept
SELECT name, times FROM names WHERE ns = %(ns)s AND entity = %(key)s ORDER BY times DESC, name;

-- Entities that lost mentions behind our back.
-- name: loose_entities
SELECT entity AS key FROM loose WHERE ns = %(ns)s ORDER BY entity LIMIT nullif(%(limit)s::bigint, -1);

-- name: loose_any
SELECT 1 FROM loose WHERE ns = %(ns)s LIMIT 1;

-- name: loose_drop
DELETE FROM loose WHERE ns = %(ns)s AND entity = %(key)s;

-- name: entity_pairs
SELECT c.key FROM claims c WHERE c.ns = %(ns)s AND c.object > 0 AND c.subject > 0 ORDER BY c.said_at, c.key;

-- Entities named in the turns in which this one is named.
-- name: entities_beside
SELECT o.entity AS key, count(DISTINCT o.turn) AS turns FROM (
  SELECT turn FROM mentions WHERE ns = %(ns)s AND entity = %(key)s ORDER BY turn DESC LIMIT nullif(%(most)s::bigint, -1)
) m JOIN mentions o ON o.ns = %(ns)s AND o.turn = m.turn AND o.entity <> %(key)s
JOIN turns t ON t.ns = %(ns)s AND t.key = o.turn AND t.hidden = 0
WHERE t.ns = %(ns)s GROUP BY o.entity ORDER BY turns DESC, o.entity LIMIT nullif(%(limit)s::bigint, -1);

-- ---- decisions ----

-- name: decision_next
SELECT coalesce(max(key), 0) + 1 FROM decisions WHERE ns = %(ns)s;

-- name: decision_add
INSERT INTO decisions (ns, key, act, verdict, person, entity, conversations, reason, evidence, confidence, made_by, created_at)
VALUES (%(ns)s, %(key)s, %(act)s, %(verdict)s, %(person)s, %(entity)s, %(conversations)s, %(reason)s, %(evidence)s, %(confidence)s, %(made_by)s, %(created_at)s);

-- name: decision_turn_add
INSERT INTO decision_turns (ns, turn, decision) VALUES (%(ns)s, %(turn)s, %(decision)s) ON CONFLICT (ns, turn, decision) DO NOTHING;

-- Decisions that rest on no hidden turn, the oldest first.
-- name: decisions_listed
SELECT d.key, d.act, d.verdict, d.person, d.entity, d.conversations, d.reason, d.evidence, d.confidence, d.made_by,
  d.created_at, d.overruled, d.undone
FROM decisions d
WHERE d.ns = %(ns)s AND d.undone = 0 AND (%(person)s::text IS NULL OR d.person = %(person)s) AND (%(entity)s::text IS NULL OR d.entity = %(entity)s)
  AND (%(key)s::bigint IS NULL OR d.key = %(key)s) AND NOT EXISTS (
    SELECT 1 FROM decision_turns x JOIN turns t ON t.ns = %(ns)s AND t.key = x.turn
    WHERE x.ns = %(ns)s AND x.decision = d.key AND t.hidden > 0)
ORDER BY d.person, d.entity, d.key;

-- name: decision_overruled
UPDATE decisions SET overruled = %(by)s WHERE ns = %(ns)s AND key = %(key)s;

-- name: decision_undone
UPDATE decisions SET undone = %(undone)s WHERE ns = %(ns)s AND key = %(key)s;

-- name: decisions_overruled_by
UPDATE decisions SET overruled = 0 WHERE ns = %(ns)s AND overruled = %(by)s;

-- ---- checks ----

-- Claims that say something of what is not there, and mentions of nobody or nowhere.
-- name: check_claims
SELECT (SELECT count(*) FROM claims c LEFT JOIN turns t ON t.key = c.turn AND t.ns = c.ns WHERE c.ns = %(ns)s AND (t.key IS NULL OR t.session <> c.session))
  + (SELECT count(*) FROM claims c LEFT JOIN entities e ON e.ns = c.ns AND e.key = c.subject WHERE c.ns = %(ns)s AND c.subject > 0 AND e.key IS NULL)
  + (SELECT count(*) FROM claims c LEFT JOIN entities e ON e.ns = c.ns AND e.key = c.object WHERE c.ns = %(ns)s AND c.object > 0 AND e.key IS NULL)
  + (SELECT count(*) FROM mentions m LEFT JOIN turns t ON t.key = m.turn AND t.ns = m.ns WHERE m.ns = %(ns)s AND t.key IS NULL);

-- Entities that nothing names, unless they wait to be tidied or the user spoke of them, names of none, wrong counts, and
-- owners that are gone.
-- name: check_entities
SELECT (SELECT count(*) FROM entities e WHERE e.ns = %(ns)s AND NOT EXISTS (SELECT 1 FROM mentions m WHERE m.ns = %(ns)s AND m.entity = e.key)
    AND NOT EXISTS (SELECT 1 FROM loose l WHERE l.ns = %(ns)s AND l.entity = e.key)
    AND NOT EXISTS (SELECT 1 FROM entity_words w WHERE w.ns = %(ns)s AND w.entity = e.key))
  + (SELECT count(*) FROM entities e WHERE e.ns = %(ns)s AND e.mentions <> (SELECT count(*) FROM mentions m WHERE m.ns = %(ns)s AND m.entity = e.key))
  + (SELECT count(*) FROM entities e LEFT JOIN entities o ON o.ns = e.ns AND o.key = e.merged WHERE e.ns = %(ns)s AND e.merged > 0 AND o.key IS NULL)
  + (SELECT count(*) FROM mentions m LEFT JOIN entities e ON e.ns = m.ns AND e.key = m.entity WHERE m.ns = %(ns)s AND e.key IS NULL)
  + (SELECT count(*) FROM names n WHERE n.ns = %(ns)s AND n.times <> (SELECT count(*) FROM mentions m WHERE m.ns = %(ns)s AND m.entity = n.entity AND m.name = n.name))
  + (SELECT count(*) FROM forms f LEFT JOIN entities e ON e.ns = f.ns AND e.key = f.entity WHERE f.ns = %(ns)s AND e.key IS NULL)
  + (SELECT count(*) FROM entities e LEFT JOIN entities o ON o.ns = e.ns AND o.key = e.owner WHERE e.ns = %(ns)s AND e.owner > 0 AND o.key IS NULL);

-- name: check_decisions
SELECT count(*) FROM decision_turns d LEFT JOIN turns t ON t.key = d.turn AND t.ns = d.ns
LEFT JOIN decisions x ON x.ns = d.ns AND x.key = d.decision WHERE d.ns = %(ns)s AND (t.key IS NULL OR x.key IS NULL);

-- ---- with the namespace ----

-- name: namespace_drop_claims
DELETE FROM claims WHERE ns = %(ns)s;

-- name: namespace_drop_mentions
DELETE FROM mentions WHERE ns = %(ns)s;

-- name: namespace_drop_names
DELETE FROM names WHERE ns = %(ns)s;

-- name: namespace_drop_forms
DELETE FROM forms WHERE ns = %(ns)s;

-- name: namespace_drop_entities
DELETE FROM entities WHERE ns = %(ns)s;

-- name: namespace_drop_loose
DELETE FROM loose WHERE ns = %(ns)s;

-- name: namespace_drop_decisions
DELETE FROM decisions WHERE ns = %(ns)s;

-- name: namespace_drop_decision_turns
DELETE FROM decision_turns WHERE ns = %(ns)s;

-- name: namespace_drop_extracted
DELETE FROM extracted WHERE ns = %(ns)s;
