"""The daemon: one process, one port, for everything that wants to read or write a memory."""
