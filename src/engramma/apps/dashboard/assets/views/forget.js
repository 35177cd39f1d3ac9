// Let go, with a look at what will go first; and take everything with you.
import { html, useState } from '../lib.js';
import { get, pathTo, post } from '../api.js';
import { Dialog, Head, Reason, Shown, When, plural, useData, useToast } from '../ui.js';
import { Backups } from '../backups.js';

const FIELDS = [
  ['query', 'Contains', 'search'],
  ['speaker', 'Said by', 'text'],
  ['conversation', 'Conversation', 'text'],
  ['session', 'Session', 'text'],
  ['since', 'From', 'date'],
  ['until', 'Before', 'date'],
  ['ids', 'Ids, separated by commas', 'text'],
];

function boundsIn(form) {
  const bounds = {};
  for (const [name] of FIELDS) if (form[name] && form[name].trim()) bounds[name] = form[name].trim();
  if (bounds.ids)
    bounds.ids = bounds.ids
      .split(',')
      .map((id) => id.trim())
      .filter(Boolean);
  return bounds;
}

function Preview({ seen }) {
  return html`<div class="stack"><p><strong>${plural(seen.turns, 'turn')}
    </strong> in ${plural(seen.segments, 'segment')} of ${plural(seen.sessions, 'session')}${seen.repeats ? `, and ${plural(seen.repeats, 'repeat')}` : ''} would be forgotten.</p>
    ${seen.sample.length > 0 && html`<ul class="log" aria-label="The first of them">
      ${seen.sample.map((text, n) => html`<li key=${n}><span class="grow said">${text}</span></li>`)}</ul>`}</div>`;
}

function Purge({ bounds, act, turns, onDone, onClose }) {
  const word = `purge ${turns}`;
  const [typed, setTyped] = useState('');
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  const purge = async (event) => {
    event.preventDefault();
    setBusy(true);
    try {
      onDone(await post('/purge', { ...(act ? { act } : bounds), confirm: true }));
    } catch (problem) {
      setError(problem.message);
      setBusy(false);
    }
  };
  return html`<${Dialog} title="Purge permanently" onClose=${onClose}><form onSubmit=${purge}>
    <p class="warn">${plural(turns, 'turn')} will be deleted from every file: text, vectors, links, archive. Nothing
    brings them back, not even importing them again. Existing backups still contain them until you delete those.</p>
    <label>Type <strong>${word}</strong> to confirm<input type="text" autocomplete="off" value=${typed}
    onInput=${(event) => setTyped(event.target.value)} /></label>
    <p class="error" role="alert">${error}</p>
    <div class="row"><button type="button" onClick=${onClose}>Cancel</button><button class="danger" type="submit"
    disabled=${typed.trim() !== word || busy}>${busy ? 'Purging…' : 'Purge'}</button></div></form><//>`;
}

export function Forget({ params }) {
  const [form, setForm] = useState({ ...params });
  const [seen, setSeen] = useState(null);
  const [error, setError] = useState('');
  const [purging, setPurging] = useState(null);
  const [toast, show] = useToast();
  const acts = useData((signal) => get('/acts', { limit: 50 }, signal), []);
  const bounds = boundsIn(form);
  const any = Object.keys(bounds).length > 0;
  const set = (name) => (event) => {
    setForm({ ...form, [name]: event.target.value });
    setSeen(null);
  };
  const tried = async (work) => {
    setError('');
    try {
      await work();
    } catch (problem) {
      setError(problem.message);
    }
  };
  const look = (event) => {
    event.preventDefault();
    tried(async () => setSeen(await post('/forget', { ...bounds, preview: true })));
  };
  const undo = (act) =>
    tried(async () => {
      await post('/undo', { act });
      show('Undone: it is back.');
      acts.reload();
    });
  const forget = () =>
    tried(async () => {
      const gone = await post('/forget', bounds);
      setSeen(null);
      acts.reload();
      show(`${plural(gone.turns, 'turn')} forgotten.`, () => undo(gone.act));
    });
  const purged = (gone) => {
    setPurging(null);
    setSeen(null);
    acts.reload();
    show(
      `${plural(gone.turns, 'turn')} purged.${gone.backups.length ? ` Existing backups still contain it; delete them under Backup: ${gone.backups.map((path) => path.split('/').pop()).join(', ')}` : ''}`,
    );
  };
  const hidden = (acts.data || []).filter((act) => act.kind === 'forget' || act.kind === 'purge');
  return html`<${Head} title="Forget & export" /><div class="stack">
    <section class="card"><h2>Forget</h2><form class="pad" onSubmit=${look}>
      <p class="quiet">This affects what matches all criteria. Forgetting hides it and can be undone; purging deletes
      it from every file.</p>
      <div class="fields">${FIELDS.map(([name, label, type]) => html`<label key=${name}>${label}<input type=${type}
      value=${form[name] || ''} onInput=${set(name)} /></label>`)}</div>
      <p class="row gap"><button class="primary" type="submit" disabled=${!any}>Preview</button></p>
      <p class="error" role="alert">${error}</p>
      ${
        seen &&
        html`<${Preview} seen=${seen} />${
          seen.turns + seen.repeats > 0 &&
          html`<div class="row"><button onClick=${forget} type="button">Forget (can be undone)</button>
        <button class="danger" type="button" onClick=${() => setPurging({ bounds, turns: seen.turns })}>Purge
        permanently…</button></div>`
        }`
      }
    </form></section>
    <section class="card"><h2>Forgotten so far</h2><${Shown} of=${acts}
    empty=${acts.data && !hidden.length ? 'Nothing was forgotten.' : null}><ul class="log">${hidden.map(
      (act) => html`<li key=${act.id}>
      <${When} at=${act.at} day /><span class="grow"><span class="tag">${act.kind}
      </span> <${Reason} text=${act.reason} />${act.undone_at ? html` <span class="quiet">(undone)</span>` : ''}</span>
      ${act.kind === 'forget' && !act.undone_at && html`<button class="small"
        onClick=${() => undo(act.id)}>Undo</button>`}</li>`,
    )}</ul><//></section>
    <section class="card"><h2>Export</h2><div class="pad stack">
      <p class="row"><a class="grow" href=${pathTo('/export')} download>JSON lines</a><span class="quiet">Everything,
      with notes and links. Importing it gives the same memory.</span></p>
      <p class="row"><a class="grow" href=${pathTo('/dashboard/vault.zip')} download>Markdown vault (zip)</a><span
      class="quiet">A folder for Obsidian: one page per session, person, note and topic, connected by wikilinks.</span>
        </p>
    </div></section>
    <${Backups} show=${show} onRestored=${() => acts.reload()} /></div>
    ${purging && html`<${Purge} ...${purging} onDone=${purged} onClose=${() => setPurging(null)} />`}${toast}`;
}
