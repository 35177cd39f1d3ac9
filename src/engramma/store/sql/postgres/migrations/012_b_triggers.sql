-- What follows from a change of rows, whoever makes it: the triggers of the SQLite migrations.

-- Triggers, so that no writer of turns can leave a claim behind: what came or moved waits to be extracted, and what is
-- deleted or reworded takes all claims of its session with it, which may have been read in its light.
CREATE FUNCTION people_turn_came() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  INSERT INTO extracted (ns, session, block, version, changes) VALUES (new.ns, new.session, new.position / 200, 0, 1)
  ON CONFLICT (ns, session, block) DO UPDATE SET version = 0, changes = extracted.changes + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER people_turn_came AFTER INSERT ON turns FOR EACH ROW EXECUTE FUNCTION people_turn_came();

CREATE FUNCTION people_turn_moved() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  INSERT INTO extracted (ns, session, block, version, changes) VALUES (new.ns, new.session, new.position / 200, 0, 1)
  ON CONFLICT (ns, session, block) DO UPDATE SET version = 0, changes = extracted.changes + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER people_turn_moved AFTER UPDATE OF position ON turns FOR EACH ROW
WHEN (new.position >= 0) EXECUTE FUNCTION people_turn_moved();

CREATE FUNCTION people_turn_hidden() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  UPDATE extracted SET version = 0, changes = changes + 1 WHERE ns = new.ns AND session = new.session;
  RETURN NULL;
END $$;
CREATE TRIGGER people_turn_hidden AFTER UPDATE OF hidden ON turns FOR EACH ROW
WHEN ((new.hidden > 0) <> (old.hidden > 0)) EXECUTE FUNCTION people_turn_hidden();

CREATE FUNCTION people_turn_reworded() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  DELETE FROM claims WHERE ns = new.ns AND session = new.session;
  INSERT INTO loose (ns, entity) SELECT DISTINCT ns, entity FROM mentions WHERE ns = new.ns AND session = new.session
  ON CONFLICT (ns, entity) DO NOTHING;
  DELETE FROM mentions WHERE ns = new.ns AND session = new.session;
  DELETE FROM decisions WHERE ns = new.ns AND key IN (SELECT decision FROM decision_turns WHERE ns = new.ns AND turn = new.key);
  DELETE FROM decision_turns WHERE ns = new.ns AND turn = new.key;
  UPDATE extracted SET version = 0, changes = changes + 1 WHERE ns = new.ns AND session = new.session;
  RETURN NULL;
END $$;
CREATE TRIGGER people_turn_reworded AFTER UPDATE OF text, speaker, said_at ON turns FOR EACH ROW EXECUTE FUNCTION people_turn_reworded();

CREATE FUNCTION people_turn_gone() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  DELETE FROM claims WHERE ns = old.ns AND session = old.session;
  INSERT INTO loose (ns, entity) SELECT DISTINCT ns, entity FROM mentions WHERE ns = old.ns AND session = old.session
  ON CONFLICT (ns, entity) DO NOTHING;
  DELETE FROM mentions WHERE ns = old.ns AND session = old.session;
  DELETE FROM decisions WHERE ns = old.ns AND key IN (SELECT decision FROM decision_turns WHERE ns = old.ns AND turn = old.key);
  DELETE FROM decision_turns WHERE ns = old.ns AND turn = old.key;
  UPDATE extracted SET version = 0, changes = changes + 1 WHERE ns = old.ns AND session = old.session;
  RETURN NULL;
END $$;
CREATE TRIGGER people_turn_gone AFTER DELETE ON turns FOR EACH ROW EXECUTE FUNCTION people_turn_gone();

CREATE FUNCTION people_session_gone() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  DELETE FROM claims WHERE ns = old.ns AND session = old.key;
  INSERT INTO loose (ns, entity) SELECT DISTINCT ns, entity FROM mentions WHERE ns = old.ns AND session = old.key
  ON CONFLICT (ns, entity) DO NOTHING;
  DELETE FROM mentions WHERE ns = old.ns AND session = old.key;
  DELETE FROM extracted WHERE ns = old.ns AND session = old.key;
  RETURN NULL;
END $$;
CREATE TRIGGER people_session_gone AFTER DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION people_session_gone();

CREATE FUNCTION people_claim_came() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  INSERT INTO unsettled (ns, person, relation, changes) VALUES (new.ns, new.subject, new.relation, 1)
  ON CONFLICT (ns, person, relation) DO UPDATE SET changes = unsettled.changes + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER people_claim_came AFTER INSERT ON claims FOR EACH ROW
WHEN (new.subject > 0) EXECUTE FUNCTION people_claim_came();

