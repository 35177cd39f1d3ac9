-- A segment's vectors stay in its row: packed away elsewhere, as rows of 2 kB and more are, each costs a second look.
ALTER TABLE embeddings ALTER COLUMN vector SET STORAGE EXTERNAL;
ALTER TABLE embeddings SET (toast_tuple_target = 8160);

-- New words wait in a list that every search goes through: a short one (kB).
ALTER INDEX words_of_body SET (gin_pending_list_limit = 128);
