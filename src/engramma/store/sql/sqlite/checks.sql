-- ---- counts and checks ----

-- name: check_segments_without_words
SELECT count(*) FROM segments g LEFT JOIN words_{ns}_docsize d ON d.id = g.key WHERE g.ns = :ns AND g.state = 0 AND d.id IS NULL;

-- name: check_words_without_segment
SELECT count(*) FROM words_{ns}_docsize d LEFT JOIN segments g ON g.key = d.id AND g.ns = :ns WHERE g.key IS NULL OR g.state <> 0;

-- Archived and retired segments have their words in the table beside it, and nobody else has.
-- name: check_cold_words
SELECT (SELECT count(*) FROM segments g LEFT JOIN cold_{ns}_docsize d ON d.id = g.key WHERE g.ns = :ns AND g.state IN (1, 2) AND d.id IS NULL)
  + (SELECT count(*) FROM cold_{ns}_docsize d LEFT JOIN segments g ON g.key = d.id AND g.ns = :ns WHERE g.key IS NULL OR g.state NOT IN (1, 2));

-- name: check_purges
SELECT count(*) FROM acts WHERE ns = :ns AND kind = 'forget' AND undone_at IS NULL AND json_extract(detail, '$.purging');
