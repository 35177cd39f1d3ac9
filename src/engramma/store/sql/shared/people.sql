-- ---- which turns were extracted ----

-- Pieces of sessions that wait, or were extracted by older rules.
-- name: extraction_waiting
SELECT session, block, changes FROM extracted INDEXED BY extracted_waiting
WHERE ns = :ns AND version < :version ORDER BY version, session, block LIMIT :limit;

-- What was said last first: who reads only some of it knows how things are now.
-- name: extraction_waiting_newest
SELECT e.session, e.block, e.changes FROM extracted e INDEXED BY extracted_waiting
LEFT JOIN sessions s ON s.ns = e.ns AND s.key = e.session
WHERE e.ns = :ns AND e.version < :version
ORDER BY e.version, s.last_at DESC, e.session DESC, e.block DESC LIMIT :limit;

-- name: extraction_count
SELECT count(*) FROM extracted INDEXED BY extracted_waiting WHERE ns = :ns AND version < :version;

-- name: extraction_changes
SELECT changes FROM extracted WHERE ns = :ns AND session = :session AND block = :block AND version < :version;

-- name: extraction_done
UPDATE extracted SET version = :version WHERE ns = :ns AND session = :session AND block = :block;

-- name: extraction_drop
DELETE FROM extracted WHERE ns = :ns AND session = :session AND block = :block;

-- name: extraction_turns
SELECT key, position, id, speaker, role, said_at, text, hidden, meta FROM turns
WHERE ns = :ns AND session = :session AND position >= :first AND position < :beyond ORDER BY position;

-- Who spoke in a session and in those of its conversation right before it.
-- name: extraction_people
WITH near AS MATERIALIZED (
  SELECT o.key FROM sessions s CROSS JOIN sessions o ON o.ns = :ns AND o.conversation = s.conversation
  WHERE s.ns = :ns AND s.key = :session AND o.started_at <= s.started_at ORDER BY o.started_at DESC, o.id DESC LIMIT :sessions
)
SELECT DISTINCT t.speaker FROM near n
CROSS JOIN turns t ON t.ns = :ns AND t.session = n.key AND t.position < :turns
WHERE t.hidden = 0 AND (t.role IS NULL OR t.role IN ('user', 'assistant')) ORDER BY t.speaker;

-- ---- claims ----

-- name: claim_next
SELECT coalesce(max(key), 0) + 1 FROM claims WHERE ns = :ns;

-- name: claim_add
INSERT INTO claims (ns, key, id, session, block, turn, start, length, others, subject, relation, object, value, fact,
  said_at, valid_from, valid_to, negated, modality, confidence, method, questions)
VALUES (:ns, :key, :id, :session, :block, :turn, :start, :length, :others, :subject, :relation, :object, :value, :fact,
  :said_at, :valid_from, :valid_to, :negated, :modality, :confidence, :method, :questions);

-- name: claims_drop_block
DELETE FROM claims INDEXED BY claims_of_session
WHERE ns = :ns AND session = :session AND block = :block AND (method = 'rules') = (:rules <> 0);

-- Claims with all that they point to; those that rest on a hidden turn, or are about what the user deleted, are not there.
-- name: claims_by_keys
SELECT c.key, c.id, c.start, c.length, c.others, c.subject, c.relation, CASE WHEN b.key IS NULL THEN 0 ELSE c.object END AS object, c.value, c.fact, c.said_at, c.valid_from,
  c.valid_to, c.negated, c.modality, c.confidence, c.method, c.questions, t.key AS turn, t.id AS turn_id, t.speaker,
  substr(t.text, c.start + 1, c.length) AS quote, s.conversation, s.id AS session_id,
  a.name AS subject_name, a.type AS subject_type, w.name AS subject_owner, b.name AS object_name, b.type AS object_type
FROM json_each(:keys) k
CROSS JOIN claims c ON c.ns = :ns AND c.key = k.value
CROSS JOIN turns t ON t.key = c.turn
CROSS JOIN sessions s ON s.ns = :ns AND s.key = c.session
LEFT JOIN entities a ON a.ns = :ns AND a.key = c.subject
LEFT JOIN entities w ON w.ns = :ns AND w.key = a.owner
LEFT JOIN entities b ON b.ns = :ns AND b.key = c.object AND b.gone = 0
WHERE t.ns = :ns AND t.hidden = 0 AND coalesce(a.gone, 0) = 0 AND (c.others IS NULL OR NOT EXISTS (
  SELECT 1 FROM json_each(c.others) o CROSS JOIN turns h ON h.ns = :ns AND h.key = CAST(o.value AS INTEGER) WHERE h.hidden > 0));

