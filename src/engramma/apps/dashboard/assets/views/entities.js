// Who and what was named: find it, call it otherwise, say that several are one, take it out of sight, and take that back.
import { html, useState } from '../lib.js';
import { get, patch, post } from '../api.js';
import { MergeEntities } from '../merge-entities.js';
import { Dialog, Filter, Pager, Shown, When, Who, go, number, plural, to, undoing, useData, useToast } from '../ui.js';

const PAGE = 50;
const SORTS = [
  ['mentions', 'By mentions'],
  ['name', 'A to Z'],
  ['type', 'By type'],
];
const TYPES = ['person', 'pet', 'organisation', 'place', 'project', 'event', 'tool', 'thing'];
const namesIn = (text) => [
  ...new Set(
    text
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
  ),
];

function Editor({ entity, types, onDone, onClose }) {
  const [name, setName] = useState(entity.name);
  const [type, setType] = useState(entity.type);
  const [aliases, setAliases] = useState('');
  const [error, setError] = useState('');
  const all = [...new Set([entity.type, ...TYPES, ...types])];
  const keep = async (event) => {
    event.preventDefault();
    const given = { aliases: namesIn(aliases) };
    if (name.trim() !== entity.name) given.name = name.trim();
    if (type !== entity.type) given.type = type;
    if (!given.name && !given.type && !given.aliases.length) {
      onClose();
      return;
    }
    try {
      const { act } = await patch(`/entities/${entity.key}`, given);
      onDone('Changed. Your change stays, whatever is said later.', act);
    } catch (problem) {
      setError(problem.message);
    }
  };
  return html`<${Dialog} title="Edit entity" onClose=${onClose}><form onSubmit=${keep} class="stack">
    <label>Name<input type="text" required maxlength="200" value=${name}
    onInput=${(event) => setName(event.target.value)} /></label>
    <label>Type<select value=${type} onChange=${(event) => setType(event.target.value)}>${all.map((one) => html`<option
    key=${one} value=${one}>${one}</option>`)}</select></label>
    ${entity.aliases.length > 0 && html`<p class="quiet">Also called <bdi>${entity.aliases.join(', ')}</bdi>.</p>`}
    <label>More names, separated by commas<input type="text" value=${aliases}
    onInput=${(event) => setAliases(event.target.value)} /></label>
    <p class="error" role="alert">${error}</p>
    <div class="row"><button type="button" onClick=${onClose}>Cancel</button><button class="primary"
    type="submit">Save</button></div></form><//>`;
}

function Row({ entity, chosen, onChoose, onEdit }) {
  return html`<tr aria-selected=${chosen ? 'true' : 'false'}>
    <td><input type="checkbox" aria-label=${`Choose ${entity.name}`} checked=${chosen} onChange=${onChoose} /></td>
    <td>${entity.type === 'person' ? html`<${Who} name=${entity.name} />` : html`<strong><bdi>${entity.name}</bdi>
    </strong>`}${entity.owner && html` <span class="quiet">of <bdi>${entity.owner}</bdi></span>`}
      ${entity.aliases.length > 0 && html`<div class="meta">
        <span>also <bdi>${entity.aliases.slice(0, 12).join(', ')}</bdi></span></div>`}</td>
    <td><span class="tag">${entity.type}</span></td><td class="num wide">${number(entity.mentions)}</td><td
    class="wide"><${When} at=${entity.last_at} day /></td>
    <td class="right"><button class="small" aria-label=${`Change ${entity.name}`} onClick=${onEdit}>Change</button> <a
    class="wide" href=${to('graph', { name: entity.name })}>Graph</a></td></tr>`;
}

