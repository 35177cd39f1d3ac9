"""`engramma open` starts a browser, and no other user can read what lets it in."""

from __future__ import annotations

import html
import json
import re
import stat
import sys
import webbrowser
from pathlib import Path
from unittest.mock import patch
from urllib.parse import unquote, urlsplit

import httpx2
import pytest

from engramma.apps.daemon.folder import place_in, token_of
from engramma.apps.dashboard.handover import lay_page, sweep_pages
from engramma.apps.dashboard.visitors import CODE_SECONDS, Visitors
from tests.apps.daemon.serving import until
from tests.commands import ran

# A browser that writes down how it was started, and how that looks to everybody else on the machine.
BROWSER = """\
#!{python}
import json, pathlib, sys
seen = pathlib.Path("/proc/self/cmdline")
seen = seen.read_bytes().decode().split("\\0") if seen.exists() else []
file = pathlib.Path({out!r})
file.with_suffix(".tmp").write_text(json.dumps(sys.argv + seen))
file.with_suffix(".tmp").replace(file)
"""


def browsed(store: Path, folder: Path, *options: str) -> list[str]:
    """Open the dashboard in that browser; all that its command line held."""
    folder.mkdir()
    browser, out = folder / "browser", folder / "seen.json"
    browser.write_text(BROWSER.format(python=sys.executable, out=str(out)))
    browser.chmod(0o700)
    with patch.object(webbrowser, "_tryorder", None):  # which browsers there are is looked up once a process
        done = ran("--store", store, *options, "open", env={"BROWSER": str(browser), "PATH": "/usr/bin:/bin"})
    assert done.returncode == 0 and "opened the dashboard" in done.stderr, done.stderr
    assert "login#" not in done.stdout + done.stderr
    return list(json.loads(until(lambda: out.exists() and out.read_text())))


@pytest.mark.long
def test_the_command_line_of_a_browser_holds_no_secret(served: Path, tmp_path: Path) -> None:
    seen = browsed(served, tmp_path / "first")
    page = Path(unquote(urlsplit(seen[1]).path))
    assert urlsplit(seen[1]).scheme == "file" and page.parent == place_in(served).folder
    assert stat.S_IMODE(page.stat().st_mode) == 0o600 and stat.S_IMODE(page.parent.stat().st_mode) == 0o700
    link = html.unescape(re.findall(r'url=([^"]+)"', page.read_text())[0])
    code = urlsplit(link).fragment
    assert len(code) > 20
    for word in seen:
        assert code not in word and token_of(place_in(served)) not in word and "login" not in word

    base = link.partition("/login")[0]
    entered = httpx2.post(f"{base}/login", json={"code": code}, headers={"origin": base})
    assert entered.status_code == 200 and "set-cookie" in entered.headers
    assert not page.exists()  # used, and gone
    assert httpx2.post(f"{base}/login", json={"code": code}, headers={"origin": base}).status_code == 403
    logs = place_in(served).folder.glob("daemon.log*")
    assert all(code not in log.read_text() and token_of(place_in(served)) not in log.read_text() for log in logs)


@pytest.mark.long
def test_a_namespace_is_opened_by_the_same_page_and_all_pages_go_when_visits_are_ended(
    served: Path, tmp_path: Path
) -> None:
    seen = browsed(served, tmp_path / "second", "--namespace", 'my "own" & <other>')
    page = Path(unquote(urlsplit(seen[1]).path))
    assert page.read_text().count("/my%20%22own%22%20%26%20%3Cother%3E") == 2
    assert ran("--store", served, "open", "--end-all").returncode == 0
    assert not page.exists()


def test_a_page_goes_with_its_code(tmp_path: Path) -> None:
    clock = [0.0]
    visitors = Visitors(lambda: clock[0])
    code = visitors.invite()
    page = lay_page(tmp_path, f"http://127.0.0.1:1/login#{code}")
    visitors.lay(code, page)
    visitors.tidy()
    assert page.exists()
    clock[0] = CODE_SECONDS + 1
    visitors.tidy()
    assert not page.exists() and visitors.enter(code) is None
    late = lay_page(tmp_path, "http://127.0.0.1:1/login#gone")
    visitors.lay("gone", late)
    assert not late.exists()


def test_what_a_killed_daemon_left_is_swept(tmp_path: Path) -> None:
    page, other = lay_page(tmp_path, "http://127.0.0.1:1/login#x"), tmp_path / "notes.html"
    other.write_text("mine")
    sweep_pages(tmp_path)
    assert not page.exists() and other.exists()
