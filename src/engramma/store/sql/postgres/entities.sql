-- ---- entities as a table, and the user's word about them ----

-- name: entity_word_reword
WITH taken AS (
  DELETE FROM entity_words WHERE ns = %(ns)s AND entity = %(entity)s AND act = %(act)s AND kind = %(kind)s AND value = %(before)s
  RETURNING ns, entity, act, kind
)
INSERT INTO entity_words (ns, entity, act, kind, value) SELECT ns, entity, act, kind, %(value)s FROM taken
ON CONFLICT (ns, entity, act, kind, value) DO NOTHING;