CREATE FUNCTION people_claim_moved() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  INSERT INTO unsettled (ns, person, relation, changes) VALUES (old.ns, old.subject, old.relation, 1), (new.ns, new.subject, new.relation, 1)
  ON CONFLICT (ns, person, relation) DO UPDATE SET changes = unsettled.changes + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER people_claim_moved AFTER UPDATE OF subject ON claims FOR EACH ROW
WHEN (new.subject <> old.subject) EXECUTE FUNCTION people_claim_moved();

CREATE FUNCTION people_claim_gone() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  INSERT INTO unsettled (ns, person, relation, changes) VALUES (old.ns, old.subject, old.relation, 1)
  ON CONFLICT (ns, person, relation) DO UPDATE SET changes = unsettled.changes + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER people_claim_gone AFTER DELETE ON claims FOR EACH ROW
WHEN (old.subject > 0) EXECUTE FUNCTION people_claim_gone();

-- What was forgotten may be said between the lines of what a model made of its neighbours, so all of the session's is
-- read again; what is reworded or deleted takes the claims of its session with it by the triggers of 006.
CREATE FUNCTION llm_turn_hidden() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  DELETE FROM claims WHERE ns = new.ns AND session = new.session AND method <> 'rules';
  INSERT INTO loose (ns, entity)
  SELECT DISTINCT ns, entity FROM mentions WHERE ns = new.ns AND session = new.session AND made_by = 1
  ON CONFLICT (ns, entity) DO NOTHING;
  DELETE FROM mentions WHERE ns = new.ns AND session = new.session AND made_by = 1;
  DELETE FROM llm_pieces WHERE ns = new.ns AND session = new.session;
  RETURN NULL;
END $$;
CREATE TRIGGER llm_turn_hidden AFTER UPDATE OF hidden ON turns FOR EACH ROW
WHEN ((new.hidden > 0) <> (old.hidden > 0)) EXECUTE FUNCTION llm_turn_hidden();

CREATE FUNCTION llm_turn_reworded() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  DELETE FROM llm_pieces WHERE ns = new.ns AND session = new.session;
  RETURN NULL;
END $$;
CREATE TRIGGER llm_turn_reworded AFTER UPDATE OF text, speaker, said_at ON turns FOR EACH ROW EXECUTE FUNCTION llm_turn_reworded();

CREATE FUNCTION llm_turn_gone() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  DELETE FROM llm_pieces WHERE ns = old.ns AND session = old.session;
  RETURN NULL;
END $$;
CREATE TRIGGER llm_turn_gone AFTER DELETE ON turns FOR EACH ROW EXECUTE FUNCTION llm_turn_gone();

CREATE FUNCTION llm_session_gone() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  DELETE FROM llm_pieces WHERE ns = old.ns AND session = old.key;
  DELETE FROM llm_blocks WHERE ns = old.ns AND session = old.key;
  RETURN NULL;
END $$;
CREATE TRIGGER llm_session_gone AFTER DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION llm_session_gone();

CREATE FUNCTION people_mention_came() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  INSERT INTO names (ns, entity, name, times) VALUES (new.ns, new.entity, new.name, 1)
  ON CONFLICT (ns, entity, name) DO UPDATE SET times = names.times + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER people_mention_came AFTER INSERT ON mentions FOR EACH ROW EXECUTE FUNCTION people_mention_came();

CREATE FUNCTION people_mention_gone() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  UPDATE names SET times = times - 1 WHERE ns = old.ns AND entity = old.entity AND name = old.name;
  DELETE FROM names WHERE ns = old.ns AND entity = old.entity AND name = old.name AND times < 1;
  RETURN NULL;
END $$;
CREATE TRIGGER people_mention_gone AFTER DELETE ON mentions FOR EACH ROW EXECUTE FUNCTION people_mention_gone();

CREATE FUNCTION review_claim_gone() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  DELETE FROM conflicts WHERE ns = old.ns AND earlier = old.key;
  DELETE FROM conflicts WHERE ns = old.ns AND later = old.key;
  RETURN NULL;
END $$;
CREATE TRIGGER review_claim_gone AFTER DELETE ON claims FOR EACH ROW EXECUTE FUNCTION review_claim_gone();

CREATE FUNCTION entity_mention_came() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  UPDATE entities SET mentions = mentions + 1 WHERE ns = new.ns AND key = new.entity;
  INSERT INTO entity_turns (ns, turn, entity) SELECT new.ns, new.turn, new.entity
  WHERE EXISTS (SELECT 1 FROM entity_words w WHERE w.ns = new.ns AND w.entity = new.entity)
  ON CONFLICT (ns, turn, entity) DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER entity_mention_came AFTER INSERT ON mentions FOR EACH ROW EXECUTE FUNCTION entity_mention_came();

