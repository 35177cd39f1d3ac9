"""Registering our MCP server and hooks in the settings of assistants, and taking them out again."""
