-- ---- users, tokens, rights: they concern the store as a whole ----

-- name: team_user_add
INSERT INTO users (name, created_at) VALUES (%(name)s, %(at)s) ON CONFLICT (ns, name) DO NOTHING;