CREATE FUNCTION entity_mention_gone() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  UPDATE entities SET mentions = mentions - 1 WHERE ns = old.ns AND key = old.entity;
  RETURN NULL;
END $$;
CREATE TRIGGER entity_mention_gone AFTER DELETE ON mentions FOR EACH ROW EXECUTE FUNCTION entity_mention_gone();

CREATE FUNCTION entity_turn_gone() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  INSERT INTO loose (ns, entity) SELECT ns, entity FROM entity_turns WHERE ns = old.ns AND turn = old.key
  ON CONFLICT (ns, entity) DO NOTHING;
  DELETE FROM entity_words WHERE ns = old.ns
    AND entity IN (SELECT entity FROM entity_turns WHERE ns = old.ns AND turn = old.key)
    AND NOT EXISTS (SELECT 1 FROM entity_turns t WHERE t.ns = old.ns AND t.entity = entity_words.entity AND t.turn <> old.key);
  DELETE FROM entity_turns WHERE ns = old.ns AND turn = old.key;
  RETURN NULL;
END $$;
CREATE TRIGGER entity_turn_gone AFTER DELETE ON turns FOR EACH ROW EXECUTE FUNCTION entity_turn_gone();

CREATE FUNCTION tally_turn_came() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  UPDATE sessions SET visible = visible + 1 WHERE ns = new.ns AND key = new.session AND new.hidden = 0;
  INSERT INTO tallies (ns, kind, name, count)
  SELECT x.ns, x.kind, x.name, sum(x.count)::bigint FROM (
  SELECT new.ns, 'turns', '', 1
  UNION ALL SELECT new.ns, 'day', CAST(new.said_at / 86400000000 AS TEXT), 1 WHERE new.hidden = 0
  UNION ALL SELECT new.ns, 'speaker', new.speaker, 1 WHERE new.hidden = 0
    AND (SELECT s.conversation FROM sessions s WHERE s.ns = new.ns AND s.key = new.session) <> 'engramma:documents'
  ) x(ns, kind, name, count) GROUP BY x.ns, x.kind, x.name
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = tallies.count + excluded.count;
  RETURN NULL;
END $$;
CREATE TRIGGER tally_turn_came AFTER INSERT ON turns FOR EACH ROW EXECUTE FUNCTION tally_turn_came();

CREATE FUNCTION tally_turn_gone() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  UPDATE sessions SET visible = visible - 1 WHERE ns = old.ns AND key = old.session AND old.hidden = 0;
  UPDATE tallies SET count = count - 1 WHERE ns = old.ns AND kind = 'turns';
  UPDATE tallies SET count = count - 1 WHERE ns = old.ns AND kind = 'day' AND name = CAST(old.said_at / 86400000000 AS TEXT) AND old.hidden = 0;
  UPDATE tallies SET count = count - 1 WHERE ns = old.ns AND kind = 'speaker' AND name = old.speaker AND old.hidden = 0
    AND (SELECT s.conversation FROM sessions s WHERE s.ns = old.ns AND s.key = old.session) IS DISTINCT FROM 'engramma:documents';
  DELETE FROM tallies WHERE ns = old.ns AND kind = 'day' AND name = CAST(old.said_at / 86400000000 AS TEXT) AND count < 1;
  DELETE FROM tallies WHERE ns = old.ns AND kind = 'speaker' AND name = old.speaker AND count < 1;
  RETURN NULL;
END $$;
CREATE TRIGGER tally_turn_gone AFTER DELETE ON turns FOR EACH ROW EXECUTE FUNCTION tally_turn_gone();

CREATE FUNCTION tally_turn_changed() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  UPDATE sessions SET visible = visible + (new.hidden = 0)::int - (old.hidden = 0)::int WHERE ns = new.ns AND key = new.session;
  UPDATE tallies SET count = count - 1 WHERE ns = old.ns AND kind = 'day' AND name = CAST(old.said_at / 86400000000 AS TEXT) AND old.hidden = 0;
  UPDATE tallies SET count = count - 1 WHERE ns = old.ns AND kind = 'speaker' AND name = old.speaker AND old.hidden = 0
    AND (SELECT s.conversation FROM sessions s WHERE s.ns = old.ns AND s.key = old.session) <> 'engramma:documents';
  INSERT INTO tallies (ns, kind, name, count)
  SELECT x.ns, x.kind, x.name, sum(x.count)::bigint FROM (
  SELECT new.ns, 'day', CAST(new.said_at / 86400000000 AS TEXT), 1 WHERE new.hidden = 0
  UNION ALL SELECT new.ns, 'speaker', new.speaker, 1 WHERE new.hidden = 0
    AND (SELECT s.conversation FROM sessions s WHERE s.ns = new.ns AND s.key = new.session) <> 'engramma:documents'
  ) x(ns, kind, name, count) GROUP BY x.ns, x.kind, x.name
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = tallies.count + excluded.count;
  DELETE FROM tallies WHERE ns = old.ns AND kind = 'day' AND name = CAST(old.said_at / 86400000000 AS TEXT) AND count < 1;
  DELETE FROM tallies WHERE ns = old.ns AND kind = 'speaker' AND name = old.speaker AND count < 1;
  RETURN NULL;
