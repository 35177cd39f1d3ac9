-- ---- what a language model has not read ----

-- Blocks of closed talk that wait, the newest first, from a place on.
-- name: llm_waiting
SELECT e.session, e.block, e.changes FROM extracted e
CROSS JOIN sessions s ON s.key = e.session
LEFT JOIN llm_blocks b ON b.ns = :ns AND b.session = e.session AND b.block = e.block
WHERE e.ns = :ns AND s.ns = :ns AND s.closed = 1 AND s.conversation <> :documents
  AND (b.changes IS NULL OR b.changes <> e.changes) AND coalesce(b.wait_until, 0) <= :now
  AND (e.session, e.block) < (:session, :block)
ORDER BY e.session DESC, e.block DESC LIMIT :limit;

-- How many blocks there are, wait, wait for another try, belong to open sessions, and how many failed.
-- name: llm_counts
SELECT count(*) AS blocks,
  count(*) FILTER (WHERE s.closed = 1 AND (b.changes IS NULL OR b.changes <> e.changes)) AS waiting,
  count(*) FILTER (WHERE s.closed = 1 AND b.changes <> e.changes AND b.wait_until > :now) AS later,
  count(*) FILTER (WHERE s.closed = 0) AS open,
  count(*) FILTER (WHERE b.tries > 0) AS failing
FROM extracted e
CROSS JOIN sessions s ON s.key = e.session
LEFT JOIN llm_blocks b ON b.ns = :ns AND b.session = e.session AND b.block = e.block
WHERE e.ns = :ns AND s.ns = :ns AND s.conversation <> :documents;

-- name: llm_block
SELECT e.changes, s.conversation, s.id, s.closed, coalesce(b.changes, -1) AS seen, coalesce(b.tries, 0) AS tries
FROM extracted e CROSS JOIN sessions s ON s.key = e.session
LEFT JOIN llm_blocks b ON b.ns = :ns AND b.session = e.session AND b.block = e.block
WHERE e.ns = :ns AND e.session = :session AND e.block = :block AND s.ns = :ns;

-- name: llm_block_done
INSERT INTO llm_blocks (ns, session, block, changes, tries, wait_until) VALUES (:ns, :session, :block, :changes, 0, 0)
ON CONFLICT (ns, session, block) DO UPDATE SET changes = excluded.changes, tries = 0, wait_until = 0;

-- name: llm_block_failed
INSERT INTO llm_blocks (ns, session, block, changes, tries, wait_until) VALUES (:ns, :session, :block, -1, :tries, :wait_until)
ON CONFLICT (ns, session, block) DO UPDATE SET tries = excluded.tries, wait_until = excluded.wait_until;

-- What failed is tried again at once.
-- name: llm_blocks_retry
UPDATE llm_blocks SET wait_until = 0 WHERE ns = :ns AND wait_until > 0;

-- Blocks with pieces that could not be read are no longer done, and those pieces not known.
-- name: llm_blocks_retry_unread
DELETE FROM llm_blocks WHERE ns = :ns AND (session, block) IN (
  SELECT session, block FROM llm_pieces WHERE ns = :ns AND outcome <> 'read');

-- name: llm_pieces_retry
DELETE FROM llm_pieces WHERE ns = :ns AND outcome <> 'read';

-- name: llm_blocks_again
DELETE FROM llm_blocks WHERE ns = :ns;

-- name: llm_pieces_again
DELETE FROM llm_pieces WHERE ns = :ns;

-- The vectors of a session's segments, by which it is cut where the topic changes.
-- name: llm_vectors
SELECT g.first, g.last, e.vector FROM segments g CROSS JOIN embeddings e ON e.ns = :ns AND e.key = g.key
WHERE g.ns = :ns AND g.session = :session ORDER BY g.first;

-- ---- what it has read ----

-- name: llm_pieces_of
SELECT piece FROM llm_pieces WHERE ns = :ns AND session = :session AND block = :block;

-- name: llm_piece_done
INSERT INTO llm_pieces (ns, session, block, piece, model, outcome, proposed, kept, dropped, read_at)
VALUES (:ns, :session, :block, :piece, :model, :outcome, :proposed, :kept, :dropped, :read_at)
ON CONFLICT (ns, session, block, piece) DO UPDATE SET model = excluded.model, outcome = excluded.outcome,
  proposed = excluded.proposed, kept = excluded.kept, dropped = excluded.dropped, read_at = excluded.read_at;

-- Pieces that are no longer what the block's turns make.
-- name: llm_pieces_tidy
DELETE FROM llm_pieces WHERE ns = :ns AND session = :session AND block = :block
  AND piece NOT IN (SELECT value FROM json_each(:pieces));

-- name: llm_outcomes
SELECT model, outcome, count(*) AS pieces, sum(proposed) AS proposed, sum(kept) AS kept
FROM llm_pieces WHERE ns = :ns GROUP BY model, outcome ORDER BY model, outcome;

-- The claims that models made of these turns, and what they named there.
-- name: llm_claims_drop
DELETE FROM claims WHERE ns = :ns AND method <> 'rules' AND turn IN (SELECT value FROM json_each(:turns));

-- name: llm_mentions_drop
DELETE FROM mentions WHERE ns = :ns AND made_by = 1 AND turn IN (SELECT value FROM json_each(:turns));

-- What both the rules and a model name is the model's, so that the rules do not take it away when they read again.
-- name: llm_mention_own
UPDATE mentions SET made_by = 1 WHERE ns = :ns AND entity = :entity AND turn = :turn AND name = :called;

-- The rules read a block again, without any turn having changed: it may name what a model has named no more.
-- name: llm_rules_again
UPDATE extracted SET version = 0 WHERE ns = :ns AND session = :session AND block = :block;

-- ---- what it cost ----

-- name: llm_charge
INSERT INTO llm_usage AS u (ns, day, model, requests, failed, prompt_tokens, completion_tokens, estimated, proposed, kept)
VALUES (:ns, :day, :model, :requests, :failed, :prompt_tokens, :completion_tokens, :estimated, :proposed, :kept)
ON CONFLICT (ns, day, model) DO UPDATE SET requests = u.requests + excluded.requests, failed = u.failed + excluded.failed,
  prompt_tokens = u.prompt_tokens + excluded.prompt_tokens,
  completion_tokens = u.completion_tokens + excluded.completion_tokens, estimated = u.estimated + excluded.estimated,
  proposed = u.proposed + excluded.proposed, kept = u.kept + excluded.kept;

-- name: llm_spent
SELECT coalesce(sum(prompt_tokens + completion_tokens), 0) AS tokens FROM llm_usage WHERE ns = :ns AND day = :day;

-- name: llm_usage_listed
SELECT day, model, requests, failed, prompt_tokens, completion_tokens, estimated, proposed, kept FROM llm_usage
WHERE ns = :ns ORDER BY day DESC, model LIMIT :limit;

-- ---- with the namespace ----
