"""Nothing leaves the machine: whatever ran on the page could reach no other place, not even another port of its own."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

# Every way in which a page reaches another place; each is tried, and what the browser refused is told.
TRIES = """async (place) => {
  const refused = [];
  document.addEventListener('securitypolicyviolation', (event) => refused.push(event.effectiveDirective));
  const added = (name, set) => {
    const made = Object.assign(document.createElement(name), set);
    document.body.append(made);
    return made;
  };
  await fetch(`${place}/fetch`, { mode: 'no-cors' }).catch(() => {});
  try { new EventSource(`${place}/events`).close(); } catch (error) { /* refused at once */ }
  try { new WebSocket(place.replace('http', 'ws')).close(); } catch (error) { /* refused at once */ }
  navigator.sendBeacon(`${place}/beacon`, 'x');
  added('img', { src: `${place}/img` });
  added('script', { src: `${place}/script.js` });
  added('script', { textContent: 'window.hacked = 1' });
  added('link', { rel: 'stylesheet', href: `${place}/style.css` });
  added('iframe', { src: `${place}/frame` });
  added('object', { data: `${place}/object` });
  added('video', { src: `${place}/video` });
  added('form', { action: `${place}/form`, method: 'post', target: 'nowhere' }).submit();
  await new Promise((done) => setTimeout(done, 500));
  return refused;
}"""
DIRECTIVES = {
    "connect-src",
    "img-src",
    "script-src-elem",
    "style-src-elem",
    "frame-src",
    "object-src",
    "media-src",
    "form-action",
}


@pytest.fixture
def elsewhere():
    """A server on another port of this machine, and what reached it."""
    reached: list[str] = []

    class Listening(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            reached.append(self.path)
            self.send_response(200)
            self.end_headers()

        do_POST = do_GET

        def log_message(self, *told: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Listening)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}", reached
    server.shutdown()
    server.server_close()
    thread.join()


def test_the_browser_refuses_every_way_out(visit, elsewhere):
    place, reached = elsewhere
    page = visit.see("overview", "Who speaks most")
    refused = page.evaluate(TRIES, place)
    assert set(refused) >= DIRECTIVES
    assert reached == [] and page.evaluate("window.hacked") is None
    visit.complaints.clear()  # the browser tells of each
    visit.asked = [url for url in visit.asked if not url.startswith((place, place.replace("http", "ws")))]
