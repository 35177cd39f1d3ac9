-- A count that falls to nothing leaves no row: the triggers of 011 kept one for a kind of edge and for a state of notes.

DROP TRIGGER tally_edge_gone;
CREATE TRIGGER tally_edge_gone AFTER DELETE ON edges BEGIN
  UPDATE tallies SET count = count - 1 WHERE ns = old.ns AND kind = 'edges' AND name = old.kind;
  DELETE FROM tallies WHERE ns = old.ns AND kind = 'edges' AND name = old.kind AND count < 1;
END;

DROP TRIGGER tally_note_gone;
CREATE TRIGGER tally_note_gone AFTER DELETE ON notes BEGIN
  INSERT INTO tallies (ns, kind, name, count)
  SELECT old.ns, 'note', CAST(g.state AS TEXT), -1 FROM segments g WHERE g.key = old.key
  UNION ALL SELECT old.ns, 'tag', g.state || ' ' || j.value, -1 FROM segments g, json_each(old.tags) j WHERE g.key = old.key
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = count + excluded.count;
  DELETE FROM tallies WHERE ns = old.ns AND kind IN ('note', 'tag') AND count < 1;
END;

DROP TRIGGER tally_note_tagged;
CREATE TRIGGER tally_note_tagged AFTER UPDATE OF tags ON notes WHEN new.tags <> old.tags BEGIN
  INSERT INTO tallies (ns, kind, name, count)
  SELECT new.ns, 'tag', g.state || ' ' || j.value, -1 FROM segments g, json_each(old.tags) j WHERE g.key = new.key
  UNION ALL SELECT new.ns, 'tag', g.state || ' ' || j.value, 1 FROM segments g, json_each(new.tags) j WHERE g.key = new.key
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = count + excluded.count;
  DELETE FROM tallies WHERE ns = new.ns AND kind IN ('note', 'tag') AND count < 1;
END;

DROP TRIGGER tally_note_moved;
CREATE TRIGGER tally_note_moved AFTER UPDATE OF state ON segments WHEN new.kind = 'note' AND new.state <> old.state BEGIN
  INSERT INTO tallies (ns, kind, name, count)
  SELECT n.ns, 'note', CAST(old.state AS TEXT), -1 FROM notes n WHERE n.ns = new.ns AND n.key = new.key
  UNION ALL SELECT n.ns, 'note', CAST(new.state AS TEXT), 1 FROM notes n WHERE n.ns = new.ns AND n.key = new.key
  UNION ALL SELECT n.ns, 'tag', old.state || ' ' || j.value, -1 FROM notes n, json_each(n.tags) j WHERE n.ns = new.ns AND n.key = new.key
  UNION ALL SELECT n.ns, 'tag', new.state || ' ' || j.value, 1 FROM notes n, json_each(n.tags) j WHERE n.ns = new.ns AND n.key = new.key
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = count + excluded.count;
  DELETE FROM tallies WHERE ns = new.ns AND kind IN ('note', 'tag') AND count < 1;
END;

DELETE FROM tallies WHERE count < 1;
