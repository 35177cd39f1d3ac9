// The playground: ask, see what came back and why, and read exactly what an assistant would be handed.
import { html, useState, useEffect, useRef } from '../lib.js';
import { get, post } from '../api.js';
import { Head, Said, When, Who, go, number, placeOf, plural, to, useData, useToast } from '../ui.js';
import { Verdict } from '../verdict.js';

const NAMES = { semantic: 'meaning', lexical: 'words', graph: 'graph' };
const EDGES = { chain: 'chain', semantic: '' };

function roleOf(hit) {
  if (hit.role === 'expanded') return hit.path ? hit.path.kind : 'expanded';
  const found = Object.keys(hit.channels);
  return found.length === 1 && found[0] === 'graph' ? 'graph' : 'entry';
}

// Each channel's score as a share of the best one of this answer; cosines and BM25 have no common scale.
function Bars({ hit, best }) {
  const rows = Object.entries(hit.channels);
  const full = (value, most) => `${Math.max(2, Math.round((100 * Math.max(0, value)) / (most || 1)))}%`;
  return html`<div class="bars">
    <span>score</span><span class="bar"><span class="score" style=${{ width: full(hit.score, best.score) }}></span>
    </span><span>${hit.score.toFixed(3)}</span>
    ${rows.map(
      ([name, at]) => html`<span>${NAMES[name] || name}</span>
      <span class="bar"><span class=${name} style=${{ width: full(at.score, best[name]) }}></span></span>
      <span>#${at.rank} · ${at.score.toFixed(name === 'lexical' ? 1 : 3)}</span>`,
    )}
  </div>`;
}

function Way({ path, texts }) {
  const label = (id) => {
    const text = texts.get(id);
    return text ? `“${text.slice(0, 60)}”` : id;
  };
  const typed = EDGES[path.edge] === undefined;
  const steps = path.steps > 1 ? `, ${path.steps} steps` : '';
  return html`<div class="way" aria-label="Path">
    <a href=${to('graph', { id: path.from_segment })} title=${path.from_segment}><bdi>${label(path.from_segment)}</bdi>
    </a>
    <span class=${`link ${typed ? 'typed' : EDGES[path.edge]}`}>${path.edge} ${path.weight.toFixed(2)}${steps}</span>
    <span>→ here</span></div>`;
}

function Hit({ hit, rank, best, texts, mark, onMark }) {
  const role = roleOf(hit);
  const source = placeOf(hit.conversation_id, hit.session_id, hit.turn_ids[0]);
  const evidence = Object.entries(hit.evidence).sort((a, b) => b[1] - a[1]);
  const press = (value) =>
    html`<button class="small" aria-pressed=${mark === value} onClick=${() => onMark(mark === value ? null : value)}>
      ${value === 'yes' ? 'Useful' : 'Not useful'}</button>`;
  return html`<li class="hit">
    <div class="top"><span class="rank">${rank}</span>${hit.speakers.map((name) => html`<${Who} key=${name}
    name=${name} />`)}<${When} at=${hit.said_at} /><span class=${`tag role-${role}`}>${role}</span></div>
    <${Said} text=${hit.text} whole=${hit.text.length} />
    ${hit.path && html`<${Way} path=${hit.path} texts=${texts} />`}
    ${hit.links.map((link) => html`<${Way} path=${link} texts=${texts} />`)}
    <${Bars} hit=${hit} best=${best} />
    ${
      evidence.length > 0 &&
      html`<details><summary>Evidence</summary><div class="bars">${evidence.map(
        ([name, value]) => html`
      <span>${name.replace(/_/g, ' ')}</span><span class="bar"><span
      style=${{ width: `${Math.max(0, Math.min(100, (100 * value) / Math.max(...evidence.map((e) => e[1]), 0.001)))}%` }}></span></span><span>${value >= 0 ? '+' : ''}${value.toFixed(2)}</span>`,
      )}</div></details>`
    }
    <div class="row"><a href=${source}>Read in place</a><a href=${to('graph', { id: hit.segment_id })}>Show in
    graph</a><span class="grow"></span>${press('yes')}${press('no')}</div>
  </li>`;
}

function Answer({ question, recipe, show }) {
  const [marks, setMarks] = useState({});
  const found = useData(
    (signal) => post('/recall', { ...question, recipe }, {}, signal),
    [JSON.stringify(question), recipe],
  );
  useEffect(() => setMarks({}), [JSON.stringify(question), recipe]);
  if (found.error) return html`<p class="card pad error" role="alert">${found.error}</p>`;
  if (!found.data || found.busy) return html`<p class="card pad quiet" role="status">Recalling…</p>`;
  const { candidates, context, tokens, trace } = found.data;
  const best = { score: Math.max(...candidates.map((hit) => hit.score), 0) };
  for (const hit of candidates)
    for (const [name, at] of Object.entries(hit.channels)) best[name] = Math.max(best[name] || 0, at.score);
  const texts = new Map(candidates.map((hit) => [hit.segment_id, hit.text]));
  const total = Object.values(trace.timings_ms).reduce((sum, one) => sum + one, 0);
  const marked = Object.values(marks).filter(Boolean).length;
  const send = async () => {
    const yes = candidates.filter((hit) => marks[hit.segment_id] === 'yes');
    const used = yes.length ? yes : candidates.filter((hit) => marks[hit.segment_id] !== 'no');
    try {
      const { act } = await post('/feedback', { ...question, recipe, used: used.map((hit) => hit.segment_id) });
      setMarks({});
      if (act)
        show('Saved: links that led to useful segments are now stronger.', async () => {
          await post('/undo', { act: act.id });
          show('Undone.');
        });
      else show('Saved. No link led to this, so no weight changed.');
    } catch (error) {
      show(error.message);
    }
  };
  return html`<div class="stack">
    <details class="card" open><summary>What an assistant receives <span class="quiet">${plural(tokens, 'token')}
    </span></summary>
      <pre class="handed" tabindex="0" aria-label="Text for the assistant">${context}</pre></details>
    <section class="card" aria-label=${`Results of ${recipe}`}>
      <p class="pad quiet tiny">
      ${plural(candidates.length, 'segment')} with ${recipe}, ${total.toFixed(0)} ms${trace.counts.left_out_of_context ? `, ${trace.counts.left_out_of_context} did not fit the budget` : ''}${trace.notes.map((note) => `. ${note}`)}</p>
      <ol>${candidates.map(
        (hit, n) => html`<${Hit} key=${hit.segment_id} hit=${hit} rank=${n + 1} best=${best} texts=${texts}
        mark=${marks[hit.segment_id]} onMark=${(value) => setMarks({ ...marks, [hit.segment_id]: value })} />`,
      )}</ol>
      ${marked > 0 && html`<div class="bulk row"><span class="grow quiet">Links that led to useful segments gain
        weight; others lose some.</span><button class="primary" onClick=${send}>Send feedback</button></div>`}
    </section></div>`;
}

export function Recall({ params }) {
  const recipes = useData((signal) => get('/recipes', {}, signal), []);
  const [text, setText] = useState(params.q || '');
  const [toast, show] = useToast();
  const box = useRef(null);
  useEffect(() => {
    setText(params.q || '');
  }, [params.q]);
  const names = recipes.data ? recipes.data.map((one) => one.name) : ['default'];
  const recipe = params.recipe || 'default';
  const budget = Number(params.budget) || null;
  const k = Number(params.k) || 10;
  const change = (more) => go('recall', { ...params, ...more });
  const ask = (event) => {
    event.preventDefault();
    if (text.trim()) change({ q: text.trim() });
  };
  const question = params.q ? { query: params.q, k, budget_tokens: budget } : null;
  const purpose = recipes.data ? (recipes.data.find((one) => one.name === recipe) || {}).purpose : '';
  const pick = (
    name,
    value,
    empty,
  ) => html`<select value=${value || ''} onChange=${(event) => change({ [name]: event.target.value })}>
    ${empty && html`<option value="">${empty}</option>`}${names.map((one) => html`<option key=${one} value=${one}>
      ${one}</option>`)}</select>`;
  return html`<${Head} title="Recall" />
    <form class="ask" onSubmit=${ask} role="search"><label class="visually-hidden" for="question">Your question</label>
      <input id="question" ref=${box} type="search" placeholder="Ask your memory something…" value=${text}
      onInput=${(event) => setText(event.target.value)} />
      <button class="primary" type="submit">Recall</button></form>
    <div class="fields">
      <label>Recipe${pick('recipe', recipe)}</label>
      <label>Compare with${pick('beside', params.beside, 'nothing')}</label>
      <label>Budget<select value=${params.budget || ''} onChange=${(event) => change({ budget: event.target.value })}>
        <option value="">no limit</option>${[200, 500, 1000, 2000, 4000].map((n) => html`<option key=${n} value=${n}>
        ${number(n)} tokens</option>`)}</select></label>
      <label>Entries<select value=${k} onChange=${(event) => change({ k: event.target.value })}>
      ${[3, 5, 10, 20].map((n) => html`<option key=${n} value=${n}>${n}</option>`)}</select></label>
    </div>
    <p class="quiet tiny">${purpose}</p>
    ${
      question
        ? html`<div class="stack"><${Verdict} question=${params.q} /><div class=${params.beside ? 'two' : ''}>
        <${Answer} question=${question} recipe=${recipe} show=${show} />
        ${params.beside && html`<${Answer} question=${question} recipe=${params.beside} show=${show} />`}</div></div>`
        : html`<p class="card pad quiet">Ask in your own words. You will see what is found, through which channel,
          along which links, and the text an assistant would get.</p>`
    }
    ${toast}`;
}
