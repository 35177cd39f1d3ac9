// Calls to the daemon. Everything goes to where the page came from; what writes carries the session's token.

let csrf = null;
let namespace = null;

export function setNamespace(name) {
  namespace = name;
}
export function getNamespace() {
  return namespace;
}

export function pathTo(path, params = {}) {
  const query = new URLSearchParams();
  if (namespace) query.set('namespace', namespace);
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && value !== null && value !== '') query.set(name, value);
  }
  const text = query.toString();
  return `/api${path}${text ? `?${text}` : ''}`;
}

async function call(method, path, { params, body, signal } = {}) {
  const headers = {};
  if (method !== 'GET') headers['x-engramma-csrf'] = csrf || '';
  let payload = body;
  if (body !== undefined && !(body instanceof Blob)) {
    headers['content-type'] = 'application/json';
    payload = JSON.stringify(body);
  }
  const reply = await fetch(pathTo(path, params), { method, headers, body: payload, signal, cache: 'no-store' });
  if (reply.status === 401) {
    location.assign('/login');
    throw new Error('The session has ended. Run `engramma open`.');
  }
  const told = await reply.json().catch(() => ({}));
  if (!reply.ok) throw new Error(told.detail || `The daemon answered ${reply.status}.`);
  return told;
}

export const get = (path, params, signal) => call('GET', path, { params, signal });
export const post = (path, body, params, signal) => call('POST', path, { body, params, signal });
export const patch = (path, body) => call('PATCH', path, { body });
export const remove = (path, params) => call('DELETE', path, { params });

export async function begin() {
  const told = await get('/dashboard/session');
  csrf = told.csrf;
  return told;
}

export async function leave() {
  await fetch('/logout', { method: 'POST', headers: { 'x-engramma-csrf': csrf || '' } });
  location.assign('/login');
}

// A script of the page's own that is not a module; loaded when a view first needs it.
const loaded = new Map();
export function script(path) {
  if (!loaded.has(path)) {
    loaded.set(
      path,
      new Promise((done, failed) => {
        const element = document.createElement('script');
        element.src = path;
        element.onload = done;
        element.onerror = () => failed(new Error(`Cannot load ${path}`));
        document.head.append(element);
      }),
    );
  }
  return loaded.get(path);
}