-- The ids of turns by their keys.
-- name: claim_turn_ids
SELECT t.key, t.id FROM json_each(:keys) k CROSS JOIN turns t ON t.key = k.value WHERE t.ns = :ns;

-- Who said these facts where it can be seen, the first first.
-- name: claim_speakers
SELECT c.fact, t.speaker, min(c.said_at) AS first_at FROM json_each(:facts) k
CROSS JOIN claims c INDEXED BY claims_of_fact ON c.ns = :ns AND c.fact = k.value
CROSS JOIN turns t ON t.key = c.turn
WHERE t.ns = :ns AND t.hidden = 0 GROUP BY c.fact, t.speaker ORDER BY c.fact, first_at, t.speaker;

-- name: claim_keys_of_facts
SELECT c.key FROM json_each(:facts) k CROSS JOIN claims c INDEXED BY claims_of_fact ON c.ns = :ns AND c.fact = k.value ORDER BY c.said_at, c.key;

-- name: claim_keys_of_subjects
SELECT c.key FROM json_each(:entities) k
CROSS JOIN claims c INDEXED BY claims_of_subject ON c.ns = :ns AND c.subject = k.value
WHERE :relation IS NULL OR c.relation = :relation ORDER BY c.said_at DESC, c.key DESC LIMIT :limit;

-- name: claim_keys_of_objects
SELECT c.key FROM json_each(:entities) k
CROSS JOIN claims c INDEXED BY claims_of_object ON c.ns = :ns AND c.object = k.value AND likely(c.object > 0)
WHERE :relation IS NULL OR c.relation = :relation ORDER BY c.said_at DESC, c.key DESC LIMIT :limit;

-- name: claim_keys_of_relation
SELECT key FROM claims INDEXED BY claims_of_relation
WHERE ns = :ns AND relation = :relation ORDER BY said_at DESC, key DESC LIMIT :limit;

-- Those of a relation whose value has some letters in it.
-- name: claim_keys_with_letters
SELECT key FROM claims INDEXED BY claims_of_relation
WHERE ns = :ns AND relation = :relation AND instr(lower(value), :letters) > 0 ORDER BY said_at DESC, key DESC LIMIT :limit;

-- name: claim_keys_of_turns
SELECT c.key FROM json_each(:turns) k
CROSS JOIN claims c INDEXED BY claims_of_turn ON c.ns = :ns AND c.turn = k.value ORDER BY c.turn, c.start, c.key LIMIT :limit;

-- name: claim_keys_of_conversation
SELECT c.key FROM sessions s
CROSS JOIN claims c INDEXED BY claims_of_session ON c.ns = :ns AND c.session = s.key
WHERE s.ns = :ns AND s.conversation = :conversation ORDER BY c.said_at DESC, c.key DESC LIMIT :limit;

-- name: claim_keys_of_session
SELECT key FROM claims INDEXED BY claims_of_session WHERE ns = :ns AND session = :session ORDER BY turn, start, key;

-- name: claim_keys_latest
SELECT key FROM claims INDEXED BY claims_by_time WHERE ns = :ns ORDER BY said_at DESC, key DESC LIMIT :limit;

-- name: claim_relations
SELECT relation, count(*) AS claims FROM claims WHERE ns = :ns GROUP BY relation ORDER BY claims DESC, relation;

-- name: claim_ids
SELECT id FROM claims WHERE ns = :ns AND session = :session AND block = :block;

-- ---- entities ----

-- name: entity_next
SELECT coalesce(max(key), 0) + 1 FROM entities WHERE ns = :ns;

-- name: entity_add
INSERT INTO entities (ns, key, type, name, owner) VALUES (:ns, :key, :type, :called, :owner);

-- name: entity_get
SELECT key, type, name, owner, named, base, merged, gone FROM entities WHERE ns = :ns AND key = :key;

