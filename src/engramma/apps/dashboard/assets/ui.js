// Small parts that the views share.
import { html, useState, useEffect, useRef } from './lib.js';
import { post } from './api.js';
import { cutText, firstCharacters } from './cutting.js';
import { hue } from './drawing.js';
import { CALENDAR, CLOCK, DAY, MINUTE, ZONED, number, rounded } from './locale.js';
import { Markdown } from './markdown.js';

// Data that a call brings: asked for again when `keys` change, late answers of earlier calls are dropped.
export function useData(load, keys) {
  const [state, setState] = useState({ data: null, error: null, busy: true });
  const [again, setAgain] = useState(0);
  useEffect(() => {
    const control = new AbortController();
    setState((old) => ({ ...old, error: null, busy: true }));
    load(control.signal).then(
      (data) => {
        if (!control.signal.aborted) setState({ data, error: null, busy: false });
      },
      (error) => {
        if (!control.signal.aborted) setState({ data: null, error: error.message, busy: false });
      },
    );
    return () => control.abort();
  }, [...keys, again]);
  return { ...state, reload: () => setAgain((n) => n + 1) };
}

// A message of the program; its commands stand out.
export const withCode = (text) =>
  text.split(/`([^`]+)`/).map((part, n) => (n % 2 ? html`<code>${part}</code>` : part));

// What went wrong, and a way to ask again.
export function Failed({ of }) {
  return html`<div class="card pad row" role="alert"><span class="error grow">${withCode(of.error)}</span><button
    class="small" disabled=${of.busy} onClick=${of.reload}>Try again</button></div>`;
}

export function Shown({ of, children, empty }) {
  if (of.error) return html`<${Failed} of=${of} />`;
  if (!of.data) return html`<p class="quiet pad" role="status">Loading…</p>`;
  if (empty) return html`<p class="quiet pad">${empty}</p>`;
  return children;
}

export { number, rounded };

// Days and times as the reader's clock shows them and the browser's language writes them.
// After a moment of the same day, `since`, the clock is enough.
export function When({ at, day = false, since = null }) {
  if (!at) return null;
  const date = new Date(at);
  const told = day ? DAY : since && DAY.format(new Date(since)) === DAY.format(date) ? CLOCK : MINUTE;
  return html`<time datetime=${at} title=${ZONED.format(date)}>${told.format(date)}</time>`;
}

// The day since when something held: one that was told ("since 2 March") is a midnight in UTC and the same everywhere.
export function heldDay(at) {
  const date = new Date(at);
  return (date % 86400000 === 0 ? CALENDAR : DAY).format(date);
}

// The days in an English sentence that is told (no quote), as the times beside it are written: "May 16, 2026" where the
// browser's English says so. In a browser of another language the sentence stays as it is.
const MONTHS = 'January|February|March|April|May|June|July|August|September|October|November|December';
const TOLD_DAY = new RegExp(`\\b([0-9]{1,2}) (${MONTHS}) ([0-9]{4})\\b`, 'g');
export function toldDays(text) {
  if (!text || !DAY.resolvedOptions().locale.startsWith('en')) return text;
  return text.replace(TOLD_DAY, (_, day, month, year) => CALENDAR.format(new Date(`${day} ${month} ${year} UTC`)));
}

// Something told, as a sentence of its own.
const ended = (text) => `${text[0].toUpperCase()}${text.slice(1)}${/[.!?。！？।؟…]$/.test(text) ? '' : '.'}`;
export const sentence = (text) => (text ? ended(toldDays(text)) : '');

// From a day to a day, or one day.
export function Days({ from, until }) {
  if (DAY.format(new Date(from)) === DAY.format(new Date(until))) return html`<${When} at=${from} day />`;
  return html`<span><${When} at=${from} day /> to <${When} at=${until} day /></span>`;
}

export function bytes(value) {
  let left = Number(value || 0);
  for (const unit of ['B', 'kB', 'MB', 'GB', 'TB']) {
    if (left < 1000 || unit === 'TB') return `${unit === 'B' ? left : rounded(left, 1)} ${unit}`;
    left /= 1000;
  }
  return '';
}

// Why something was done; notes that it names are links.
const NOTE_ID = /(note_[0-9a-f]{16})/;
export function Reason({ text }) {
  return html`<bdi>${text.split(NOTE_ID).map((part) => (NOTE_ID.test(part) ? html`<a
    href=${to('notes', { id: part })} title=${part}>a note</a>` : part))}</bdi>`;
}

export const plural = (count, noun, many = `${noun}s`) => `${number(count)} ${count === 1 ? noun : many}`;

const SETTLED = 250; // milliseconds without a key after which a filter acts

// A filter that acts while somebody types, and at once on Enter.
export function Filter({ label, value = '', onFilter, placeholder = '', wide = false }) {
  const [text, setText] = useState(value);
  const timer = useRef(null);
  const last = useRef(value);
  useEffect(() => {
    if (value === last.current || timer.current) return; // what is being typed is newer than the address
    last.current = value;
    setText(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const act = (words) => {
    clearTimeout(timer.current);
    timer.current = null;
    if (words === last.current) return;
    last.current = words;
    onFilter(words);
  };
  const typed = (event) => {
    const words = event.target.value;
    setText(words);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => act(words.trim()), SETTLED);
  };
  const now = (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    act(text.trim());
  };
  return html`<label class=${wide ? 'grow' : null}>${label}<input type="search" value=${text}
    placeholder=${placeholder} onInput=${typed} onKeyDown=${now} /></label>`;
}

export function Pager({ page, offset, limit, onMove }) {
  if (!page || (page.total <= limit && !offset)) return null;
  const end = Math.min(offset + limit, page.total);
  const isPast = offset >= page.total; // as by an old link, or after a purge
  const before = isPast ? limit * Math.floor((page.total - 1) / limit) : offset - limit;
  return html`<nav class="pager" aria-label="Pages">
    <button disabled=${offset === 0} onClick=${() => onMove(Math.max(0, before))}>← Before</button>
    <span>${isPast ? 'past the end' : `${number(offset + 1)}–${number(end)}`} of ${number(page.total)}</span>
    <button disabled=${end >= page.total} onClick=${() => onMove(offset + limit)}>After →</button>
  </nav>`;
}

export function Who({ name }) {
  const letter = [...String(name).trim()][0] || '?';
  return html`<span class="who"><span class=${`face hue-${hue(name)}`} aria-hidden="true">
    ${letter.toUpperCase()}</span><bdi>${name}</bdi></span>`;
}

// A short word about what was done, with a way back where there is one.
export function useToast() {
  const [toast, setToast] = useState(null);
  const timer = useRef(null);
  const show = (text, undo) => {
    clearTimeout(timer.current);
    setToast({ text, undo });
    timer.current = setTimeout(() => setToast(null), undo ? 15000 : 5000);
  };
  const view = html`<div class="toasts" role="status" aria-live="polite">${
    toast &&
    html`<div class="toast">
    <span dir="auto">${withCode(toast.text)}</span>
    ${
      toast.undo &&
      html`<button onClick=${() => {
        setToast(null);
        toast.undo();
      }}>Undo</button>`
    }
  </div>`
  }</div>`;
  return [view, show];
}

// The way back of a toast: acts are undone, the last one first; what came of it is said, and shown by `reload`.
export const undoing =
  (acts, show, reload, said = 'Undone.') =>
  async () => {
    try {
      for (const act of [acts].flat().reverse()) await post('/undo', { act });
      show(said);
    } catch (error) {
      show(error.message);
    }
    reload();
  };

// A question that has to be answered, in the browser's own dialog: it keeps the focus and Escape closes it.
export function Dialog({ title, onClose, children }) {
  const box = useRef(null);
  useEffect(() => {
    const before = document.activeElement;
    box.current.showModal();
    return () => before && before.isConnected && before.focus(); // however it was closed
  }, []);
  return html`<dialog ref=${box} aria-label=${title} onClose=${onClose}>
    <h2>${title}</h2>${children}
  </dialog>`;
}

// What a view is called: its heading, and the name of the browser's tab and of the step to come back to.
export function Head({ title, children }) {
  useEffect(() => {
    document.title = `${cutText(title, 60)} · Engramma`;
  }, [title]);
  return html`<header class="head"><h1 tabindex="-1"><bdi>${title}</bdi></h1>${children}</header>`;
}

// Links between views: #/name?key=value
export function to(view, params = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && value !== null && value !== '') query.set(name, value);
  }
  const text = query.toString();
  return `#/${view}${text ? `?${text}` : ''}`;
}

