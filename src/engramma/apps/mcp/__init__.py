"""The MCP face: ten tools, resources and prompts over one memory, on stdio and over HTTP."""
