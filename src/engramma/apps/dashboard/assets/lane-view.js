// Lanes along time: a row for each session, a dot for each moment, and what a question brings back lit up.
import { html, useEffect, useRef, useState } from './lib.js';
import { get, script } from './api.js';
import { Head, Said, Shown, When, Who, go, number, placeOf, plural, save, to, useData } from './ui.js';
import { colours, graphOf, kindOf, laneSvg, litUp, unpacked } from './drawing.js';
import { lightUp, partsOf, stemsOf } from './passages.js';
import { Rows } from './rows.js';

const SIZES = [150, 300, 600, 1000];
const EDGE = 60; // pixels between a moment and the end of the frame
const ALL = { hidden: [], person: '', since: '', until: '' };
const EMPTY = 'There is nothing to draw here yet. What you import or say to a connected assistant will stand here.';
const SPOKEN = { semantic: 'similar in meaning', chain: 'next in the conversation', typed: 'typed link' };

const legend = (edges) =>
  Object.entries(SPOKEN).filter(([kind]) => kind !== 'typed' || edges.some(([, , own]) => kindOf(own) === kind));

// What has one time, as the sections of a document, stays in its order.
const newestFirst = (a, b) => (a.said_at === b.said_at ? 0 : a.said_at < b.said_at ? 1 : -1);

// How far to scroll to see the latest session: its last moments, or where it begins if it is longer than the frame.
function latestOf({ nodes, lanes }, frame) {
  const scale = frame.scrollWidth / lanes.width;
  const latest = nodes.reduce((best, one) => (one.said_at > best.said_at ? one : best));
  const session = nodes.filter((one) => one.conversation === latest.conversation && one.session === latest.session);
  const [first, last] = [Math.min, Math.max].map((most) => most(...session.map((one) => one.x)) * scale);
  const right = last - frame.clientWidth + EDGE;
  return [Math.max(0, Math.min(right, first - EDGE * 2)), Math.max(0, -latest.y * scale - frame.clientHeight + EDGE)];
}

function Picture({ told, chosen, onChoose, handle }) {
  const box = useRef(null);
  const choose = useRef(onChoose);
  const [ready, setReady] = useState(Boolean(window.graphology));
  const [theme, setTheme] = useState(0);
  choose.current = onChoose;
  useEffect(() => {
    let gone = false;
    script('/assets/vendor/graphology.umd.min.js').then(() => {
      if (!gone) setReady(true);
    });
    const again = () => setTheme((n) => n + 1);
    addEventListener('themechange', again);
    return () => {
      gone = true;
      removeEventListener('themechange', again);
    };
  }, []);
  useEffect(() => {
    if (!ready || !box.current) return;
    const c = colours();
    const graph = graphOf({ ...unpacked(told), topics: false }, ALL, c);
    litUp(graph, new Set(told.nodes.filter((one) => one.lit).map((one) => one.id)), c);
    const drawn = laneSvg(graph, told.lanes, c);
    drawn.style.minWidth = `${told.lanes.width}px`;
    drawn.addEventListener('click', (event) => {
      const found = event.target.closest('[data-id]');
      if (found) choose.current(found.dataset.id);
    });
    box.current.replaceChildren(drawn);
    handle.current = drawn;
  }, [ready, told, theme]);
  useEffect(() => {
    // Without a question the latest session is shown; what a question found may stand anywhere.
    const best = told.nodes.find((one) => one.lit === 1);
    const dots = box.current ? [...box.current.querySelectorAll('[data-id]')] : [];
    const found = best && dots.find((dot) => dot.dataset.id === best.id);
    if (!found) {
      if (box.current && dots.length) box.current.scrollTo(...latestOf(told, box.current));
      return;
    }
    const [dot, frame] = [found.getBoundingClientRect(), box.current.getBoundingClientRect()];
    box.current.scrollBy(dot.x - frame.x - frame.width / 2, dot.y - frame.y - frame.height / 2);
  }, [ready, told]);
  useEffect(() => {
    const dots = box.current ? [...box.current.querySelectorAll('[data-id]')] : [];
    for (const dot of dots) dot.classList.toggle('chosen', dot.dataset.id === chosen);
  }, [chosen, ready, told, theme]);
  // The names of conversations stay in sight, however far one has scrolled.
  const named = () => {
    if (!handle.current || !box.current) return;
    const shift = (box.current.scrollLeft * told.lanes.width) / box.current.scrollWidth;
    for (const one of handle.current.querySelectorAll('.band-name'))
      one.setAttribute('transform', `translate(${shift})`);
  };
  return html`<div class="lane-picture" ref=${box} role="group" tabindex="0" onScroll=${named}
    aria-label=${`${plural(told.nodes.length, 'moment')} and ${plural(told.edges.length, 'link')} along time. The list
    next to it has them as text.`}><p class="quiet pad">Drawing…</p></div>`;
}

