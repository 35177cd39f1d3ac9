-- ---- what a language model has not read ----

-- Blocks of closed talk that wait, the newest first, from a place on.
-- name: llm_waiting
SELECT e.session, e.block, e.changes FROM extracted e
JOIN sessions s ON s.ns = %(ns)s AND s.key = e.session
LEFT JOIN llm_blocks b ON b.ns = %(ns)s AND b.session = e.session AND b.block = e.block
WHERE e.ns = %(ns)s AND s.ns = %(ns)s AND s.closed = 1 AND s.conversation <> %(documents)s
  AND (b.changes IS NULL OR b.changes <> e.changes) AND coalesce(b.wait_until, 0) <= %(now)s
  AND (e.session, e.block) < (%(session)s, %(block)s)
ORDER BY e.session DESC, e.block DESC LIMIT nullif(%(limit)s::bigint, -1);

-- How many blocks there are, wait, wait for another try, belong to open sessions, and how many failed.
-- name: llm_counts
SELECT count(*) AS blocks,
  count(*) FILTER (WHERE s.closed = 1 AND (b.changes IS NULL OR b.changes <> e.changes)) AS waiting,
  count(*) FILTER (WHERE s.closed = 1 AND b.changes <> e.changes AND b.wait_until > %(now)s) AS later,
  count(*) FILTER (WHERE s.closed = 0) AS open,
  count(*) FILTER (WHERE b.tries > 0) AS failing
FROM extracted e
JOIN sessions s ON s.ns = %(ns)s AND s.key = e.session
LEFT JOIN llm_blocks b ON b.ns = %(ns)s AND b.session = e.session AND b.block = e.block
WHERE e.ns = %(ns)s AND s.conversation <> %(documents)s;

-- name: llm_block
SELECT e.changes, s.conversation, s.id, s.closed, coalesce(b.changes, -1) AS seen, coalesce(b.tries, 0) AS tries
FROM extracted e JOIN sessions s ON s.ns = %(ns)s AND s.key = e.session
LEFT JOIN llm_blocks b ON b.ns = %(ns)s AND b.session = e.session AND b.block = e.block
WHERE e.ns = %(ns)s AND e.session = %(session)s AND e.block = %(block)s AND s.ns = %(ns)s;

-- name: llm_block_done
INSERT INTO llm_blocks (ns, session, block, changes, tries, wait_until) VALUES (%(ns)s, %(session)s, %(block)s, %(changes)s, 0, 0)
ON CONFLICT (ns, session, block) DO UPDATE SET changes = excluded.changes, tries = 0, wait_until = 0;

-- name: llm_block_failed
INSERT INTO llm_blocks (ns, session, block, changes, tries, wait_until) VALUES (%(ns)s, %(session)s, %(block)s, -1, %(tries)s, %(wait_until)s)
ON CONFLICT (ns, session, block) DO UPDATE SET tries = excluded.tries, wait_until = excluded.wait_until;

-- What failed is tried again at once.
-- name: llm_blocks_retry
UPDATE llm_blocks SET wait_until = 0 WHERE ns = %(ns)s AND wait_until > 0;

-- Blocks with pieces that could not be read are no longer done, and those pieces not known.
-- name: llm_blocks_retry_unread
DELETE FROM llm_blocks WHERE ns = %(ns)s AND (session, block) IN (
  SELECT session, block FROM llm_pieces WHERE ns = %(ns)s AND outcome <> 'read');

-- name: llm_pieces_retry
DELETE FROM llm_pieces WHERE ns = %(ns)s AND outcome <> 'read';

-- name: llm_blocks_again
DELETE FROM llm_blocks WHERE ns = %(ns)s;

-- name: llm_pieces_again
DELETE FROM llm_pieces WHERE ns = %(ns)s;

-- The vectors of a session's segments, by which it is cut where the topic changes.
-- name: llm_vectors
SELECT g.first, g.last, e.vector FROM segments g JOIN embeddings e ON e.ns = %(ns)s AND e.key = g.key
WHERE g.ns = %(ns)s AND g.session = %(session)s ORDER BY g.first;

-- ---- what it has read ----

-- name: llm_pieces_of
SELECT piece FROM llm_pieces WHERE ns = %(ns)s AND session = %(session)s AND block = %(block)s;

