-- ---- users, tokens, rights: they concern the store as a whole ----

-- name: team_users
SELECT name, created_at FROM users ORDER BY name;

-- name: team_user
SELECT name, created_at FROM users WHERE name = :name;

-- name: team_user_drop
DELETE FROM users WHERE name = :name;

-- name: team_token_add
INSERT INTO tokens (id, owner, hash, proxy_hash, created_at, expires_at)
VALUES (:id, :name, :hash, :proxy_hash, :at, :expires_at);

-- name: team_token
SELECT id, owner, hash, proxy_hash, expires_at, revoked_at FROM tokens WHERE id = :id;

-- name: team_tokens
SELECT id, owner, created_at, expires_at, revoked_at FROM tokens WHERE owner = :name ORDER BY created_at, id;

-- name: team_token_revoke
UPDATE tokens SET revoked_at = :at WHERE owner = :name AND revoked_at IS NULL AND (:id IS NULL OR id = :id);

-- name: team_tokens_drop
DELETE FROM tokens WHERE owner = :name;

-- name: team_grants
SELECT n.name, g.level, g.home FROM grants g JOIN namespaces n ON n.ns = g.ns WHERE g.owner = :name ORDER BY n.name;

-- name: team_grant_put
INSERT INTO grants (ns, owner, level) VALUES (:ns, :name, :level)
ON CONFLICT (ns, owner) DO UPDATE SET level = excluded.level;

-- name: team_grant_home
UPDATE grants SET home = CASE WHEN ns = :ns THEN 1 ELSE 0 END WHERE owner = :name;

-- name: team_grant_drop
DELETE FROM grants WHERE ns = :ns AND owner = :name;

-- name: team_grants_drop
DELETE FROM grants WHERE owner = :name;

-- ---- what was done by whom ----

-- name: audit_put
INSERT INTO audit (ns, id, at, who, what, counts) VALUES (:ns, :id, :at, :who, :what, :counts)
ON CONFLICT (ns, id) DO UPDATE SET counts = excluded.counts;

-- name: audit_list
SELECT id, at, who, what, counts FROM audit
WHERE ns = :ns AND id < :before AND (:who IS NULL OR who = :who) ORDER BY id DESC LIMIT :limit;
