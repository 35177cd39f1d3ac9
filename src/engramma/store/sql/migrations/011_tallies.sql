-- What is counted as it comes and goes, so that a look at a large memory costs no walk through it.

-- kind and name: 'turns' and '' (all of them), 'day' and the days since 1970 (visible turns said then), 'speaker' and a
-- name (visible turns of talks and notes), 'edges' and their kind, 'topic' and its id (live segments), 'note' and a
-- state, 'tag' and a state with a tag (notes). Nothing that is gone keeps its name here.
CREATE TABLE tallies (
  ns    INTEGER NOT NULL,
  kind  TEXT NOT NULL,
  name  TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (ns, kind, name)
) WITHOUT ROWID, STRICT;

-- Who speaks most, and the largest topics.
CREATE INDEX tallies_of_speakers ON tallies (ns, count DESC, name) WHERE kind = 'speaker';
CREATE INDEX tallies_of_topics ON tallies (ns, count DESC, name) WHERE kind = 'topic';

-- visible: turns that can be read.
ALTER TABLE sessions ADD COLUMN visible INTEGER NOT NULL DEFAULT 0;

INSERT INTO tallies (ns, kind, name, count) SELECT ns, 'turns', '', count(*) FROM turns GROUP BY ns;
INSERT INTO tallies (ns, kind, name, count)
SELECT ns, 'day', CAST(said_at / 86400000000 AS TEXT), count(*) FROM turns WHERE hidden = 0 GROUP BY ns, said_at / 86400000000;
INSERT INTO tallies (ns, kind, name, count)
SELECT t.ns, 'speaker', t.speaker, count(*) FROM turns t JOIN sessions s ON s.key = t.session
WHERE t.hidden = 0 AND s.conversation <> 'engramma:documents' GROUP BY t.ns, t.speaker;
INSERT INTO tallies (ns, kind, name, count) SELECT ns, 'edges', kind, count(*) FROM edges GROUP BY ns, kind;
INSERT INTO tallies (ns, kind, name, count)
SELECT m.ns, 'topic', CAST(m.topic AS TEXT), count(*) FROM topic_members m JOIN segments g ON g.key = m.key AND g.state = 0
GROUP BY m.ns, m.topic;
INSERT INTO tallies (ns, kind, name, count)
SELECT n.ns, 'note', CAST(g.state AS TEXT), count(*) FROM notes n JOIN segments g ON g.key = n.key GROUP BY n.ns, g.state;
INSERT INTO tallies (ns, kind, name, count)
SELECT n.ns, 'tag', g.state || ' ' || j.value, count(*) FROM notes n JOIN segments g ON g.key = n.key JOIN json_each(n.tags) j
GROUP BY n.ns, g.state, j.value;
UPDATE sessions SET visible = (SELECT count(*) FROM turns t WHERE t.ns = sessions.ns AND t.session = sessions.key AND t.hidden = 0);

-- Lists that begin with the latest.
CREATE INDEX sessions_by_last ON sessions (ns, last_at DESC, conversation, id) WHERE visible > 0;
CREATE INDEX segments_by_time ON segments (ns, said_at DESC, tie) WHERE state = 0;
CREATE INDEX turns_by_speaker ON turns (ns, speaker, said_at DESC, session, position) WHERE hidden = 0;
CREATE INDEX notes_by_time ON notes (ns, made_at DESC, key);

CREATE TRIGGER tally_turn_came AFTER INSERT ON turns BEGIN
  UPDATE sessions SET visible = visible + 1 WHERE ns = new.ns AND key = new.session AND new.hidden = 0;
  INSERT INTO tallies (ns, kind, name, count)
  SELECT new.ns, 'turns', '', 1
  UNION ALL SELECT new.ns, 'day', CAST(new.said_at / 86400000000 AS TEXT), 1 WHERE new.hidden = 0
  UNION ALL SELECT new.ns, 'speaker', new.speaker, 1 WHERE new.hidden = 0
    AND (SELECT s.conversation FROM sessions s WHERE s.key = new.session) <> 'engramma:documents'
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = count + excluded.count;
END;

