// The way in: exchanges the one-time code behind the # for a session. The code is never sent anywhere else.

const said = document.getElementById('said');

async function enter(given) {
  const [code, space] = given.split('/');
  const reply = await fetch('/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  const told = await reply.json().catch(() => ({}));
  if (reply.ok) {
    location.replace(space ? `/#/overview?in=${space}` : `/${location.hash}`); // back to the view that was asked for
  } else {
    said.textContent = told.detail || 'That did not work. `engramma open` makes a new link.';
  }
}

document.getElementById('enter').addEventListener('submit', (event) => {
  event.preventDefault();
  const given = document.getElementById('code').value.trim();
  enter(given.slice(given.lastIndexOf('#') + 1));
});

function fromAddress() {
  const code = location.hash.slice(1);
  if (!code || code.startsWith('/')) return; // a view of the dashboard, asked for without being logged in
  history.replaceState(null, '', '/login'); // not kept in the history
  enter(code);
}

if (location.search === '?ended')
  said.textContent = 'The session has ended: the daemon was restarted, or you were logged out.';
window.addEventListener('hashchange', fromAddress);
fromAddress();