// Where a turn is read: a note has a page of its own.
export const placeOf = (conversation, session, turn) =>
  conversation === 'engramma:notes'
    ? to('notes', { id: session })
    : to('conversations', { conversation, session, turn });

// What a talk is known by: its title, else its id; a document by its file's name.
export function titleOf({ title, conversation, session }) {
  if (conversation === 'engramma:notes') return session ? 'Note' : 'Notes';
  if (conversation === 'engramma:documents') return session ? session.split(/[\\/]/).pop() : 'Documents';
  return title || conversation;
}

// With `instead`, what is shown takes the place of what was: a filter that is typed leaves no steps to go back.
export function go(view, params, instead = false) {
  if (instead) location.replace(to(view, params));
  else location.hash = to(view, params);
}

export function save(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const LONG = 4000; // characters of a text that are drawn before somebody asks for more
const PIECE = 20000; // drawn at once: browsers take seconds to break a megabyte into lines

// What somebody said, formatted as they wrote it and never as the page's own markup. Very long texts open on demand,
// piece by piece; `plain` shows every sign as it was written.
export function Said({ text, whole = text.length, onWhole, mark, plain = false }) {
  const [at, setAt] = useState(null);
  const size = Math.max(whole, text.length);
  const open = () => {
    setAt(0);
    if (whole > text.length && onWhole) onWhole();
  };
  const shown = (part) => (plain ? (mark ? mark(part) : part) : html`<${Markdown} text=${part} mark=${mark} />`);
  if (at === null) {
    return html`<div class="said" dir="auto">${shown(text.length > LONG ? `${firstCharacters(text, LONG)}…` : text)}${
      size > LONG &&
      html`
      <button class="small" onClick=${open}>Show all ${number(size)} characters</button>`
    }</div>`;
  }
  return html`<div class="said" dir="auto">${shown(text.slice(at, at + PIECE))}</div>
    <${Pager} page=${{ total: size }} offset=${at} limit=${PIECE} onMove=${setAt} />`;
}
