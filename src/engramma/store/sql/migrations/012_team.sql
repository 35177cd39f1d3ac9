-- Those who use a store with others: who they are, what they may do in which namespace, and what was done by whom.

CREATE TABLE users (
  name       TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;

-- Of a token only hashes are kept: of its secret, and of the key that stands for it in the proxy's address.
CREATE TABLE tokens (
  id         TEXT PRIMARY KEY,
  owner      TEXT NOT NULL,
  hash       BLOB NOT NULL,
  proxy_hash BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) WITHOUT ROWID, STRICT;
CREATE INDEX tokens_of ON tokens (owner, created_at, id);

-- level: 1 read, 2 write, 3 admin. home: 1 where a request that names no namespace goes.
CREATE TABLE grants (
  ns    INTEGER NOT NULL,
  owner TEXT NOT NULL,
  level INTEGER NOT NULL,
  home  INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (ns, owner)
) WITHOUT ROWID, STRICT;
CREATE INDEX grants_of ON grants (owner, ns);

-- A row a request that wrote, in the same transaction as what it wrote. counts: how many of what, as JSON; never a word
-- of it. ns 0: the store as a whole (users, namespaces). id: begins with the time, so that it sorts by it.
CREATE TABLE audit (
  ns     INTEGER NOT NULL,
  id     TEXT NOT NULL,
  at     INTEGER NOT NULL,
  who    TEXT NOT NULL,
  what   TEXT NOT NULL,
  counts TEXT NOT NULL,
  PRIMARY KEY (ns, id)
) WITHOUT ROWID, STRICT;