CREATE TRIGGER tally_turn_gone AFTER DELETE ON turns BEGIN
  UPDATE sessions SET visible = visible - 1 WHERE ns = old.ns AND key = old.session AND old.hidden = 0;
  UPDATE tallies SET count = count - 1 WHERE ns = old.ns AND kind = 'turns';
  UPDATE tallies SET count = count - 1 WHERE ns = old.ns AND kind = 'day' AND name = CAST(old.said_at / 86400000000 AS TEXT) AND old.hidden = 0;
  UPDATE tallies SET count = count - 1 WHERE ns = old.ns AND kind = 'speaker' AND name = old.speaker AND old.hidden = 0
    AND (SELECT s.conversation FROM sessions s WHERE s.key = old.session) IS NOT 'engramma:documents';
  DELETE FROM tallies WHERE ns = old.ns AND kind = 'day' AND name = CAST(old.said_at / 86400000000 AS TEXT) AND count < 1;
  DELETE FROM tallies WHERE ns = old.ns AND kind = 'speaker' AND name = old.speaker AND count < 1;
END;

CREATE TRIGGER tally_turn_changed AFTER UPDATE OF hidden, speaker, said_at ON turns
WHEN (new.hidden > 0) <> (old.hidden > 0) OR new.speaker <> old.speaker OR new.said_at <> old.said_at BEGIN
  UPDATE sessions SET visible = visible + (new.hidden = 0) - (old.hidden = 0) WHERE ns = new.ns AND key = new.session;
  UPDATE tallies SET count = count - 1 WHERE ns = old.ns AND kind = 'day' AND name = CAST(old.said_at / 86400000000 AS TEXT) AND old.hidden = 0;
  UPDATE tallies SET count = count - 1 WHERE ns = old.ns AND kind = 'speaker' AND name = old.speaker AND old.hidden = 0
    AND (SELECT s.conversation FROM sessions s WHERE s.key = old.session) <> 'engramma:documents';
  INSERT INTO tallies (ns, kind, name, count)
  SELECT new.ns, 'day', CAST(new.said_at / 86400000000 AS TEXT), 1 WHERE new.hidden = 0
  UNION ALL SELECT new.ns, 'speaker', new.speaker, 1 WHERE new.hidden = 0
    AND (SELECT s.conversation FROM sessions s WHERE s.key = new.session) <> 'engramma:documents'
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = count + excluded.count;
  DELETE FROM tallies WHERE ns = old.ns AND kind = 'day' AND name = CAST(old.said_at / 86400000000 AS TEXT) AND count < 1;
  DELETE FROM tallies WHERE ns = old.ns AND kind = 'speaker' AND name = old.speaker AND count < 1;
END;

CREATE TRIGGER tally_edge_came AFTER INSERT ON edges BEGIN
  INSERT INTO tallies (ns, kind, name, count) VALUES (new.ns, 'edges', new.kind, 1)
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER tally_edge_gone AFTER DELETE ON edges BEGIN
  UPDATE tallies SET count = count - 1 WHERE ns = old.ns AND kind = 'edges' AND name = old.kind;
END;

CREATE TRIGGER tally_member_came AFTER INSERT ON topic_members BEGIN
  INSERT INTO tallies (ns, kind, name, count)
  SELECT new.ns, 'topic', CAST(new.topic AS TEXT), 1 WHERE (SELECT g.state FROM segments g WHERE g.key = new.key) = 0
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER tally_member_gone AFTER DELETE ON topic_members BEGIN
  UPDATE tallies SET count = count - 1 WHERE ns = old.ns AND kind = 'topic' AND name = CAST(old.topic AS TEXT)
    AND (SELECT g.state FROM segments g WHERE g.key = old.key) = 0;
  DELETE FROM tallies WHERE ns = old.ns AND kind = 'topic' AND name = CAST(old.topic AS TEXT) AND count < 1;
END;

