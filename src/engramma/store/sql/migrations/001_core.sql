-- Conversations, sessions, turns, segments, their vectors and edges. The namespace leads every key.
-- No foreign keys: every writer is one transaction in store/, and `engramma doctor` checks the references.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value ANY NOT NULL
) WITHOUT ROWID, STRICT;

CREATE TABLE namespaces (
  ns         INTEGER PRIMARY KEY AUTOINCREMENT,
  name       TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE conversations (
  ns     INTEGER NOT NULL,
  id     TEXT NOT NULL,
  title  TEXT,
  source TEXT,
  PRIMARY KEY (ns, id)
) WITHOUT ROWID, STRICT;

-- closed: no more turns are expected. linked: its segments are in the graph. archived: its text file is written.
CREATE TABLE sessions (
  key          INTEGER PRIMARY KEY AUTOINCREMENT,
  ns           INTEGER NOT NULL,
  conversation TEXT NOT NULL,
  id           TEXT NOT NULL,
  started_at   INTEGER NOT NULL,
  last_at      INTEGER NOT NULL,
  captured_at  INTEGER NOT NULL,
  closed       INTEGER NOT NULL DEFAULT 0,
  linked       INTEGER NOT NULL DEFAULT 0,
  archived     INTEGER NOT NULL DEFAULT 0,
  UNIQUE (ns, conversation, id)
) STRICT;
CREATE INDEX sessions_pending ON sessions (ns, key) WHERE closed = 0 OR linked = 0 OR archived = 0;

CREATE TABLE turns (
  key      INTEGER PRIMARY KEY,
  ns       INTEGER NOT NULL,
  session  INTEGER NOT NULL,
  position INTEGER NOT NULL,
  id       TEXT NOT NULL,
  speaker  TEXT NOT NULL,
  role     TEXT,
  said_at  INTEGER NOT NULL,
  text     TEXT NOT NULL,
  UNIQUE (ns, session, position),
  UNIQUE (ns, session, id)
) STRICT;

-- A segment is the turns first..last of its session; its text is theirs. tie: an order that comes from
-- the segment's identity alone, so that equal similarities fall the same way in every store.
CREATE TABLE segments (
  key     INTEGER PRIMARY KEY AUTOINCREMENT,
  ns      INTEGER NOT NULL,
  session INTEGER NOT NULL,
  idx     INTEGER NOT NULL,
  kind    TEXT NOT NULL,
  first   INTEGER NOT NULL,
  last    INTEGER NOT NULL,
  said_at INTEGER NOT NULL,
  tie     INTEGER NOT NULL,
  UNIQUE (ns, session, idx)
) STRICT;
CREATE INDEX segments_by_tie ON segments (ns, tie);

CREATE TABLE embeddings (
  ns     INTEGER NOT NULL,
  key    INTEGER NOT NULL,
  code   BLOB NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (ns, key)
) WITHOUT ROWID, STRICT;

CREATE TABLE edges (
  ns     INTEGER NOT NULL,
  src    INTEGER NOT NULL,
  kind   TEXT NOT NULL,
  dst    INTEGER NOT NULL,
  weight REAL NOT NULL,
  PRIMARY KEY (ns, src, kind, dst)
) WITHOUT ROWID, STRICT;
CREATE INDEX edges_in ON edges (ns, dst, kind, src);

-- The strongest partners of a linked segment, packed (see ingest/near.py); reach: the least weight that still enters.
CREATE TABLE near (
  ns    INTEGER NOT NULL,
  key   INTEGER NOT NULL,
  reach INTEGER NOT NULL,
  list  BLOB NOT NULL,
  PRIMARY KEY (ns, key)
) WITHOUT ROWID, STRICT;

-- Indexes catch up from here. op: 1 a vector came, 0 it went, 2 its near list was made anew.
CREATE TABLE changes (
  ns  INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  key INTEGER NOT NULL,
  op  INTEGER NOT NULL,
  PRIMARY KEY (ns, seq)
) WITHOUT ROWID, STRICT;

-- New vectors of a reindex in progress, until they replace the old ones in one transaction.
CREATE TABLE reindexed (
  key    INTEGER PRIMARY KEY,
  ns     INTEGER NOT NULL,
  code   BLOB NOT NULL,
  vector BLOB NOT NULL
) STRICT;
