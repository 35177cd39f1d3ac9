-- Notes and documents, typed links, acts that can be undone, topics, and what must not come back.

-- hidden: some act hides this turn (hidings says which).
ALTER TABLE turns ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0;

-- state: 0 live, 1 archived (searched only when asked for), 2 retired by the steward, 3 forgotten by the user.
-- Only live segments are in the index and in words_<ns>; archived and retired ones are in cold_<ns>.
ALTER TABLE segments ADD COLUMN state INTEGER NOT NULL DEFAULT 0;
ALTER TABLE segments ADD COLUMN moved_at INTEGER; -- when it got its state; NULL: it is live
CREATE INDEX segments_apart ON segments (ns, state, key) WHERE state > 0;
CREATE INDEX segments_by_kind ON segments (ns, kind, key) WHERE kind IN ('note', 'chunk');

-- Edges are followed against their direction as often as along it: with the weight, the index alone answers.
DROP INDEX edges_in;
CREATE INDEX edges_in ON edges (ns, dst, kind, src, weight);

-- What is known of a note beside its words. linked: auto-linking was done.
CREATE TABLE notes (
  ns         INTEGER NOT NULL,
  key        INTEGER NOT NULL,
  source     TEXT,
  session    TEXT,
  tags       TEXT NOT NULL,
  strength   REAL NOT NULL,
  quality    REAL NOT NULL,
  made_at    INTEGER NOT NULL,
  expires_at INTEGER,
  linked     INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (ns, key)
) WITHOUT ROWID, STRICT;
CREATE INDEX notes_expiring ON notes (ns, expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX notes_unlinked ON notes (ns, key) WHERE linked = 0;

-- What was said again and not stored as a note of its own: verbatim, with where it came from. hidden: by this act.
CREATE TABLE repeats (
  ns         INTEGER NOT NULL,
  key        INTEGER NOT NULL,
  id         TEXT NOT NULL,
  speaker    TEXT NOT NULL,
  said_at    INTEGER NOT NULL,
  text       TEXT NOT NULL,
  source     TEXT,
  session    TEXT,
  similarity REAL NOT NULL,
  hidden     INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (ns, key, id)
) WITHOUT ROWID, STRICT;

-- How often recall brought a segment back, and when last.
CREATE TABLE uses (
  ns      INTEGER NOT NULL,
  key     INTEGER NOT NULL,
  hits    INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (ns, key)
) WITHOUT ROWID, STRICT;

-- What edges do not say of a typed link: who made it, when and why, and its weight before anything was learnt.
CREATE TABLE links (
  ns         INTEGER NOT NULL,
  src        INTEGER NOT NULL,
  kind       TEXT NOT NULL,
  dst        INTEGER NOT NULL,
  weight     REAL NOT NULL,
  label      TEXT,
  author     TEXT NOT NULL,
  provenance TEXT,
  made_at    INTEGER NOT NULL,
  PRIMARY KEY (ns, src, kind, dst)
) WITHOUT ROWID, STRICT;
CREATE INDEX links_in ON links (ns, dst, kind, src);

-- Everything that changed what is visible or how it is weighed, with its reason; undone_at: it was taken back.
CREATE TABLE acts (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  ns        INTEGER NOT NULL,
  at        INTEGER NOT NULL,
  kind      TEXT NOT NULL,
  reason    TEXT NOT NULL,
  detail    TEXT NOT NULL,
  undone_at INTEGER
) STRICT;
CREATE INDEX acts_in_order ON acts (ns, id);

-- Which acts hide which turns: one that several acts hide comes back when all of them are undone.
CREATE TABLE hidings (
  ns   INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  act  INTEGER NOT NULL,
  PRIMARY KEY (ns, turn, act)
) WITHOUT ROWID, STRICT;
CREATE INDEX hidings_of_act ON hidings (ns, act, turn);

-- Keyed hashes of what was purged: by its place and by its words. They tell nothing and let nothing back in.
CREATE TABLE tombstones (
  ns   INTEGER NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (ns, hash)
) WITHOUT ROWID, STRICT;

CREATE TABLE topics (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  ns      INTEGER NOT NULL,
  name    TEXT NOT NULL,
  made_at INTEGER NOT NULL
) STRICT;
CREATE INDEX topics_of_namespace ON topics (ns, id);

CREATE TABLE topic_members (
  ns    INTEGER NOT NULL,
  key   INTEGER NOT NULL,
  topic INTEGER NOT NULL,
  PRIMARY KEY (ns, key)
) WITHOUT ROWID, STRICT;
CREATE INDEX topic_members_of ON topic_members (ns, topic, key);

-- The words tables get a second one each, for what is archived: made when the namespace is next opened.
DELETE FROM meta WHERE key GLOB 'words_form_*';
