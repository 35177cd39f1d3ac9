"""Nothing leaves the machine: whatever ran on the page could reach no other place, not even another port of its own."""

from __future__ import annotations

import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

# Every way in which a page reaches another place; each is tried, and what the browser refused is told.
TRIES = """async ([place, awaited]) => {
  const refused = [];
  const all = new Promise((done) => document.addEventListener('securitypolicyviolation', (event) => {
    refused.push(event.effectiveDirective);
    if (awaited.every(([name, times]) => refused.filter((one) => one === name).length >= times)) done();
  }));
  const added = (name, set) => {
    const made = Object.assign(document.createElement(name), set);
    document.body.append(made);
    return made;
  };
  await fetch(`${place}/fetch`, { mode: 'no-cors' }).catch(() => {});
  const events = new EventSource(`${place}/events`);  // asks a moment later, if it is not closed before
  events.onerror = () => events.close();
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
  // Each refusal is told when the browser comes to it; one that never is told ends the wait, and the test.
  await Promise.race([all, new Promise((done) => setTimeout(done, 20000))]);
  return refused;
}"""
# How many of the tries each directive refuses.
DIRECTIVES = {
    "connect-src": 4,
    "img-src": 1,
    "script-src-elem": 2,
    "style-src-elem": 1,
    "frame-src": 1,
    "object-src": 1,
    "media-src": 1,
    "form-action": 1,
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
    refused = page.evaluate(TRIES, [place, list(DIRECTIVES.items())])
    assert Counter(refused) >= Counter(DIRECTIVES)
    assert reached == [] and page.evaluate("window.hacked") is None
    visit.complaints.clear()  # the browser tells of each
    visit.asked = [url for url in visit.asked if not url.startswith((place, place.replace("http", "ws")))]