-- name: entities_get
SELECT e.key, e.name FROM json_each(:keys) k CROSS JOIN entities e ON e.ns = :ns AND e.key = k.value;

-- name: entity_named
UPDATE entities SET name = :called WHERE ns = :ns AND key = :key;

-- name: entity_typed
UPDATE entities SET type = :type WHERE ns = :ns AND key = :key;

-- name: entity_delete
DELETE FROM entities WHERE ns = :ns AND key = :key;

-- name: entities_of_owner
SELECT key FROM entities INDEXED BY entities_owned WHERE ns = :ns AND owner = :key AND owner > 0;

-- name: entities_disown
UPDATE entities SET owner = 0 WHERE ns = :ns AND owner = :key AND owner > 0;

-- root: the entity that it is, by the user's word, one with; else itself.
-- name: forms_find
SELECT f.form, f.kind, e.key, e.type, e.name, e.owner, e.base, e.named, e.mentions, r.key AS root, r.type AS root_type, r.gone
FROM json_each(:forms) k
CROSS JOIN forms f ON f.ns = :ns AND f.form = k.value
CROSS JOIN entities e ON e.ns = :ns AND e.key = f.entity
CROSS JOIN entities r ON r.ns = :ns AND r.key = CASE WHEN e.merged > 0 THEN e.merged ELSE e.key END;

-- name: form_add
INSERT INTO forms AS f (ns, form, entity, kind) VALUES (:ns, :form, :entity, :kind)
ON CONFLICT (ns, form, entity) DO UPDATE SET kind = min(f.kind, excluded.kind);

-- name: forms_drop
DELETE FROM forms WHERE ns = :ns AND entity = :key;

-- name: mention_add
INSERT INTO mentions (ns, entity, turn, name, session, block, made_by)
VALUES (:ns, :entity, :turn, :name, :session, :block, :made_by) ON CONFLICT (ns, entity, turn, name) DO NOTHING;

-- name: mentions_of_block
SELECT entity, turn, name FROM mentions INDEXED BY mentions_of_session
WHERE ns = :ns AND session = :session AND block = :block AND made_by = :made_by;

-- name: mentions_drop_block
DELETE FROM mentions INDEXED BY mentions_of_session
WHERE ns = :ns AND session = :session AND block = :block AND made_by = :made_by;

-- The same for the store's own use, of what is hidden, too.
-- name: names_kept
SELECT name, times FROM names WHERE ns = :ns AND entity = :key ORDER BY times DESC, name;

-- Entities that lost mentions behind our back.
-- name: loose_entities
SELECT entity AS key FROM loose WHERE ns = :ns ORDER BY entity LIMIT :limit;

-- name: loose_any
SELECT 1 FROM loose WHERE ns = :ns LIMIT 1;

-- name: loose_drop
DELETE FROM loose WHERE ns = :ns AND entity = :key;

-- Entities named in the turns in which this one is named, those that are worth listing.
-- name: entities_beside
SELECT o.entity AS key, count(DISTINCT o.turn) AS turns FROM (
  SELECT turn FROM mentions WHERE ns = :ns AND entity = :key ORDER BY turn DESC LIMIT :most
) m CROSS JOIN mentions o INDEXED BY mentions_of_turn ON o.ns = :ns AND o.turn = m.turn AND o.entity <> :key
CROSS JOIN turns t ON t.key = o.turn AND t.hidden = 0
CROSS JOIN entities e ON e.ns = :ns AND e.key = o.entity AND e.listed = 1
WHERE t.ns = :ns GROUP BY o.entity ORDER BY turns DESC, o.entity LIMIT :limit;

-- ---- decisions ----

-- name: decision_next
SELECT coalesce(max(key), 0) + 1 FROM decisions WHERE ns = :ns;

-- name: decision_add
INSERT INTO decisions (ns, key, act, verdict, person, entity, conversations, reason, evidence, confidence, made_by, created_at)
VALUES (:ns, :key, :act, :verdict, :person, :entity, :conversations, :reason, :evidence, :confidence, :made_by, :created_at);

-- name: decision_turn_add
INSERT INTO decision_turns (ns, turn, decision) VALUES (:ns, :turn, :decision) ON CONFLICT (ns, turn, decision) DO NOTHING;

