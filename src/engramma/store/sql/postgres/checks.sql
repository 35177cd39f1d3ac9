-- ---- counts and checks ----

-- name: check_segments_without_words
SELECT count(*) FROM segments g LEFT JOIN words d ON d.ns = %(ns)s AND d.cold = 0 AND d.key = g.key
WHERE g.ns = %(ns)s AND g.state = 0 AND d.key IS NULL;

-- name: check_words_without_segment
SELECT count(*) FROM words d LEFT JOIN segments g ON g.ns = %(ns)s AND g.key = d.key
WHERE d.ns = %(ns)s AND d.cold = 0 AND (g.key IS NULL OR g.state <> 0);

-- Archived and retired segments have their words in the table beside it, and nobody else has.
-- name: check_cold_words
SELECT (SELECT count(*) FROM segments g LEFT JOIN words d ON d.ns = %(ns)s AND d.cold = 1 AND d.key = g.key
    WHERE g.ns = %(ns)s AND g.state IN (1, 2) AND d.key IS NULL)
  + (SELECT count(*) FROM words d LEFT JOIN segments g ON g.ns = %(ns)s AND g.key = d.key
    WHERE d.ns = %(ns)s AND d.cold = 1 AND (g.key IS NULL OR g.state NOT IN (1, 2)));

-- name: check_purges
SELECT count(*) FROM acts WHERE ns = %(ns)s AND kind = 'forget' AND undone_at IS NULL
  AND coalesce(detail::json ->> 'purging', 'false') NOT IN ('false', '0');
