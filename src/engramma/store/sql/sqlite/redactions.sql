-- ---- what was masked ----

-- name: redaction_add
INSERT INTO redactions (ns, turn, n, rule, start, length, fingerprint)
SELECT :ns, t.key, :n, :rule, :start, :length, :fingerprint FROM turns t
WHERE t.ns = :ns AND t.session = :session AND t.id = :id ON CONFLICT (ns, turn, n) DO NOTHING;

-- name: redactions_drop_turn
DELETE FROM redactions WHERE ns = :ns AND turn = :key;

-- name: redactions_counts
SELECT rule, count(*) AS found, count(DISTINCT fingerprint) AS secrets FROM redactions WHERE ns = :ns GROUP BY rule ORDER BY found DESC, rule;

-- name: redactions_of_session
SELECT t.id, r.rule, r.start, r.length, r.fingerprint FROM turns t CROSS JOIN redactions r ON r.ns = :ns AND r.turn = t.key
WHERE t.ns = :ns AND t.session = :session ORDER BY t.position, r.n;

-- name: turn_reword
UPDATE turns SET text = :text, meta = :meta WHERE ns = :ns AND key = :key;