-- Decisions that rest on no hidden turn, the oldest first.
-- name: decisions_listed
SELECT d.key, d.act, d.verdict, d.person, d.entity, d.conversations, d.reason, d.evidence, d.confidence, d.made_by,
  d.created_at, d.overruled, d.undone
FROM decisions d
WHERE d.ns = :ns AND d.undone = 0 AND (:person IS NULL OR d.person = :person) AND (:entity IS NULL OR d.entity = :entity)
  AND (:key IS NULL OR d.key = :key) AND NOT EXISTS (
    SELECT 1 FROM decision_turns x INDEXED BY decision_turns_of CROSS JOIN turns t ON t.ns = :ns AND t.key = x.turn
    WHERE x.ns = :ns AND x.decision = d.key AND t.hidden > 0)
ORDER BY d.person, d.entity, d.key;

-- name: decision_keys
SELECT key FROM decisions WHERE ns = :ns;

-- name: decision_overruled
UPDATE decisions SET overruled = :by WHERE ns = :ns AND key = :key;

-- name: decision_undone
UPDATE decisions SET undone = :undone WHERE ns = :ns AND key = :key;

-- name: decisions_overruled_by
UPDATE decisions SET overruled = 0 WHERE ns = :ns AND overruled = :by;

-- ---- checks ----

-- Claims that say something of what is not there, and mentions of nobody or nowhere.
-- name: check_claims
SELECT (SELECT count(*) FROM claims c LEFT JOIN turns t ON t.key = c.turn AND t.ns = c.ns WHERE c.ns = :ns AND (t.key IS NULL OR t.session <> c.session))
  + (SELECT count(*) FROM claims c LEFT JOIN entities e ON e.ns = c.ns AND e.key = c.subject WHERE c.ns = :ns AND c.subject > 0 AND e.key IS NULL)
  + (SELECT count(*) FROM claims c LEFT JOIN entities e ON e.ns = c.ns AND e.key = c.object WHERE c.ns = :ns AND c.object > 0 AND e.key IS NULL)
  + (SELECT count(*) FROM mentions m LEFT JOIN turns t ON t.key = m.turn AND t.ns = m.ns WHERE m.ns = :ns AND t.key IS NULL);

-- Entities that nothing names, unless they wait to be tidied or the user spoke of them, names of none, wrong counts, and
-- owners that are gone.
-- name: check_entities
SELECT (SELECT count(*) FROM entities e WHERE e.ns = :ns AND NOT EXISTS (SELECT 1 FROM mentions m WHERE m.ns = :ns AND m.entity = e.key)
    AND NOT EXISTS (SELECT 1 FROM loose l WHERE l.ns = :ns AND l.entity = e.key)
    AND NOT EXISTS (SELECT 1 FROM entity_words w WHERE w.ns = :ns AND w.entity = e.key))
  + (SELECT count(*) FROM entities e WHERE e.ns = :ns AND e.mentions <> (SELECT count(*) FROM mentions m WHERE m.ns = :ns AND m.entity = e.key))
  + (SELECT count(*) FROM entities e LEFT JOIN entities o ON o.ns = e.ns AND o.key = e.merged WHERE e.ns = :ns AND e.merged > 0 AND o.key IS NULL)
  + (SELECT count(*) FROM mentions m LEFT JOIN entities e ON e.ns = m.ns AND e.key = m.entity WHERE m.ns = :ns AND e.key IS NULL)
  + (SELECT count(*) FROM names n WHERE n.ns = :ns AND n.times <> (SELECT count(*) FROM mentions m WHERE m.ns = :ns AND m.entity = n.entity AND m.name = n.name))
  + (SELECT count(*) FROM forms f LEFT JOIN entities e ON e.ns = f.ns AND e.key = f.entity WHERE f.ns = :ns AND e.key IS NULL)
  + (SELECT count(*) FROM entities e LEFT JOIN entities o ON o.ns = e.ns AND o.key = e.owner WHERE e.ns = :ns AND e.owner > 0 AND o.key IS NULL);

-- name: check_decisions
SELECT count(*) FROM decision_turns d LEFT JOIN turns t ON t.key = d.turn AND t.ns = d.ns
LEFT JOIN decisions x ON x.ns = d.ns AND x.key = d.decision WHERE d.ns = :ns AND (t.key IS NULL OR x.key IS NULL);

-- ---- with the namespace ----
