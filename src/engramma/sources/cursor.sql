-- The chats in Cursor's state.vscdb. The file holds tokens, too: only the keys named here are ever asked for.

-- name: tables
-- which of the two tables there are
SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('cursorDiskKV', 'ItemTable');

-- name: composers
-- every chat, without its messages where they are kept apart
SELECT key, value FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;' ORDER BY key;

-- name: bubble
-- one message of a chat
SELECT value FROM cursorDiskKV WHERE key = 'bubbleId:' || :composer || ':' || :bubble;

-- name: old_chats
-- chats as they were kept before 2025, in the database of a workspace
SELECT key, value FROM ItemTable
WHERE key IN ('workbench.panel.aichat.view.aichat.chatdata', 'composer.composerData') ORDER BY key;
