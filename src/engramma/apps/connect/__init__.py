"""Registers Engramma's MCP server and hooks in the settings of assistants, and removes them again."""
