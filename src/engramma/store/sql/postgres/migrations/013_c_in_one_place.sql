-- A segment's vectors stay in its row: packed away elsewhere, as rows of 2 kB and more are, each costs a second look.
ALTER TABLE embeddings ALTER COLUMN vector SET STORAGE EXTERNAL;
ALTER TABLE embeddings SET (toast_tuple_target = 8160);
