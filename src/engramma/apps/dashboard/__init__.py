"""The dashboard: a page that the daemon serves, with the few paths that it needs beside the HTTP API."""
