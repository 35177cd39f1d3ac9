"""Units for systemd and launchd, so that a user's daemon starts with their session."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

SYSTEMD = """\
[Unit]
Description={what}
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
  <key>Label</key><string>org.engramma.{name}</string>
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

WHAT = "Engramma, a private memory for AI assistants"
RELAY = "Engramma's relay: keeps the address that programs use"
BEGUN = "from engramma.apps.cli.main import run; run()"


def unit(kind: str, store: Path, log: Path, options: Sequence[str]) -> str:
    """The text of a unit that serves a store."""
    command = [sys.executable, "-c", BEGUN, "--store", str(store), "serve", *options]
    return _text_of(kind, "daemon", WHAT, command, log)


def relay_unit(kind: str, store: Path, log: Path, port: int | None) -> str:
    """The text of a unit that keeps a store's relay running, beside the daemon and without it."""
    command = [sys.executable, "-c", BEGUN, "--store", str(store), "relay"]
    return _text_of(kind, "relay", RELAY, [*command, *(["--port", str(port)] if port is not None else [])], log)


def _text_of(kind: str, name: str, what: str, command: Sequence[str], log: Path) -> str:
    if kind == "systemd":
        return SYSTEMD.format(what=what, command=" ".join(_quoted(part) for part in command))
    arguments = "\n".join(f"    <string>{escape(part)}</string>" for part in command)
    return LAUNCHD.format(name=name, arguments=arguments, log=escape(str(log)))


def _quoted(part: str) -> str:
    """As systemd reads a command line: quotes as in a shell, and % and $ doubled."""
    return shlex.quote(part).replace("%", "%%").replace("$", "$$")


def unit_path(kind: str, relay: bool = False) -> Path:
    if kind == "systemd":
        return Path.home() / f".config/systemd/user/{'engramma-relay' if relay else 'engramma'}.service"
    return Path.home() / f"Library/LaunchAgents/org.engramma.{'relay' if relay else 'daemon'}.plist"


def next_step(kind: str, relay: bool = False) -> str:
    """What makes the system take a unit up."""
    if kind == "systemd":
        return f"systemctl --user daemon-reload && systemctl --user enable --now {unit_path(kind, relay).stem}"
    return f"launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/{unit_path(kind, relay).name}"