export function Entities({ params }) {
  const offset = Number(params.offset) || 0;
  const asked = { q: params.q, type: params.type, sort: params.sort || 'mentions' };
  const page = useData(
    (signal) => get('/dashboard/entities', { ...asked, offset, limit: PAGE }, signal),
    [JSON.stringify(asked), offset],
  );
  const [chosen, setChosen] = useState(new Map());
  const [editing, setEditing] = useState(null);
  const [merging, setMerging] = useState(false);
  const [toast, show] = useToast();
  const set = (more, typed = false) => go('notes', { ...params, tab: 'entities', offset: '', ...more }, typed);
  const d = page.data;
  const done = (text, act) => {
    setEditing(null);
    setMerging(false);
    setChosen(new Map());
    show(text, undoing(act, show, page.reload));
    page.reload();
  };
  const drop = async () => {
    try {
      const { act } = await post('/entities/delete', { entities: [...chosen.keys()] });
      done('Hidden, with the claims about it. The conversations themselves stay.', act);
    } catch (error) {
      show(error.message);
    }
  };
  const flip = (one) => {
    const next = new Map(chosen);
    if (!next.delete(one.key)) next.set(one.key, one);
    setChosen(next);
  };
  const all = d && d.items.length > 0 && d.items.every((one) => chosen.has(one.key));
  const flipAll = () => {
    const next = new Map(chosen);
    for (const one of d.items)
      if (all) next.delete(one.key);
      else next.set(one.key, one);
    setChosen(next);
  };
  const none = params.q || params.type ? 'No such entity.' : 'Nobody and nothing was named yet.';
  return html`<form class="fields" role="search" onSubmit=${(event) => event.preventDefault()}>
      <${Filter} label="Name contains" value=${params.q || ''} onFilter=${(q) => set({ q }, true)} />
      <label>Type<select value=${params.type || ''} onChange=${(event) => set({ type: event.target.value })}><option
      value="">any</option>${(d ? d.types : []).map((one) => html`<option key=${one.type} value=${one.type}>
        ${one.type} (${number(one.entities)})</option>`)}</select></label>
      <label>Order<select value=${asked.sort} onChange=${(event) => set({ sort: event.target.value })}>
      ${SORTS.map(([value, text]) => html`<option key=${value} value=${value}>${text}</option>`)}</select></label>
    </form>${d && d.waiting > 0 ? html`<p class="quiet" role="status">Still reading: ${plural(d.waiting, 'piece')} of
    talk not yet looked through for names.</p>` : html`<br />`}
    <${Shown} of=${page} empty=${d && !d.total ? none : null}>${
      d &&
      html`<div class="card">
      <div class="table-wrap"><table><caption class="visually-hidden">Entities</caption><thead><tr>
        <th scope="col"><input type="checkbox" aria-label="Select all on this page" checked=${all} onChange=${flipAll}
        /></th>
        <th scope="col">${number(d.total)} named</th><th scope="col">Type</th><th scope="col"
        class="num wide">Mentions</th><th scope="col" class="wide">Last</th><th scope="col"><span
          class="visually-hidden">Actions</span></th></tr></thead>
        <tbody>${d.items.map((one) => html`<${Row} key=${one.key} entity=${one} chosen=${chosen.has(one.key)}
        onChoose=${() => flip(one)} onEdit=${() => setEditing(one)} />`)}</tbody></table></div>
      <${Pager} page=${d} offset=${offset} limit=${PAGE} onMove=${(next) => set({ offset: next || '' })} />
      ${
        chosen.size > 0 &&
        html`<div class="bulk row" role="group" aria-label="Actions for the selected entities"><strong class="grow">
          ${number(chosen.size)} selected</strong>
        <button onClick=${() => setChosen(new Map())}>Select none</button><button disabled=${chosen.size < 2}
        onClick=${() => setMerging(true)}>Merge</button><button class="danger" onClick=${drop}>Delete</button></div>`
      }</div>`
    }<//>
    ${editing && html`<${Editor} entity=${editing} types=${d ? d.types.map((one) => one.type) : []} onDone=${done}
      onClose=${() => setEditing(null)} />`}
    ${merging && html`<${MergeEntities} chosen=${[...chosen.values()]} onDone=${done} onClose=${() => setMerging(false)}
      />`}${toast}`;
}
