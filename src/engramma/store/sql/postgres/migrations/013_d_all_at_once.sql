-- Turns and edges come many in a statement: what follows is counted once for all of them.
DROP TRIGGER people_turn_came ON turns;
CREATE OR REPLACE FUNCTION people_turn_came() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  INSERT INTO extracted (ns, session, block, version, changes)
  SELECT c.ns, c.session, c.position / 200, 0, count(*) FROM came c GROUP BY c.ns, c.session, c.position / 200
  ON CONFLICT (ns, session, block) DO UPDATE SET version = 0, changes = extracted.changes + excluded.changes;
  RETURN NULL;
END $$;
CREATE TRIGGER people_turn_came AFTER INSERT ON turns REFERENCING NEW TABLE AS came
FOR EACH STATEMENT EXECUTE FUNCTION people_turn_came();

DROP TRIGGER tally_turn_came ON turns;
CREATE OR REPLACE FUNCTION tally_turn_came() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  UPDATE sessions s SET visible = s.visible + c.turns
  FROM (SELECT ns, session, count(*) AS turns FROM came WHERE hidden = 0 GROUP BY ns, session) c
  WHERE s.ns = c.ns AND s.key = c.session;
  INSERT INTO tallies (ns, kind, name, count)
  SELECT x.ns, x.kind, x.name, count(*) FROM (
    SELECT c.ns, 'turns', '' FROM came c
    UNION ALL SELECT c.ns, 'day', CAST(c.said_at / 86400000000 AS TEXT) FROM came c WHERE c.hidden = 0
    UNION ALL SELECT c.ns, 'speaker', c.speaker FROM came c WHERE c.hidden = 0
      AND (SELECT s.conversation FROM sessions s WHERE s.ns = c.ns AND s.key = c.session) <> 'engramma:documents'
  ) x(ns, kind, name) GROUP BY x.ns, x.kind, x.name
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = tallies.count + excluded.count;
  RETURN NULL;
END $$;
CREATE TRIGGER tally_turn_came AFTER INSERT ON turns REFERENCING NEW TABLE AS came
FOR EACH STATEMENT EXECUTE FUNCTION tally_turn_came();

DROP TRIGGER tally_edge_came ON edges;
CREATE OR REPLACE FUNCTION tally_edge_came() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  INSERT INTO tallies (ns, kind, name, count)
  SELECT c.ns, 'edges', c.kind, count(*) FROM came c GROUP BY c.ns, c.kind
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = tallies.count + excluded.count;
  RETURN NULL;
END $$;
CREATE TRIGGER tally_edge_came AFTER INSERT ON edges REFERENCING NEW TABLE AS came
FOR EACH STATEMENT EXECUTE FUNCTION tally_edge_came();
