-- ---- entities as a table, and the user's word about them ----

-- name: entity_word_reword
UPDATE entity_words SET value = :value WHERE ns = :ns AND entity = :entity AND act = :act AND kind = :kind AND value = :before;