END $$;
CREATE TRIGGER tally_turn_changed AFTER UPDATE OF hidden, speaker, said_at ON turns FOR EACH ROW
WHEN ((new.hidden > 0) <> (old.hidden > 0) OR new.speaker <> old.speaker OR new.said_at <> old.said_at) EXECUTE FUNCTION tally_turn_changed();

CREATE FUNCTION tally_edge_came() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  INSERT INTO tallies (ns, kind, name, count) VALUES (new.ns, 'edges', new.kind, 1)
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = tallies.count + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER tally_edge_came AFTER INSERT ON edges FOR EACH ROW EXECUTE FUNCTION tally_edge_came();

CREATE FUNCTION tally_edge_gone() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  UPDATE tallies SET count = count - 1 WHERE ns = old.ns AND kind = 'edges' AND name = old.kind;
  RETURN NULL;
END $$;
CREATE TRIGGER tally_edge_gone AFTER DELETE ON edges FOR EACH ROW EXECUTE FUNCTION tally_edge_gone();

CREATE FUNCTION tally_member_came() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  INSERT INTO tallies (ns, kind, name, count)
  SELECT new.ns, 'topic', CAST(new.topic AS TEXT), 1 WHERE (SELECT g.state FROM segments g WHERE g.ns = new.ns AND g.key = new.key) = 0
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = tallies.count + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER tally_member_came AFTER INSERT ON topic_members FOR EACH ROW EXECUTE FUNCTION tally_member_came();

CREATE FUNCTION tally_member_gone() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  UPDATE tallies SET count = count - 1 WHERE ns = old.ns AND kind = 'topic' AND name = CAST(old.topic AS TEXT)
    AND (SELECT g.state FROM segments g WHERE g.ns = old.ns AND g.key = old.key) = 0;
  DELETE FROM tallies WHERE ns = old.ns AND kind = 'topic' AND name = CAST(old.topic AS TEXT) AND count < 1;
  RETURN NULL;
END $$;
CREATE TRIGGER tally_member_gone AFTER DELETE ON topic_members FOR EACH ROW EXECUTE FUNCTION tally_member_gone();

CREATE FUNCTION tally_member_moved() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  UPDATE tallies SET count = count - 1 WHERE ns = old.ns AND kind = 'topic' AND name = CAST(old.topic AS TEXT)
    AND (SELECT g.state FROM segments g WHERE g.ns = old.ns AND g.key = old.key) = 0;
  INSERT INTO tallies (ns, kind, name, count)
  SELECT new.ns, 'topic', CAST(new.topic AS TEXT), 1 WHERE (SELECT g.state FROM segments g WHERE g.ns = new.ns AND g.key = new.key) = 0
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = tallies.count + 1;
  DELETE FROM tallies WHERE ns = old.ns AND kind = 'topic' AND name = CAST(old.topic AS TEXT) AND count < 1;
  RETURN NULL;
END $$;
CREATE TRIGGER tally_member_moved AFTER UPDATE OF topic ON topic_members FOR EACH ROW
WHEN (new.topic <> old.topic) EXECUTE FUNCTION tally_member_moved();

CREATE FUNCTION tally_segment_moved() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  INSERT INTO tallies (ns, kind, name, count)
  SELECT m.ns, 'topic', CAST(m.topic AS TEXT), CASE new.state WHEN 0 THEN 1 ELSE -1 END FROM topic_members m
  WHERE m.ns = new.ns AND m.key = new.key
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = tallies.count + excluded.count;
  DELETE FROM tallies WHERE ns = new.ns AND kind = 'topic' AND count < 1
    AND name = (SELECT CAST(m.topic AS TEXT) FROM topic_members m WHERE m.ns = new.ns AND m.key = new.key);
  RETURN NULL;