-- name: llm_piece_done
INSERT INTO llm_pieces (ns, session, block, piece, model, outcome, proposed, kept, dropped, read_at)
VALUES (%(ns)s, %(session)s, %(block)s, %(piece)s, %(model)s, %(outcome)s, %(proposed)s, %(kept)s, %(dropped)s, %(read_at)s)
ON CONFLICT (ns, session, block, piece) DO UPDATE SET model = excluded.model, outcome = excluded.outcome,
  proposed = excluded.proposed, kept = excluded.kept, dropped = excluded.dropped, read_at = excluded.read_at;

-- Pieces that are no longer what the block's turns make.
-- name: llm_pieces_tidy
DELETE FROM llm_pieces WHERE ns = %(ns)s AND session = %(session)s AND block = %(block)s
  AND piece <> ALL(%(pieces)s::text[]);

-- name: llm_outcomes
SELECT model, outcome, count(*) AS pieces, sum(proposed)::bigint AS proposed, sum(kept)::bigint AS kept
FROM llm_pieces WHERE ns = %(ns)s GROUP BY model, outcome ORDER BY model, outcome;

-- name: llm_drops
SELECT p.model, d.key AS reason, sum(d.value::bigint)::bigint AS claims FROM llm_pieces p CROSS JOIN json_each_text(p.dropped::json) d
WHERE p.ns = %(ns)s GROUP BY p.model, d.key ORDER BY claims DESC, d.key COLLATE "C";

-- The claims that models made of these turns, and what they named there.
-- name: llm_claims_drop
DELETE FROM claims WHERE ns = %(ns)s AND method <> 'rules' AND turn = ANY(%(turns)s::bigint[]);

-- name: llm_mentions
SELECT m.entity FROM unnest(%(turns)s::bigint[]) WITH ORDINALITY k(value, place)
JOIN mentions m ON m.ns = %(ns)s AND m.turn = k.value WHERE m.made_by = 1 GROUP BY m.entity ORDER BY min(k.place), m.entity;

-- name: llm_mentions_drop
DELETE FROM mentions WHERE ns = %(ns)s AND made_by = 1 AND turn = ANY(%(turns)s::bigint[]);

-- What both the rules and a model name is the model's, so that the rules do not take it away when they read again.
-- name: llm_mention_own
UPDATE mentions SET made_by = 1 WHERE ns = %(ns)s AND entity = %(entity)s AND turn = %(turn)s AND name = %(called)s;

-- The rules read a block again, without any turn having changed: it may name what a model has named no more.
-- name: llm_rules_again
UPDATE extracted SET version = 0 WHERE ns = %(ns)s AND session = %(session)s AND block = %(block)s;

-- ---- what it cost ----

-- name: llm_charge
INSERT INTO llm_usage AS u (ns, day, model, requests, failed, prompt_tokens, completion_tokens, estimated, proposed, kept)
VALUES (%(ns)s, %(day)s, %(model)s, %(requests)s, %(failed)s, %(prompt_tokens)s, %(completion_tokens)s, %(estimated)s, %(proposed)s, %(kept)s)
ON CONFLICT (ns, day, model) DO UPDATE SET requests = u.requests + excluded.requests, failed = u.failed + excluded.failed,
  prompt_tokens = u.prompt_tokens + excluded.prompt_tokens,
  completion_tokens = u.completion_tokens + excluded.completion_tokens, estimated = u.estimated + excluded.estimated,
  proposed = u.proposed + excluded.proposed, kept = u.kept + excluded.kept;

-- name: llm_spent
SELECT coalesce(sum(prompt_tokens + completion_tokens), 0)::bigint AS tokens FROM llm_usage WHERE ns = %(ns)s AND day = %(day)s;

-- name: llm_usage_listed
SELECT day, model, requests, failed, prompt_tokens, completion_tokens, estimated, proposed, kept FROM llm_usage
WHERE ns = %(ns)s ORDER BY day DESC, model LIMIT nullif(%(limit)s::bigint, -1);

-- ---- with the namespace ----

-- name: namespace_drop_llm_blocks
DELETE FROM llm_blocks WHERE ns = %(ns)s;

-- name: namespace_drop_llm_pieces
DELETE FROM llm_pieces WHERE ns = %(ns)s;

-- name: namespace_drop_llm_usage
DELETE FROM llm_usage WHERE ns = %(ns)s;
