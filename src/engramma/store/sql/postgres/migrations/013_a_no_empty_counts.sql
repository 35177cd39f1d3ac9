-- A count that falls to nothing leaves no row: the triggers of 012 kept one for a kind of edge and for a state of notes.

CREATE OR REPLACE FUNCTION tally_edge_gone() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  UPDATE tallies SET count = count - 1 WHERE ns = old.ns AND kind = 'edges' AND name = old.kind;
  DELETE FROM tallies WHERE ns = old.ns AND kind = 'edges' AND name = old.kind AND count < 1;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tally_note_gone() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  INSERT INTO tallies (ns, kind, name, count)
  SELECT x.ns, x.kind, x.name, sum(x.count)::bigint FROM (
  SELECT old.ns, 'note', CAST(g.state AS TEXT), -1 FROM segments g WHERE g.ns = old.ns AND g.key = old.key
  UNION ALL SELECT old.ns, 'tag', g.state || ' ' || j.value, -1 FROM segments g, json_array_elements_text(old.tags::json) j(value) WHERE g.ns = old.ns AND g.key = old.key
  ) x(ns, kind, name, count) GROUP BY x.ns, x.kind, x.name
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = tallies.count + excluded.count;
  DELETE FROM tallies WHERE ns = old.ns AND kind IN ('note', 'tag') AND count < 1;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tally_note_tagged() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  INSERT INTO tallies (ns, kind, name, count)
  SELECT x.ns, x.kind, x.name, sum(x.count)::bigint FROM (
  SELECT new.ns, 'tag', g.state || ' ' || j.value, -1 FROM segments g, json_array_elements_text(old.tags::json) j(value) WHERE g.ns = new.ns AND g.key = new.key
  UNION ALL SELECT new.ns, 'tag', g.state || ' ' || j.value, 1 FROM segments g, json_array_elements_text(new.tags::json) j(value) WHERE g.ns = new.ns AND g.key = new.key
  ) x(ns, kind, name, count) GROUP BY x.ns, x.kind, x.name
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = tallies.count + excluded.count;
  DELETE FROM tallies WHERE ns = new.ns AND kind IN ('note', 'tag') AND count < 1;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tally_note_moved() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  INSERT INTO tallies (ns, kind, name, count)
  SELECT x.ns, x.kind, x.name, sum(x.count)::bigint FROM (
  SELECT n.ns, 'note', CAST(old.state AS TEXT), -1 FROM notes n WHERE n.ns = new.ns AND n.key = new.key
  UNION ALL SELECT n.ns, 'note', CAST(new.state AS TEXT), 1 FROM notes n WHERE n.ns = new.ns AND n.key = new.key
  UNION ALL SELECT n.ns, 'tag', old.state || ' ' || j.value, -1 FROM notes n, json_array_elements_text(n.tags::json) j(value) WHERE n.ns = new.ns AND n.key = new.key
  UNION ALL SELECT n.ns, 'tag', new.state || ' ' || j.value, 1 FROM notes n, json_array_elements_text(n.tags::json) j(value) WHERE n.ns = new.ns AND n.key = new.key
  ) x(ns, kind, name, count) GROUP BY x.ns, x.kind, x.name
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = tallies.count + excluded.count;
  DELETE FROM tallies WHERE ns = new.ns AND kind IN ('note', 'tag') AND count < 1;
  RETURN NULL;
END $$;

DELETE FROM tallies WHERE count < 1;