CREATE TRIGGER tally_member_moved AFTER UPDATE OF topic ON topic_members WHEN new.topic <> old.topic BEGIN
  UPDATE tallies SET count = count - 1 WHERE ns = old.ns AND kind = 'topic' AND name = CAST(old.topic AS TEXT)
    AND (SELECT g.state FROM segments g WHERE g.key = old.key) = 0;
  INSERT INTO tallies (ns, kind, name, count)
  SELECT new.ns, 'topic', CAST(new.topic AS TEXT), 1 WHERE (SELECT g.state FROM segments g WHERE g.key = new.key) = 0
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = count + 1;
  DELETE FROM tallies WHERE ns = old.ns AND kind = 'topic' AND name = CAST(old.topic AS TEXT) AND count < 1;
END;

CREATE TRIGGER tally_segment_moved AFTER UPDATE OF state ON segments WHEN (new.state = 0) <> (old.state = 0) BEGIN
  INSERT INTO tallies (ns, kind, name, count)
  SELECT m.ns, 'topic', CAST(m.topic AS TEXT), CASE new.state WHEN 0 THEN 1 ELSE -1 END FROM topic_members m
  WHERE m.ns = new.ns AND m.key = new.key
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = count + excluded.count;
  DELETE FROM tallies WHERE ns = new.ns AND kind = 'topic' AND count < 1
    AND name = (SELECT CAST(m.topic AS TEXT) FROM topic_members m WHERE m.ns = new.ns AND m.key = new.key);
END;

CREATE TRIGGER tally_note_came AFTER INSERT ON notes BEGIN
  INSERT INTO tallies (ns, kind, name, count)
  SELECT new.ns, 'note', CAST(g.state AS TEXT), 1 FROM segments g WHERE g.key = new.key
  UNION ALL SELECT new.ns, 'tag', g.state || ' ' || j.value, 1 FROM segments g, json_each(new.tags) j WHERE g.key = new.key
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = count + excluded.count;
END;

CREATE TRIGGER tally_note_gone AFTER DELETE ON notes BEGIN
  INSERT INTO tallies (ns, kind, name, count)
  SELECT old.ns, 'note', CAST(g.state AS TEXT), -1 FROM segments g WHERE g.key = old.key
  UNION ALL SELECT old.ns, 'tag', g.state || ' ' || j.value, -1 FROM segments g, json_each(old.tags) j WHERE g.key = old.key
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = count + excluded.count;
  DELETE FROM tallies WHERE ns = old.ns AND kind = 'tag' AND count < 1;
END;

CREATE TRIGGER tally_note_tagged AFTER UPDATE OF tags ON notes WHEN new.tags <> old.tags BEGIN
  INSERT INTO tallies (ns, kind, name, count)
  SELECT new.ns, 'tag', g.state || ' ' || j.value, -1 FROM segments g, json_each(old.tags) j WHERE g.key = new.key
  UNION ALL SELECT new.ns, 'tag', g.state || ' ' || j.value, 1 FROM segments g, json_each(new.tags) j WHERE g.key = new.key
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = count + excluded.count;
  DELETE FROM tallies WHERE ns = new.ns AND kind = 'tag' AND count < 1;
END;

CREATE TRIGGER tally_note_moved AFTER UPDATE OF state ON segments WHEN new.kind = 'note' AND new.state <> old.state BEGIN
  INSERT INTO tallies (ns, kind, name, count)
  SELECT n.ns, 'note', CAST(old.state AS TEXT), -1 FROM notes n WHERE n.ns = new.ns AND n.key = new.key
  UNION ALL SELECT n.ns, 'note', CAST(new.state AS TEXT), 1 FROM notes n WHERE n.ns = new.ns AND n.key = new.key
  UNION ALL SELECT n.ns, 'tag', old.state || ' ' || j.value, -1 FROM notes n, json_each(n.tags) j WHERE n.ns = new.ns AND n.key = new.key
  UNION ALL SELECT n.ns, 'tag', new.state || ' ' || j.value, 1 FROM notes n, json_each(n.tags) j WHERE n.ns = new.ns AND n.key = new.key
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = count + excluded.count;
  DELETE FROM tallies WHERE ns = new.ns AND kind = 'tag' AND count < 1;
END;