function Moment({ node, stems }) {
  const found = useData(
    (signal) => (node ? get('/segment', { id: node.id }, signal) : Promise.resolve(null)),
    [node ? node.id : null],
  );
  if (!node)
    return html`<p class="pad quiet">Every dot is a moment of a conversation. Choose one to read it, or ask something
      to see what lights up.</p>`;
  const parts = found.data && found.data.segment.id === node.id ? partsOf(found.data.segment) : [];
  return html`<div class="pad moment" aria-live="polite"><div class="moment-text" tabindex="0" role="group"
    aria-label="The moment">${parts.map(
      (part, n) => html`<div class="part" key=${n}><${Who} name=${part.speaker} /><${Said} text=${part.text}
      mark=${lightUp(stems)} /></div>`,
    )}${found.error && html`<p class="error" role="alert">${found.error}</p>`}</div>
    <div class="row"><${When} at=${node.said_at} /><a
    href=${placeOf(node.conversation, node.session, node.turn)}>Read in place</a><a
    href=${to('graph', { id: node.id })}>What is around it</a></div></div>`;
}

function Ask({ params }) {
  const [text, setText] = useState(params.q || '');
  useEffect(() => setText(params.q || ''), [params.q]);
  const ask = (event) => {
    event.preventDefault();
    go('graph', { ...params, q: text.trim() });
  };
  return html`<form class="ask" role="search" onSubmit=${ask}><label class="visually-hidden" for="lit">A question
    </label><input id="lit" type="search" placeholder="Ask, and see what lights up…" value=${text}
    onInput=${(event) => setText(event.target.value)} /><button class="primary" type="submit">Light up</button></form>`;
}

export function LaneView({ params, tabs }) {
  const most = Number(params.most) || 300;
  const offset = Number(params.offset) || 0;
  const facets = useData((signal) => get('/dashboard/facets', {}, signal), []);
  const asked = { q: params.q, person: params.by, since: params.since, until: params.until, offset, most };
  const found = useData((signal) => get('/dashboard/lanes', asked, signal), [JSON.stringify(asked)]);
  const [chosen, setChosen] = useState(null);
  const handle = useRef(null);
  const d = found.data;
  useEffect(() => {
    const best = d && d.nodes.find((one) => one.lit === 1);
    setChosen(best ? best.id : null);
  }, [d]);
  const set = (name) => (event) => go('graph', { ...params, [name]: event.target.value, offset: '' });
  const lit = d ? d.nodes.filter((one) => one.lit).sort((a, b) => a.lit - b.lit) : [];
  const listed = lit.length ? lit : d ? [...d.nodes].sort(newestFirst) : [];
  const asSvg = () => {
    const whole = handle.current.cloneNode(true);
    for (const name of whole.querySelectorAll('.band-name')) name.removeAttribute('transform');
    save(new Blob([new XMLSerializer().serializeToString(whole)], { type: 'image/svg+xml' }), 'engramma.svg');
  };
  const move = (next) => go('graph', { ...params, offset: next || '' });
  const none = asked.person || asked.since || asked.until ? 'Nothing was said within these bounds.' : EMPTY;
  return html`<${Head} title="Graph"><button class="small" onClick=${asSvg} disabled=${!d || !d.nodes.length}>Save
    SVG</button><//>${tabs}
    <${Ask} params=${params} />
    <div class="fields"><label>Said by<select value=${params.by || ''} onChange=${set('by')}><option
      value="">anybody</option>${(facets.data ? facets.data.people : []).map((one) => html`<option key=${one.name}
      value=${one.name}>${one.name}</option>`)}</select></label>
      <label>From<input type="date" value=${params.since || ''} onChange=${set('since')} /></label>
      <label>Before<input type="date" value=${params.until || ''} onChange=${set('until')} /></label>
      <label>At most<select value=${most} onChange=${set('most')}>${SIZES.map((n) => html`<option key=${n} value=${n}>
      ${number(n)} moments</option>`)}</select></label></div><br />
    <${Shown} of=${found} empty=${d && !d.nodes.length ? none : null}>${
      d &&
      html`<div class="graph-grid"><div class="card"><${Picture} told=${d} chosen=${chosen} onChoose=${setChosen}
        handle=${handle} />
        <div class="keys">${legend(d.edges).map(
          ([kind, text]) => html`<span key=${kind}><span class=${`swatch ${kind}`}></span>${text}</span>`,
        )}<span>${lit.length ? `${number(lit.length)} of ` : ''}${plural(d.nodes.length, 'moment')}${
          lit.length ? ' lit up' : ''
        }</span>
        </div>
        ${(d.more || offset > 0) && html`<nav class="pager" aria-label="Time"><button disabled=${!d.more}
          onClick=${() => move(offset + most)}>← Earlier</button><button disabled=${!offset}
          onClick=${() => move(Math.max(0, offset - most))}>Later →</button></nav>`}</div>
      <div class="card"><h2>${lit.length ? 'What lit up' : 'Moments'}</h2>
        <${Moment} node=${d.nodes.find((one) => one.id === chosen)} stems=${stemsOf(params.q || '')} />
        <${Rows} items=${listed} label="Moments in the picture">${(node) => html`<button key=${node.id}
        aria-pressed=${node.id === chosen} onClick=${() => setChosen(node.id)}><strong><bdi>
          ${node.speakers.join(', ')}</bdi></strong> <span dir="auto">${node.label}</span></button>`}<//></div></div>`
    }<//>`;
}
