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

export const SILENT =
  'The daemon does not answer; it may have been stopped. `engramma open` starts it and opens this page again.';
// What a program is told to call next is nothing for somebody who reads.
const forReaders = (text) => text && text.replace(/ (GET )?\/api\/\S+ (lists|describes) [\w ]+\.$/, '');

async function answered(method, path, { params, body, signal } = {}) {
  const headers = {};
  if (method !== 'GET') headers['x-engramma-csrf'] = csrf || '';
  let payload = body;
  if (body !== undefined && !(body instanceof Blob)) {
    headers['content-type'] = 'application/json';
    payload = JSON.stringify(body);
  }
  const asked = { method, headers, body: payload, signal, cache: 'no-store' };
  const reply = await fetch(pathTo(path, params), asked).catch((error) => {
    throw error.name === 'AbortError' ? error : new Error(SILENT);
  });
  if (reply.status === 401) {
    location.assign(`/login?ended${location.hash}`); // and back to this view
    throw new Error('The session has ended. Run `engramma open`.');
  }
  if (!reply.ok) {
    const told = await reply.json().catch(() => ({}));
    throw new Error(forReaders(told.detail) || `The daemon answered ${reply.status}.`);
  }
  return reply;
}

async function call(method, path, options) {
  const reply = await answered(method, path, options);
  const told = await reply.json().catch(() => ({}));
  if (path === '/me' || path === '/undo') names.clear();
  return RAW.has(path) ? told : named(told, await userName());
}

// Exports call the one who writes "user", "You" or "me"; once that is known to be somebody, every answer has the name.
const NAMELESS = new Set(['user', 'you', 'me', 'human']);
const RAW = new Set(['/dashboard/session', '/dashboard/me', '/me']);
const names = new Map(); // of the user, by namespace; asked for anew with every view
addEventListener('hashchange', () => names.clear());
function userName() {
  if (!names.has(namespace)) {
    const asked = answered('GET', '/dashboard/me').then((reply) => reply.json());
    names.set(
      namespace,
      asked.then((me) => (me.said ? me.name : ''), () => ''),
    );
  }
  return names.get(namespace);
}
function named(told, me) {
  if (!me || !told || typeof told !== 'object') return told;
  if (Array.isArray(told)) return told.map((one) => named(one, me));
  const called = (name) => (NAMELESS.has(String(name).trim().toLowerCase()) ? me : name);
  const shown = ([key, value]) => {
    if (key === 'speaker') return [key, called(value)];
    if (key === 'speakers' && Array.isArray(value)) return [key, [...new Set(value.map(called))]];
    return [key, named(value, me)];
  };
  return Object.fromEntries(Object.entries(told).map(shown));
}

// The events of a reply, as they arrive: `heard(kind, data)` for each.
export async function follow(path, body, signal, heard) {
  const reply = await answered('POST', path, { body, signal });
  const me = await userName();
  const reader = reply.body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    rest += decoder.decode(value, { stream: !done });
    const parts = rest.split('\n\n');
    rest = parts.pop();
    for (const part of parts) {
      const kind = /^event: (.*)$/m.exec(part);
      const data = /^data: (.*)$/m.exec(part);
      if (kind && data) heard(kind[1], named(JSON.parse(data[1]), me));
    }
    if (done) return;
  }
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
