-- ---- what was masked ----

-- name: redaction_add
INSERT INTO redactions (ns, turn, n, rule, start, length, fingerprint)
SELECT %(ns)s, t.key, %(n)s, %(rule)s, %(start)s, %(length)s, %(fingerprint)s FROM turns t
WHERE t.ns = %(ns)s AND t.session = %(session)s AND t.id = %(id)s ON CONFLICT (ns, turn, n) DO NOTHING;

-- name: redactions_drop_turn
DELETE FROM redactions WHERE ns = %(ns)s AND turn = %(key)s;

-- name: redactions_counts
SELECT rule, count(*) AS found, count(DISTINCT fingerprint) AS secrets FROM redactions WHERE ns = %(ns)s GROUP BY rule ORDER BY found DESC, rule;

-- name: redactions_of_session
SELECT t.id, r.rule, r.start, r.length, r.fingerprint FROM turns t JOIN redactions r ON r.ns = %(ns)s AND r.turn = t.key
WHERE t.ns = %(ns)s AND t.session = %(session)s ORDER BY t.position, r.n;

-- name: turn_reword
UPDATE turns SET id = %(id)s, speaker = %(speaker)s, text = %(text)s, meta = %(meta)s WHERE ns = %(ns)s AND key = %(key)s;

-- ---- masking what was stored before: its words, and the ids made of them ----

-- What may hold a secret, a page at a time.
-- name: turns_scanned
SELECT t.key, t.session, t.id, t.speaker, t.text, t.meta, s.conversation
FROM turns t JOIN sessions s ON s.ns = %(ns)s AND s.key = t.session WHERE t.ns = %(ns)s AND t.key > %(after)s ORDER BY t.key LIMIT nullif(%(limit)s::bigint, -1);

-- Numbered on after what was masked in this turn before.
-- name: redaction_more
INSERT INTO redactions (ns, turn, n, rule, start, length, fingerprint)
SELECT %(ns)s, %(turn)s, coalesce(max(n) + 1, 0), %(rule)s, %(start)s, %(length)s, %(fingerprint)s FROM redactions WHERE ns = %(ns)s AND turn = %(turn)s;

-- name: note_reword
UPDATE notes SET quality = %(quality)s, source = %(source)s, session = %(session)s, tags = %(tags)s WHERE ns = %(ns)s AND key = %(key)s;

-- What is known of notes, with the session each of them is.
-- name: notes_scanned
SELECT n.key, n.source, n.session, n.tags, g.session AS place FROM notes n JOIN segments g ON g.ns = %(ns)s AND g.key = n.key WHERE n.ns = %(ns)s ORDER BY n.key;

-- name: session_rename
UPDATE sessions SET conversation = %(conversation)s, id = %(id)s WHERE ns = %(ns)s AND key = %(key)s;

-- Acts and links that name segments by the ids they had;
-- name: acts_rename
UPDATE acts SET reason = replace(reason, %(before)s, %(id)s), detail = replace(detail, %(written_before)s, %(written)s)
WHERE ns = %(ns)s AND (strpos(detail, %(written_before)s) > 0 OR strpos(reason, %(before)s) > 0);

-- name: links_rename
UPDATE links SET provenance = replace(provenance, %(before)s, %(id)s) WHERE ns = %(ns)s AND strpos(provenance, %(before)s) > 0;

-- name: repeats_all
SELECT key, id, speaker, said_at, text, source, session FROM repeats WHERE ns = %(ns)s ORDER BY key, said_at, id;

-- name: repeat_reword
UPDATE repeats SET id = %(id)s, text = %(text)s, speaker = %(speaker)s, source = %(source)s, session = %(session)s
WHERE ns = %(ns)s AND key = %(key)s AND id = %(before)s;

-- name: repeat_delete
DELETE FROM repeats WHERE ns = %(ns)s AND key = %(key)s AND id = %(before)s;

-- name: conversation_retitle
UPDATE conversations SET title = %(title)s, source = %(source)s WHERE ns = %(ns)s AND id = %(id)s;

-- name: link_reword
UPDATE links SET label = %(label)s, provenance = %(provenance)s, author = %(author)s
WHERE ns = %(ns)s AND src = %(src)s AND kind = %(kind)s AND dst = %(dst)s;
