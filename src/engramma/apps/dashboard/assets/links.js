// Typed links at a segment or a note, to be made, changed and taken away by hand.
import { html, useState } from './lib.js';
import { firstCharacters } from './cutting.js';
import { get, post, remove } from './api.js';
import { number, useData } from './ui.js';

const KINDS = ['related_to', 'supports', 'contradicts', 'part_of', 'caused_by', 'before', 'after'];
const named = (kind) => kind.replace(/_/g, ' ');

// The act of what was just done to a link: the newest that names it.
async function actOn(link) {
  const acts = await get('/acts', { limit: 50 });
  const same = (act) => ['source', 'kind', 'target'].every((part) => act.detail[part] === link[part]);
  return acts.find((act) => (act.kind === 'link' || act.kind === 'unlink') && !act.undone_at && same(act))?.id;
}

async function put(link) {
  await post('/links', {
    source: link.source,
    kind: link.kind,
    target: link.target,
    weight: link.weight,
    label: link.label || null,
  });
  return actOn(link);
}

async function drop(link) {
  await remove('/links', { source: link.source, kind: link.kind, target: link.target });
  return actOn(link);
}

function KindSelect({ value, onChange, label }) {
  const known = KINDS.includes(value);
  return html`<select aria-label=${label} value=${value} onChange=${onChange} disabled=${!known}>${known || html`
    <option value=${value}>${named(value)}</option>`}${KINDS.map((kind) => html`<option key=${kind} value=${kind}>
    ${named(kind)}</option>`)}</select>`;
}

function Row({ link, id, words, onKind, onWeight, onRemove }) {
  const out = link.source === id;
  const other = out ? link.target : link.source;
  const text = words[other] || other;
  const short = firstCharacters(text, 50);
  return html`<li><span class="grow"><span class="tag">${out ? 'this' : 'that'}</span> ${named(link.kind)} <span
    class="tag">${out ? 'that' : 'this'}</span> <span dir="auto" class="said">${text}</span>
      ${link.author !== 'user' && html`<span class="quiet tiny">by <bdi>${link.author}</bdi></span>`}</span>
    <span class="row"><${KindSelect} label=${`Kind of the link with ${short}`} value=${link.kind}
    onChange=${(event) => onKind(event.target.value)} />
    <input class="weight" type="number" min="0.05" max="1" step="0.05" aria-label=${`Weight of the link with ${short}`}
    value=${link.weight.toFixed(2)} disabled=${!KINDS.includes(link.kind)}
      onChange=${(event) => onWeight(Number(event.target.value))} />
    <button class="small" aria-label=${`Remove the link with ${short}`} onClick=${onRemove}>Remove</button></span>
    </li>`;
}

function NewLink({ id, onAdd }) {
  const [words, setWords] = useState('');
  const [found, setFound] = useState(null);
  const [kind, setKind] = useState(KINDS[0]);
  const [weight, setWeight] = useState('1');
  const [error, setError] = useState('');
  const look = async (event) => {
    event.preventDefault();
    setError('');
    try {
      setFound(await get('/dashboard/targets', { q: words.trim(), id }));
    } catch (problem) {
      setError(problem.message);
    }
  };
  const add = async (target) => {
    await onAdd({ source: id, kind, target, weight: Number(weight) });
    setFound(null);
    setWords('');
  };
  return html`<form class="stack" onSubmit=${look}><div class="row">
      <label class="grow">Link it to<input type="search" dir="auto" placeholder="words, or an id" value=${words}
      onInput=${(event) => setWords(event.target.value)} /></label>
      <label>Kind<select value=${kind} onChange=${(event) => setKind(event.target.value)}>${KINDS.map((one) => html`
      <option key=${one} value=${one}>${named(one)}</option>`)}</select></label>
      <label>Weight<input class="weight" type="number" min="0.05" max="1" step="0.05" value=${weight}
      onInput=${(event) => setWeight(event.target.value)} /></label>
      <button type="submit" disabled=${!words.trim()}>Find</button></div>
    <p class="error" role="alert">${error}</p>
    ${found && !found.length && html`<p class="quiet">Nothing matches these words.</p>`}
    ${
      found &&
      found.length > 0 &&
      html`<ul class="log roomy" aria-label="What to link it to">${found.map(
        (
          one,
        ) => html`<li key=${one.id}><span class="grow"><bdi>${one.speakers.join(', ')}</bdi>: <span dir="auto">
          ${one.text}</span></span>
      <button type="button" class="small" aria-label=${`Link to ${firstCharacters(one.text, 50)}`}
      onClick=${() => add(one.id)}>Link</button></li>`,
      )}</ul>`
    }</form>`;
}

export function Links({ id, show, onChange = () => {} }) {
  const links = useData((signal) => get('/dashboard/links', { id }, signal), [id]);
  const again = () => {
    links.reload();
    onChange();
  };
  const done = async (text, work) => {
    try {
      const acts = (await work()).filter(Boolean);
      show(
        text,
        acts.length
          ? async () => {
              try {
                for (const act of acts.reverse()) await post('/undo', { act });
                show('Undone.');
              } catch (error) {
                show(error.message);
              }
              again();
            }
          : undefined,
      );
    } catch (error) {
      show(error.message);
    }
    again();
  };
  const d = links.data;
  return html`<section class="links" aria-label="Links"><h3>Links${d && html` <span class="quiet tiny">
    ${number(d.items.length)}</span>`}</h3>
    ${links.error && html`<p class="error" role="alert">${links.error}</p>`}
    ${
      d &&
      d.items.length > 0 &&
      html`<ul class="log roomy">${d.items.map(
        (
          link,
        ) => html`<${Row} key=${`${link.source} ${link.kind} ${link.target}`} link=${link} id=${id} words=${d.words}
      onRemove=${() => done('Link removed.', async () => [await drop(link)])}
      onWeight=${(weight) =>
        done('Weight changed.', async () => {
          const act = await put({ ...link, weight });
          link.weight = weight; // what is changed next, before the list is there again, keeps it
          return [act];
        })}
      onKind=${(kind) => done('Kind changed.', async () => [await put({ ...link, kind }), await drop(link)])} />`,
      )}</ul>`
    }
    ${d && !d.items.length && html`<p class="quiet">There are no links yet.</p>`}
    <${NewLink} key=${id} id=${id} onAdd=${(link) => done('Linked.', async () => [await put(link)])} /></section>`;
}
