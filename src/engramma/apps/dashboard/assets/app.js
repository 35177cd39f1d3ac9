// The page: navigation, colours, namespace, and the view that the address names.
import { html, render, useState, useEffect, useRef } from './lib.js';
import { begin, get, leave, setNamespace } from './api.js';
import { arrive, takePlace } from './places.js';
import { Overview } from './views/overview.js';
import { Recall } from './views/recall.js';
import { Conversations } from './views/conversations.js';
import { Graph } from './views/graph.js';
import { People } from './views/people.js';
import { Notes } from './views/notes.js';
import { Review } from './views/review.js';
import { Forget } from './views/forget.js';
import { Live } from './views/live.js';

const VIEWS = [
  ['overview', 'Overview', Overview, 'M4 13h7V4H4zM13 20h7v-9h-7zM13 4v5h7V4zM4 20h7v-5H4z'],
  ['recall', 'Recall', Recall, 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5 20 20'],
  ['conversations', 'Conversations', Conversations, 'M4 5h16v11H9l-5 4z'],
  [
    'graph',
    'Graph',
    Graph,
    'M6 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM18 11a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM10 20a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7.8 6.6 16 8.4M7 8l2.5 8M16.5 10.5 11.5 16.5',
  ],
  [
    'people',
    'People',
    People,
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 20c0-3.5 2.5-6 6-6s6 2.5 6 6M16 4.5a3.5 3.5 0 0 1 0 6.5M18 14.5c2 .8 3 2.8 3 5.5',
  ],
  ['notes', 'Notes', Notes, 'M6 4h9l4 4v12H6zM9 10h6M9 14h6'],
  ['review', 'Review', Review, 'M4 12l5 5L20 6'],
  ['forget', 'Forget & export', Forget, 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13'],
  ['live', 'Live', Live, 'M4 12h4l2-7 4 14 2-7h4'],
];

function address() {
  const [name, ...query] = location.hash.replace(/^#\/?/, '').split('?');
  const known = VIEWS.find(([id]) => id === name);
  return { view: known ? name : 'overview', params: Object.fromEntries(new URLSearchParams(query.join('?'))) };
}

function Icon({ path }) {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d=${path} /></svg>`;
}

function ThemeSwitch() {
  const system = () => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  const [theme, setTheme] = useState(document.documentElement.dataset.theme || system());
  const other = theme === 'dark' ? 'light' : 'dark';
  const flip = () => {
    document.documentElement.dataset.theme = other;
    try {
      localStorage.setItem('engramma-theme', other);
    } catch (error) {
      /* storage may be off */
    }
    setTheme(other);
    dispatchEvent(new Event('themechange'));
  };
  return html`<button class="plain" onClick=${flip}>${other === 'dark' ? 'Dark' : 'Light'} colours</button>`;
}

// Pages of their own: a list and what it leads to are two, however a list is filtered.
const pageOf = ({ view, params: p }) => [view, ...(view === 'graph' ? [] : [p.session, p.name, p.id])].join('\n');

const typing = (main) => main.contains(document.activeElement) && document.activeElement.matches('input, textarea');

function App({ told }) {
  const [at, setAt] = useState(address());
  const [spaces, setSpaces] = useState([]);
  const [space, setSpace] = useState(told.namespace);
  const main = useRef(null);
  useEffect(() => {
    const moved = () =>
      setAt((old) => {
        const next = address();
        const isSamePage = pageOf(next) === pageOf(old);
        arrive(isSamePage);
        if (!isSamePage)
          requestAnimationFrame(() => {
            takePlace();
            if (typing(main.current)) return; // on a slow machine somebody may be faster than the frame
            main.current.querySelector('h1')?.focus({ preventScroll: true });
          });
        return next;
      });
    addEventListener('hashchange', moved);
    get('/namespaces')
      .then((list) => setSpaces(list.map((one) => one.name)))
      .catch(() => {});
    return () => removeEventListener('hashchange', moved);
  }, []);
  useEffect(() => {
    document.querySelector('nav a[aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' });
  }, [at.view]);
  const choose = (event) => {
    setNamespace(event.target.value);
    setSpace(event.target.value);
  };
  const View = VIEWS.find(([id]) => id === at.view)[2];
  return html`
    <a class="skip" href="#main" onClick=${(event) => {
      event.preventDefault();
      main.current.focus();
    }}>Skip to content</a>
    <div class="frame">
      <header class="side">
        <div class="brand"><img src="/assets/icon.svg" alt="" width="28" height="28" /><span>Engramma</span></div>
        <nav aria-label="Views"><ul>${VIEWS.map(
          ([id, title, , path]) => html`
          <li key=${id}><a href=${`#/${id}`} aria-current=${id === at.view ? 'page' : null}>
            <${Icon} path=${path} /><span>${title}</span></a></li>`,
        )}</ul></nav>
        <div class="foot">
          ${
            spaces.length > 1 &&
            html`<label>Namespace
            <select value=${space} onChange=${choose}>${spaces.map((name) => html`<option key=${name}>${name}
            </option>`)}</select></label>`
          }
          <${ThemeSwitch} />
          <button class="plain" onClick=${leave}>Log out</button>
          <p class="quiet tiny">Version ${told.version}${told.read_only ? ', read-only' : ''}</p>
        </div>
      </header>
      <main id="main" ref=${main} tabindex="-1"><${View} key=${`${space}/${at.view}`} params=${at.params} told=${told}
      /></main>
    </div>`;
}

begin().then(
  (told) => {
    told.namespace = address().params.in || told.namespace;
    setNamespace(told.namespace);
    document.getElementById('app').replaceChildren();
    render(html`<${App} told=${told} />`, document.getElementById('app'));
  },
  (error) => {
    document.getElementById('app').textContent = error.message;
  },
);
