-- ---- users, tokens, rights: they concern the store as a whole ----

-- name: team_user_add
INSERT INTO users (name, created_at) VALUES (%(name)s, %(at)s) ON CONFLICT (ns, name) DO NOTHING;

-- name: team_users
SELECT name, created_at FROM users ORDER BY name;

-- name: team_user
SELECT name, created_at FROM users WHERE name = %(name)s;

-- name: team_user_drop
DELETE FROM users WHERE name = %(name)s;

-- name: team_token_add
INSERT INTO tokens (id, owner, hash, proxy_hash, created_at, expires_at)
VALUES (%(id)s, %(name)s, %(hash)s, %(proxy_hash)s, %(at)s, %(expires_at)s);

-- name: team_token
SELECT id, owner, hash, proxy_hash, expires_at, revoked_at FROM tokens WHERE id = %(id)s;

-- name: team_tokens
SELECT id, owner, created_at, expires_at, revoked_at FROM tokens WHERE owner = %(name)s ORDER BY created_at, id;

-- name: team_token_revoke
UPDATE tokens SET revoked_at = %(at)s WHERE owner = %(name)s AND revoked_at IS NULL AND (%(id)s::text IS NULL OR id = %(id)s);

-- name: team_tokens_drop
DELETE FROM tokens WHERE owner = %(name)s;

-- name: team_grants
SELECT n.name, g.level, g.home FROM grants g JOIN namespaces n ON n.ns = g.ns WHERE g.owner = %(name)s ORDER BY n.name;

-- name: team_grant_put
INSERT INTO grants (ns, owner, level) VALUES (%(ns)s, %(name)s, %(level)s)
ON CONFLICT (ns, owner) DO UPDATE SET level = excluded.level;

-- name: team_grant_home
UPDATE grants SET home = CASE WHEN ns = %(ns)s THEN 1 ELSE 0 END WHERE owner = %(name)s;

-- name: team_grant_drop
DELETE FROM grants WHERE ns = %(ns)s AND owner = %(name)s;

-- name: team_grants_drop
DELETE FROM grants WHERE owner = %(name)s;

-- name: namespace_drop_grants
DELETE FROM grants WHERE ns = %(ns)s;

-- ---- what was done by whom ----

-- name: audit_put
INSERT INTO audit (ns, id, at, who, what, counts) VALUES (%(ns)s, %(id)s, %(at)s, %(who)s, %(what)s, %(counts)s)
ON CONFLICT (ns, id) DO UPDATE SET counts = excluded.counts;

-- name: audit_list
SELECT id, at, who, what, counts FROM audit
WHERE ns = %(ns)s AND id < %(before)s AND (%(who)s::text IS NULL OR who = %(who)s) ORDER BY id DESC LIMIT nullif(%(limit)s::bigint, -1);

-- name: namespace_drop_audit
DELETE FROM audit WHERE ns = %(ns)s;
