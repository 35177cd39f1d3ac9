-- ---- what was masked ----

-- name: redaction_add
INSERT INTO redactions (ns, turn, n, rule, start, length, fingerprint)
SELECT :ns, t.key, :n, :rule, :start, :length, :fingerprint FROM turns t
WHERE t.ns = :ns AND t.session = :session AND t.id = :id ON CONFLICT (ns, turn, n) DO NOTHING;

-- name: redactions_drop_turn
DELETE FROM redactions WHERE ns = :ns AND turn = :key;

-- What is forgotten is not counted.
-- name: redactions_counts
SELECT r.rule, count(*) AS found, count(DISTINCT r.fingerprint) AS secrets
FROM redactions r CROSS JOIN turns t ON t.ns = :ns AND t.key = r.turn
WHERE r.ns = :ns AND t.hidden = 0 GROUP BY r.rule ORDER BY found DESC, r.rule;

-- name: redactions_of_session
SELECT t.id, r.rule, r.start, r.length, r.fingerprint FROM turns t CROSS JOIN redactions r ON r.ns = :ns AND r.turn = t.key
WHERE t.ns = :ns AND t.session = :session ORDER BY t.position, r.n;

-- name: turn_reword
UPDATE turns SET id = :id, speaker = :speaker, text = :text, meta = :meta WHERE ns = :ns AND key = :key;

-- ---- masking what was stored before: its words, and the ids made of them ----

-- What may hold a secret, a page at a time.
-- name: turns_scanned
SELECT t.key, t.session, t.id, t.speaker, t.text, t.meta, s.conversation
FROM turns t CROSS JOIN sessions s ON s.ns = :ns AND s.key = t.session WHERE t.ns = :ns AND t.key > :after ORDER BY t.key LIMIT :limit;

-- Numbered on after what was masked in this turn before.
-- name: redaction_more
INSERT INTO redactions (ns, turn, n, rule, start, length, fingerprint)
SELECT :ns, :turn, coalesce(max(n) + 1, 0), :rule, :start, :length, :fingerprint FROM redactions WHERE ns = :ns AND turn = :turn;

-- name: note_reword
UPDATE notes SET quality = :quality, source = :source, session = :session, tags = :tags WHERE ns = :ns AND key = :key;

-- What is known of notes, with the session each of them is.
-- name: notes_scanned
SELECT n.key, n.source, n.session, n.tags, g.session AS place FROM notes n CROSS JOIN segments g ON g.ns = :ns AND g.key = n.key WHERE n.ns = :ns ORDER BY n.key;

-- name: session_rename
UPDATE sessions SET conversation = :conversation, id = :id WHERE ns = :ns AND key = :key;

-- Acts and links that name segments by the ids they had; in a detail as JSON writes them.
-- name: acts_rename
UPDATE acts SET reason = replace(reason, :before, :id), detail = replace(detail, :written_before, :written)
WHERE ns = :ns AND (instr(detail, :written_before) > 0 OR instr(reason, :before) > 0);

-- name: links_rename
UPDATE links SET provenance = replace(provenance, :before, :id) WHERE ns = :ns AND instr(provenance, :before) > 0;

-- name: repeats_all
SELECT key, id, speaker, said_at, text, source, session FROM repeats WHERE ns = :ns ORDER BY key, said_at, id;

-- name: repeat_reword
UPDATE repeats SET id = :id, text = :text, speaker = :speaker, source = :source, session = :session
WHERE ns = :ns AND key = :key AND id = :before;

-- name: repeat_delete
DELETE FROM repeats WHERE ns = :ns AND key = :key AND id = :before;

-- name: conversation_retitle
UPDATE conversations SET title = :title, source = :source WHERE ns = :ns AND id = :id;

-- name: link_reword
UPDATE links SET label = :label, provenance = :provenance, author = :author
WHERE ns = :ns AND src = :src AND kind = :kind AND dst = :dst;
