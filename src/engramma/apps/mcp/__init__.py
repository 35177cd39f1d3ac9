"""The MCP server: ten tools, resources and prompts over one memory, on stdio and over HTTP."""

from __future__ import annotations

from .http import http_app as http_app
from .serve import server as server
