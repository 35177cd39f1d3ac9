"""Units for systemd and launchd, so that a user's daemon starts with their session."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

SYSTEMD = """\
[Unit]
Description=Engramma, a private memory for AI assistants
After=default.target

[Service]
Type=simple
ExecStart={command}
Restart=on-failure
RestartSec=2
TimeoutStopSec=60
NoNewPrivileges=true
PrivateTmp=true
ProtectSystem=full

[Install]
WantedBy=default.target
"""

LAUNCHD = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>org.engramma.daemon</string>
  <key>ProgramArguments</key>
  <array>
{arguments}
  </array>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>StandardErrorPath</key><string>{log}</string>
</dict>
</plist>
"""

NEXT = {
    "systemd": "systemctl --user daemon-reload && systemctl --user enable --now engramma",
    "launchd": "launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/org.engramma.daemon.plist",
}


def unit(kind: str, store: Path, log: Path, options: Sequence[str]) -> str:
    """The text of a unit that serves a store."""
    begun = "from engramma.apps.cli.main import run; run()"
    command = [sys.executable, "-c", begun, "--store", str(store), "serve", *options]
    if kind == "systemd":
        return SYSTEMD.format(command=" ".join(quoted(part) for part in command))
    arguments = "\n".join(f"    <string>{escape(part)}</string>" for part in command)
    return LAUNCHD.format(arguments=arguments, log=escape(str(log)))


def quoted(part: str) -> str:
    """As systemd reads a command line: quotes as in a shell, and % and $ doubled."""
    return shlex.quote(part).replace("%", "%%").replace("$", "$$")


def unit_path(kind: str) -> Path:
    if kind == "systemd":
        return Path.home() / ".config/systemd/user/engramma.service"
    return Path.home() / "Library/LaunchAgents/org.engramma.daemon.plist"
