// The playground: ask, see what came back and why, and read exactly what an assistant would be handed.
import { html, useState, useEffect, useMemo, useRef } from '../lib.js';
import { get, post } from '../api.js';
import { Failed, Head, go, number, plural, sentence, useData, useToast } from '../ui.js';
import { Hit, bestOf } from '../hits.js';
import { stemsOf } from '../passages.js';
import { Verdict } from '../verdict.js';

const SHOWN = 5; // cards before somebody asks for more
const FIGURES = / \(nearest [^)]*\)$/; // of a note, for those who ask with --explain
const USUAL = 'best'; // the recipe of somebody who looks: the best order, in a little more time

function Answer({ question, recipe, show }) {
  const [marks, setMarks] = useState({});
  const [all, setAll] = useState(false);
  const stems = useMemo(() => stemsOf(question.query), [question.query]);
  const found = useData(
    (signal) => post('/recall', { ...question, recipe }, {}, signal),
    [JSON.stringify(question), recipe],
  );
  useEffect(() => {
    setMarks({});
    setAll(false);
  }, [JSON.stringify(question), recipe]);
  if (found.error) return html`<${Failed} of=${found} />`;
  if (!found.data || found.busy) return html`<p class="card pad quiet" role="status">Recalling…</p>`;
  const { candidates, context, tokens, trace } = found.data;
  const best = bestOf(candidates);
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
  const cards = (hits, from) =>
    hits.map(
      (hit, n) => html`<${Hit} key=${hit.segment_id} hit=${hit} rank=${from + n} best=${best} texts=${texts}
        stems=${stems} mark=${marks[hit.segment_id]}
        onMark=${(value) => setMarks({ ...marks, [hit.segment_id]: value })} />`,
    );
  const entries = candidates.filter((hit) => hit.role === 'entry');
  const around = candidates.filter((hit) => hit.role !== 'entry');
  const [first, more] = all ? [entries, []] : [entries.slice(0, SHOWN), entries.slice(SHOWN)];
  const left = trace.counts.left_out_of_context;
  const by = recipe === USUAL ? '' : ` with ${recipe}`;
  return html`<section class="stack found" aria-label=${`Results of ${recipe}`}>
    <p class="quiet tiny">${
      entries.length ? `${plural(entries.length, 'match', 'matches')}${by}, best first, in ` : `Nothing fits${by}: `
    }${number(Math.round(total))} ms${trace.notes.map((note) => `. ${sentence(note.replace(FIGURES, ''))}`)}</p>
    <ol class="hits">${cards(first, 1)}</ol>
    ${more.length > 0 && html`<p><button onClick=${() => setAll(true)}>Show ${number(more.length)} more</button></p>`}
    ${
      around.length > 0 &&
      html`<details class="card around"><summary>What surrounds them <span class="quiet">
      ${plural(around.length, 'segment')}, said next to them or linked by meaning</span></summary><ol class="hits">
      ${cards(around, entries.length + 1)}</ol></details>`
    }
    ${marked > 0 && html`<div class="card bulk row"><span class="grow quiet">Links that led to useful segments gain
      weight; others lose some.</span><button class="primary" onClick=${send}>Send feedback</button></div>`}
    <details class="card"><summary>What an assistant receives <span class="quiet">${plural(tokens, 'token')}${
      left ? `; ${plural(left, 'segment')} did not fit the budget` : ''
    }</span></summary>
      <pre class="handed" tabindex="0" aria-label="Text for the assistant">${context}</pre></details>
    </section>`;
}

export function Recall({ params }) {
  const recipes = useData((signal) => get('/recipes', {}, signal), []);
  const [text, setText] = useState(params.q || '');
  const [toast, show] = useToast();
  const box = useRef(null);
  useEffect(() => {
    setText(params.q || '');
  }, [params.q]);
  const names = recipes.data ? recipes.data.map((one) => one.name) : [USUAL];
  const recipe = params.recipe || USUAL;
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
      <input id="question" ref=${box} type="search" dir="auto" placeholder="Ask your memory something…" value=${text}
      onInput=${(event) => setText(event.target.value)} />
      <button class="primary" type="submit">Recall</button></form>
    <details class="options" open=${Boolean(params.recipe || params.beside || params.budget || params.k)}><summary
      >Options</summary><div class="fields">
      <label>Recipe${pick('recipe', recipe)}</label>
      <label>Compare with${pick('beside', params.beside, 'nothing')}</label>
      <label>Budget<select value=${params.budget || ''} onChange=${(event) => change({ budget: event.target.value })}>
        <option value="">no limit</option>${[200, 500, 1000, 2000, 4000].map((n) => html`<option key=${n} value=${n}>
        ${number(n)} tokens</option>`)}</select></label>
      <label>Entries<select value=${k} onChange=${(event) => change({ k: event.target.value })}>
      ${[3, 5, 10, 20].map((n) => html`<option key=${n} value=${n}>${n}</option>`)}</select></label>
    </div>
    <p class="quiet tiny">${purpose}</p></details>
    ${
      question
        ? html`<div class="stack"><${Verdict} question=${params.q} /><div class=${params.beside ? 'two' : ''}>
        <${Answer} question=${question} recipe=${recipe} show=${show} />
        ${params.beside && html`<${Answer} question=${question} recipe=${params.beside} show=${show} />`}</div></div>`
        : html`<p class="card pad quiet">Ask in your own words. You will see the answer if there is one, the best of
          what was said about it, why each was found, and the text an assistant would get.</p>`
    }
    ${toast}`;
}
