"""Who may come in: a one-time code becomes a session, and a session opens what the page needs and nothing else."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest
from starlette.testclient import TestClient

from engramma import Memory
from engramma.apps.daemon import control
from engramma.apps.daemon.app import build_app
from engramma.apps.daemon.folder import place_in
from engramma.apps.daemon.memories import Memories
from engramma.apps.daemon.settings import DaemonSettings
from engramma.apps.daemon.spool import Spool
from engramma.apps.daemon.state import Daemon
from engramma.apps.dashboard import edits as kept
from engramma.apps.dashboard import people, review, view_data
from engramma.apps.dashboard.pages import OPEN, assets, link_to
from engramma.apps.dashboard.visitors import CODE_SECONDS, IDLE_SECONDS, Visitors, cookie_name, is_own_request
from tests.fakes import HashEmbedder

TOKEN = "the-token"
AUTH = {"authorization": f"Bearer {TOKEN}"}
BASE = "http://127.0.0.1:7733"
OWN = {"origin": BASE, "sec-fetch-site": "same-origin"}


@pytest.fixture
def app(tmp_path):
    store = tmp_path / "store"
    Memory.open(store, embedder=HashEmbedder()).close()
    memories = Memories(store)
    memories._embedder = HashEmbedder()
    place = place_in(store)
    scribe = SimpleNamespace(offer=lambda frame: True, counts=lambda: {"dropped": 0})
    daemon = Daemon(store, place, memories, Spool(place.spool), scribe, TOKEN, DaemonSettings(), port=7733)
    yield daemon, build_app(daemon)
    memories.close()


@pytest.fixture
def visit(app):
    """A client without anything, and the daemon."""
    daemon, built = app
    with TestClient(built, base_url=BASE, follow_redirects=False) as client:
        client.daemon = daemon
        yield client


def enter(client) -> str:
    """Come in; returns what writing calls have to carry."""
    code = client.post("/api/dashboard/invite", headers=AUTH).json()["url"].partition("#")[2]
    assert client.post("/login", json={"code": code}, headers=OWN).status_code == 200
    return client.get("/api/dashboard/session").json()["csrf"]


def test_without_cookie_or_token_only_the_login_page_and_health_answer(visit):
    paths = ["/api/stats", "/api/events", "/api/export", "/api/dashboard/overview", "/api/dashboard/session", "/mcp"]
    paths += [f"/assets/{name}" for name in assets() if f"/assets/{name}" not in OPEN]
    paths += ["/api/openapi.json", "/assets/../token", "/index.html"]
    assert {path: visit.get(path).status_code for path in paths} == dict.fromkeys(paths, 401)
    for path in ("/api/dashboard/invite", "/api/purge", "/logout"):
        assert visit.post(path).status_code == 401
    assert visit.get("/").headers["location"] == "/login"
    assert visit.get("/login").status_code == visit.get("/health").status_code == 200


def test_without_the_token_no_path_that_there_is_answers(visit):
    known = {
        (method, f"/api{path}" if not path.startswith("/api") else path)
        for path, methods in visit.get("/api/openapi.json", headers=AUTH).json()["paths"].items()
        for method in methods
    }
    known |= {
        (method, f"/api/dashboard{route.path}")
        for module in (view_data, kept, people, review)
        for route in module.routes.routes
        for method in route.methods
    }
    assert len(known) > 60
    told = {
        (method, path): visit.request(method.upper(), re.sub(r"{\w+}", "1", path)).status_code for method, path in known
    }
    assert {key: status for key, status in told.items() if status != 401} == {}


def test_the_files_of_the_login_page_are_open_and_no_others():
    assert {"/assets/app.js", "/assets/api.js", "/assets/index.html"} & OPEN == set()
    assert {name.removeprefix("/assets/") for name in OPEN if name.startswith("/assets/")} <= set(assets())


def test_a_code_lets_in_once(visit):
    code = visit.post("/api/dashboard/invite", headers=AUTH).json()["url"].partition("#")[2]
    first = visit.post("/login", json={"code": code}, headers=OWN)
    cookie = first.headers["set-cookie"].lower()
    assert first.status_code == 200
    assert cookie.startswith("engramma_7733=") and "httponly" in cookie and "samesite=strict" in cookie
    assert visit.get("/").status_code == visit.get("/api/stats").status_code == visit.get("/assets/app.js").status_code
    visit.cookies.clear()
    assert visit.post("/login", json={"code": code}, headers=OWN).status_code == 403
    assert visit.post("/login", json={"code": "guessed"}, headers=OWN).status_code == 403


def test_a_code_is_not_taken_from_a_foreign_page(visit):
    code = link_to(visit.daemon).partition("#")[2]
    headers = {"origin": "http://127.0.0.1:9999", "sec-fetch-site": "same-site"}
    assert visit.post("/login", json={"code": code}, headers=headers).status_code == 403


def test_writing_needs_the_token_of_the_session(visit):
    csrf = enter(visit)
    note = {"text": "The boiler was repaired in March."}
    assert visit.post("/api/notes", json=note, headers=OWN).status_code == 401
    assert visit.post("/api/notes", json=note, headers={**OWN, "x-engramma-csrf": "wrong"}).status_code == 401
    assert visit.get("/api/notes").json()["total"] == 0
    assert visit.post("/api/notes", json=note, headers={**OWN, "x-engramma-csrf": csrf}).status_code == 200
    assert visit.get("/api/notes").json()["total"] == 1


@pytest.mark.parametrize(
    "foreign",
    [
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "http://localhost:7733"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
    ],
)
def test_a_cookie_counts_on_our_own_page_only(visit, foreign):
    csrf = enter(visit)
    assert visit.get("/api/stats", headers=foreign).status_code in (401, 403)
    sent = {**foreign, "x-engramma-csrf": csrf}
    assert visit.post("/api/notes", json={"text": "planted"}, headers=sent).status_code in (401, 403)
    assert visit.get("/api/notes").json()["total"] == 0


def test_a_session_opens_neither_mcp_nor_the_proxy_nor_another_browser(visit):
    csrf = enter(visit)
    headers = {**OWN, "x-engramma-csrf": csrf}
    assert visit.post("/mcp", json={}, headers=headers).status_code == 401
    assert visit.post("/api/dashboard/invite", headers=headers).status_code == 403


def test_leaving_ends_the_session_and_the_owner_can_end_them_all(visit):
    csrf = enter(visit)
    assert visit.post("/logout").status_code == 401
    key = dict(visit.cookies)["engramma_7733"]
    assert visit.post("/logout", headers={"x-engramma-csrf": csrf}).status_code == 200
    assert visit.get("/api/stats", headers={"cookie": f"engramma_7733={key}"}).status_code == 401
    enter(visit)
    assert visit.get("/api/stats").status_code == 200
    visit2 = {"cookie": "", **AUTH}
    assert visit.delete("/api/dashboard/visitors", headers=visit2).json() == {"ended": 1}
    assert visit.get("/api/stats").status_code == 401


def test_every_answer_forbids_foreign_scripts_and_keeping_data(visit):
    enter(visit)
    for path in ("/", "/login", "/assets/app.js", "/api/stats", "/api/dashboard/overview", "/health"):
        headers = visit.get(path).headers
        assert "default-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == (
            "no-store" if path in ("/api/stats", "/api/dashboard/overview", "/health") else "no-cache"
        )


def test_an_unchanged_file_is_not_sent_again(visit):
    enter(visit)
    tag = visit.get("/assets/app.js").headers["etag"]
    again = visit.get("/assets/app.js", headers={"if-none-match": tag})
    assert (again.status_code, again.content) == (304, b"")
    assert visit.get("/assets/nothing.js").status_code == 404


def test_codes_and_sessions_grow_old():
    clock = SimpleNamespace(now=0.0)
    visitors = Visitors(lambda: clock.now)
    late = visitors.invite()
    clock.now = CODE_SECONDS + 1
    assert visitors.enter(late) is None
    entered = visitors.enter(visitors.invite())
    assert entered is not None
    key, visitor = entered
    clock.now += IDLE_SECONDS - 1
    assert visitors.known(key) is visitor  # and thereby seen
    clock.now += IDLE_SECONDS - 1
    assert visitors.known(key) is visitor
    clock.now += IDLE_SECONDS + 1
    assert visitors.known(key) is None


def test_cookies_of_two_daemons_on_one_machine_do_not_meet():
    assert cookie_name("127.0.0.1:7733") != cookie_name("127.0.0.1:7734")
    assert cookie_name("[::1]:7733") == "engramma_7733"
    assert is_own_request([(b"host", b"a:1"), (b"origin", b"http://a:1")])
    assert not is_own_request([(b"host", b"a:1"), (b"origin", b"http://a:1"), (b"origin", b"http://a:1")])


def test_nothing_in_the_page_is_inline_or_from_elsewhere():
    for name, (content, _) in assets().items():
        text = content.decode("utf-8", "replace")
        if name.endswith((".html", ".css")) or (name.endswith(".js") and "vendor/" not in name):
            assert "https://" not in text and "//cdn" not in text, name
            assert (
                "innerHTML" not in text and "dangerouslySetInnerHTML" not in text and "insertAdjacentHTML" not in text
            )
        if name.endswith(".html"):
            assert "<script>" not in text and "<style" not in text and " style=" not in text and " onclick=" not in text


def test_the_door_fits_on_a_phone(browser, store):
    context = browser.new_context(viewport={"width": 360, "height": 740})
    page = context.new_page()
    page.goto(control.ask_daemon_status(store)["url"])
    page.get_by_role("button", name="Log in").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    box = page.get_by_role("button", name="Log in").bounding_box()
    assert box["x"] + box["width"] <= 360
    context.close()
