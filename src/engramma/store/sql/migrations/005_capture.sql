-- What the capture has seen, so that a history which is sent again and again is stored once. Keyed hashes alone: they
-- say nothing of what was said, and they stay when it is purged, so that it does not come back with the next request.
-- talk: the conversation's id if the capture made it, a keyed hash of its name if the client did.
-- node: everything said up to here; a call or a result: its place. parent: the node before; '' for calls and results.
-- pair: this and what was said before it. words: what is said here, whoever tells it; of the id of a reply: its node.
-- own: 1 stored as it was said, 2 stored from a history, 0 known before from another source.
CREATE TABLE captured (
  ns       INTEGER NOT NULL,
  node     TEXT NOT NULL,
  talk     TEXT NOT NULL,
  parent   TEXT NOT NULL,
  pair     TEXT NOT NULL,
  words    TEXT NOT NULL,
  own      INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at  INTEGER NOT NULL,
  PRIMARY KEY (ns, node, talk)
) WITHOUT ROWID, STRICT;
CREATE INDEX captured_children ON captured (ns, parent, talk) WHERE parent != '';
CREATE INDEX captured_pairs ON captured (ns, pair) WHERE pair != '';
CREATE INDEX captured_words ON captured (ns, talk, words);
