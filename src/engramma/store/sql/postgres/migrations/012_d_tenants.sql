-- Walls within the database: a role a tenant, which sees and writes one namespace, whatever SQL it sends. It has to say
-- which one (SET engramma.ns = 'name'); without that, or with another's, it sees nothing and can write nothing.

-- Which roles may use which namespace.
CREATE TABLE tenants (
  ns BIGINT NOT NULL,
  role TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (ns, role)
);

CREATE FUNCTION tenants_gone() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  DELETE FROM tenants WHERE ns = old.ns;
  RETURN NULL;
END $$;
CREATE TRIGGER tenants_gone AFTER DELETE ON namespaces FOR EACH ROW EXECUTE FUNCTION tenants_gone();

-- The namespace that a role has named in engramma.ns, if it may use it. Runs as the owner: tenants cannot read the list.
CREATE FUNCTION own_namespace(asking text) RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT t.ns FROM namespaces n JOIN tenants t ON t.ns = n.ns
  WHERE n.name = nullif(current_setting('engramma.ns', true), '') AND t.role = asking
$$;

-- Puts the wall up in every table, also in those that came later. The owner, who is Engramma, goes through it.
CREATE FUNCTION guard_tables() RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  one record;
BEGIN
  FOR one IN
    SELECT c.oid::regclass AS name, c.relname, pg_get_userbyid(c.relowner) AS owner FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND NOT c.relforcerowsecurity
  LOOP
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', one.name);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', one.name);
    EXECUTE format('CREATE POLICY owner ON %s TO %I USING (true) WITH CHECK (true)', one.name, one.owner);
    IF one.relname NOT IN ('meta', 'tenants', 'users', 'tokens', 'grants', 'audit') THEN
      EXECUTE format('CREATE POLICY tenant ON %s USING (ns = (SELECT own_namespace(current_user::text))) '
        'WITH CHECK (ns = (SELECT own_namespace(current_user::text)))', one.name);
    END IF;
  END LOOP;
END
$$;

-- Lets a role use a namespace; makes the role if there is none and whoever asks may make one.
CREATE FUNCTION add_tenant(role_name text, namespace text) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  one record;
  number bigint;
BEGIN
  SELECT n.ns INTO number FROM namespaces n WHERE n.name = namespace;
  IF number IS NULL THEN
    RAISE EXCEPTION 'there is no namespace %', quote_literal(namespace);
  END IF;
  IF NOT EXISTS (SELECT 1 FROM pg_roles r WHERE r.rolname = role_name) THEN
    EXECUTE format('CREATE ROLE %I LOGIN', role_name);
  END IF;
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), role_name);
  FOR one IN
    SELECT p.tablename FROM pg_policies p WHERE p.schemaname = current_schema() AND p.policyname = 'tenant'
  LOOP
    EXECUTE format('GRANT %s ON %I TO %I',
      CASE one.tablename WHEN 'namespaces' THEN 'SELECT' ELSE 'SELECT, INSERT, UPDATE, DELETE' END, one.tablename, role_name);
  END LOOP;
  INSERT INTO tenants (ns, role) VALUES (number, role_name) ON CONFLICT (ns, role) DO NOTHING;
END
$$;

CREATE FUNCTION drop_tenant(role_name text, namespace text) RETURNS void LANGUAGE sql SET search_path FROM CURRENT AS $$
  DELETE FROM tenants t USING namespaces n WHERE n.name = namespace AND t.ns = n.ns AND t.role = role_name
$$;

-- Only whoever owns the tables may change who sees them.
REVOKE EXECUTE ON FUNCTION guard_tables(), add_tenant(text, text), drop_tenant(text, text) FROM PUBLIC;