END $$;
CREATE TRIGGER tally_segment_moved AFTER UPDATE OF state ON segments FOR EACH ROW
WHEN ((new.state = 0) <> (old.state = 0)) EXECUTE FUNCTION tally_segment_moved();

CREATE FUNCTION tally_note_came() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  INSERT INTO tallies (ns, kind, name, count)
  SELECT x.ns, x.kind, x.name, sum(x.count)::bigint FROM (
  SELECT new.ns, 'note', CAST(g.state AS TEXT), 1 FROM segments g WHERE g.ns = new.ns AND g.key = new.key
  UNION ALL SELECT new.ns, 'tag', g.state || ' ' || j.value, 1 FROM segments g, json_array_elements_text(new.tags::json) j(value) WHERE g.ns = new.ns AND g.key = new.key
  ) x(ns, kind, name, count) GROUP BY x.ns, x.kind, x.name
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = tallies.count + excluded.count;
  RETURN NULL;
END $$;
CREATE TRIGGER tally_note_came AFTER INSERT ON notes FOR EACH ROW EXECUTE FUNCTION tally_note_came();

CREATE FUNCTION tally_note_gone() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  INSERT INTO tallies (ns, kind, name, count)
  SELECT x.ns, x.kind, x.name, sum(x.count)::bigint FROM (
  SELECT old.ns, 'note', CAST(g.state AS TEXT), -1 FROM segments g WHERE g.ns = old.ns AND g.key = old.key
  UNION ALL SELECT old.ns, 'tag', g.state || ' ' || j.value, -1 FROM segments g, json_array_elements_text(old.tags::json) j(value) WHERE g.ns = old.ns AND g.key = old.key
  ) x(ns, kind, name, count) GROUP BY x.ns, x.kind, x.name
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = tallies.count + excluded.count;
  DELETE FROM tallies WHERE ns = old.ns AND kind = 'tag' AND count < 1;
  RETURN NULL;
END $$;
CREATE TRIGGER tally_note_gone AFTER DELETE ON notes FOR EACH ROW EXECUTE FUNCTION tally_note_gone();

CREATE FUNCTION tally_note_tagged() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  INSERT INTO tallies (ns, kind, name, count)
  SELECT x.ns, x.kind, x.name, sum(x.count)::bigint FROM (
  SELECT new.ns, 'tag', g.state || ' ' || j.value, -1 FROM segments g, json_array_elements_text(old.tags::json) j(value) WHERE g.ns = new.ns AND g.key = new.key
  UNION ALL SELECT new.ns, 'tag', g.state || ' ' || j.value, 1 FROM segments g, json_array_elements_text(new.tags::json) j(value) WHERE g.ns = new.ns AND g.key = new.key
  ) x(ns, kind, name, count) GROUP BY x.ns, x.kind, x.name
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = tallies.count + excluded.count;
  DELETE FROM tallies WHERE ns = new.ns AND kind = 'tag' AND count < 1;
  RETURN NULL;
END $$;
CREATE TRIGGER tally_note_tagged AFTER UPDATE OF tags ON notes FOR EACH ROW
WHEN (new.tags <> old.tags) EXECUTE FUNCTION tally_note_tagged();

CREATE FUNCTION tally_note_moved() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  INSERT INTO tallies (ns, kind, name, count)
  SELECT x.ns, x.kind, x.name, sum(x.count)::bigint FROM (
  SELECT n.ns, 'note', CAST(old.state AS TEXT), -1 FROM notes n WHERE n.ns = new.ns AND n.key = new.key
  UNION ALL SELECT n.ns, 'note', CAST(new.state AS TEXT), 1 FROM notes n WHERE n.ns = new.ns AND n.key = new.key
  UNION ALL SELECT n.ns, 'tag', old.state || ' ' || j.value, -1 FROM notes n, json_array_elements_text(n.tags::json) j(value) WHERE n.ns = new.ns AND n.key = new.key
  UNION ALL SELECT n.ns, 'tag', new.state || ' ' || j.value, 1 FROM notes n, json_array_elements_text(n.tags::json) j(value) WHERE n.ns = new.ns AND n.key = new.key
  ) x(ns, kind, name, count) GROUP BY x.ns, x.kind, x.name
  ON CONFLICT (ns, kind, name) DO UPDATE SET count = tallies.count + excluded.count;
  DELETE FROM tallies WHERE ns = new.ns AND kind = 'tag' AND count < 1;
  RETURN NULL;
END $$;
CREATE TRIGGER tally_note_moved AFTER UPDATE OF state ON segments FOR EACH ROW
WHEN (new.kind = 'note' AND new.state <> old.state) EXECUTE FUNCTION tally_note_moved();
