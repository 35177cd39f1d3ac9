// What is kept on purpose: find it, sort it, tag it, change it, merge it, link it, let it go, and take that back.
import { html, useState } from '../lib.js';
import { firstCharacters } from '../cutting.js';
import { get, patch, post } from '../api.js';
import {
  Dialog,
  Filter,
  Head,
  Pager,
  Said,
  Shown,
  When,
  go,
  number,
  plural,
  rounded,
  to,
  undoing,
  useData,
  useToast,
} from '../ui.js';
import { Links } from '../links.js';
import { Entities } from './entities.js';

const PAGE = 50;
const AT_ONCE = 1000; // ids of one call
const MOST_MERGED = 20; // notes that can be looked at side by side
const SORTS = [
  ['newest', 'Newest'],
  ['oldest', 'Oldest'],
  ['strength', 'Strength'],
  ['recalls', 'Recalled most'],
  ['text', 'A to Z'],
];
const tagsIn = (text) => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
];

function Editor({ note, onDone, onClose }) {
  const [text, setText] = useState(note ? note.text : '');
  const [tags, setTags] = useState(note ? note.tags.join(', ') : '');
  const [error, setError] = useState('');
  const keep = async (event) => {
    event.preventDefault();
    try {
      const list = tagsIn(tags);
      if (!note) {
        const made = await post('/notes', { text, tags: list });
        onDone(made.is_new ? 'Saved.' : 'This was already known; it counts as a repeat.', null);
      } else {
        const changed = await patch(
          `/notes/${encodeURIComponent(note.id)}`,
          text === note.text ? { tags: list } : { text, tags: list },
        );
        onDone('Changed.', changed.act ? [changed.act] : null);
      }
    } catch (problem) {
      setError(problem.message);
    }
  };
  return html`<${Dialog} title=${note ? 'Edit note' : 'New note'} onClose=${onClose}><form onSubmit=${keep}>
    <label for="words">Text</label><textarea id="words" dir="auto" required value=${text}
    onInput=${(event) => setText(event.target.value)}></textarea>
    <label>Tags, separated by commas<input type="text" dir="auto" value=${tags} onInput=${(event) => setTags(event.target.value)}
    /></label>
    <p class="error" role="alert">${error}</p>
    <div class="row"><button type="button" onClick=${onClose}>Cancel</button><button class="primary"
    type="submit">Save</button></div></form><//>`;
}

function Merge({ notes, onDone, onClose }) {
  const [into, setInto] = useState(notes[0].id);
  const [error, setError] = useState('');
  const merge = async (event) => {
    event.preventDefault();
    try {
      const tags = await post('/notes/retag', { ids: [into], add: [...new Set(notes.flatMap((note) => note.tags))] });
      const { changed, act } = await post('/notes/merge', { ids: notes.map((note) => note.id), into });
      onDone(`${plural(changed, 'note')} merged.`, [tags.act, act].filter(Boolean));
    } catch (problem) {
      setError(problem.message);
    }
  };
  return html`<${Dialog} title="Merge notes" onClose=${onClose}><form onSubmit=${merge}>
    <p>One stays, with the tags of all. The others are no longer recalled but stay stored, as superseded. Which one
    stays?</p>
    <fieldset class="choice"><legend class="visually-hidden">The note that stays</legend>${notes.map((note) => html`
    <label class="check" key=${note.id}><input type="radio" name="into" checked=${note.id === into}
    onChange=${() => setInto(note.id)} /><span dir="auto">${firstCharacters(note.text, 200)}</span></label>`)}</fieldset>
    <p class="error" role="alert">${error}</p>
    <div class="row"><button type="button" onClick=${onClose}>Cancel</button><button class="primary"
    type="submit">Merge</button></div></form><//>`;
}

// One note, with what repeated it and what it is linked with.
function Page({ id }) {
  const found = useData((signal) => get(`/notes/${encodeURIComponent(id)}`, {}, signal), [id]);
  const [toast, show] = useToast();
  const d = found.data;
  return html`<p><a href=${to('notes')}>← All notes</a></p><${Head} title="Note" />
    <${Shown} of=${found}>${
      d &&
      html`<div class="card pad stack"><${Said} text=${d.note.text} whole=${d.note.text.length} />
      <div class="meta"><bdi>${d.note.speaker}</bdi><${When} at=${d.note.created} />${d.note.state !== 'live' && html`
      <span class="tag">${d.note.state}</span>`}${d.note.tags.map((tag) => html`<a key=${tag} class="tag"
      href=${to('notes', { tag })}><bdi>${tag}</bdi></a>`)}<a href=${to('graph', { id: d.note.id })}>Graph</a></div>
      ${d.repeats.length > 0 && html`<details><summary>Said again ${d.repeats.length}×</summary><ul class="log">
        ${d.repeats.map((one) => html`<li key=${one.id}><${When} at=${one.said_at} /><span class="grow" dir="auto">
          ${one.text}</span></li>`)}</ul></details>`}
      <${Links} id=${d.note.id} show=${show} /></div>`
    }<//>${toast}`;
}

function Row({ note, chosen, onChoose, onEdit }) {
  const short = firstCharacters(note.text, 60);
  return html`<tr aria-selected=${chosen ? 'true' : 'false'}>
    <td><input type="checkbox" aria-label=${`Choose ${short}`} checked=${chosen} onChange=${onChoose} /></td>
    <td><${Said} text=${note.text} whole=${note.text.length} /><div class="meta"><bdi>${note.speaker}</bdi><${When}
    at=${note.created} day />${note.repeats > 0 && html`<span>said
      again ${note.repeats}×</span>`}${note.state !== 'live' && html`<span class="tag">${note.state}</span>`}
      ${note.tags.map((tag) => html`<a key=${tag} class="tag" href=${to('notes', { tag })}><bdi>${tag}</bdi></a>`)}
        </div></td>
    <td class="num wide">${rounded(note.strength, 2)}</td><td class="num wide">${number(note.recalls)}</td>
    <td class="right"><button class="small" aria-label=${`Change ${short}`} onClick=${onEdit}
    disabled=${note.state !== 'live'}>Change</button> <a aria-label=${`Links of ${short}`}
      href=${to('notes', { id: note.id })}>Links</a> <a class="wide" href=${to('graph', { id: note.id })}>Graph</a>
        </td></tr>`;
}

function Tabs({ at }) {
  return html`<nav class="tabs" aria-label="Notes and entities">${[
    ['', 'Notes'],
    ['entities', 'Entities'],
  ].map(
    ([tab, title]) =>
      html`<a key=${tab} href=${to('notes', { tab })} aria-current=${tab === at ? 'page' : null}>${title}</a>`,
  )}</nav>`;
}

export function Notes({ params }) {
  if (params.id) return html`<${Page} key=${params.id} id=${params.id} />`;
  if (params.tab === 'entities')
    return html`<${Head} title="Notes and entities" /><${Tabs} at="entities" /><${Entities} params=${params} />`;
  return html`<${Table} params=${params} />`;
}

function Table({ params }) {
  const offset = Number(params.offset) || 0;
  const asked = { q: params.q, tag: params.tag, sort: params.sort || 'newest', aside: params.aside };
  const page = useData(
    (signal) => get('/dashboard/notes', { ...asked, offset, limit: PAGE }, signal),
    [JSON.stringify(asked), offset],
  );
  const [chosen, setChosen] = useState(new Set());
  const [editing, setEditing] = useState(undefined);
  const [merging, setMerging] = useState(null);
  const [tags, setTags] = useState('');
  const [toast, show] = useToast();
  const set = (more, typed = false) => {
    if (!('offset' in more)) setChosen(new Set());
    go('notes', { ...params, offset: '', ...more }, typed);
  };
  const d = page.data;
  const done = (text, acts) => {
    setEditing(undefined);
    setMerging(null);
    setChosen(new Set());
    show(text, acts && acts.length ? undoing(acts, show, page.reload) : undefined);
    page.reload();
  };
  // As many as the server takes in one call, one after the other; what was done before a failure can be undone.
  const inTurn = async (act, told) => {
    const acts = [];
    let count = 0;
    try {
      const ids = [...chosen];
      for (let at = 0; at < ids.length; at += AT_ONCE) {
        const one = await act(ids.slice(at, at + AT_ONCE));
        count += one.changed ?? one.segments;
        if (one.act) acts.push(one.act);
      }
      done(told(count), acts);
    } catch (error) {
      done(error.message, acts);
    }
  };
  const forget = () =>
    inTurn(
      (ids) => post('/forget', { ids }),
      (count) => `${plural(count, 'note')} forgotten.`,
    );
  const retag = async (adding) => {
    const wanted = tagsIn(tags);
    await inTurn(
      (ids) => post('/notes/retag', { ids, [adding ? 'add' : 'remove']: wanted }),
      (count) => `${plural(count, 'note')} retagged.`,
    );
    setTags('');
  };
  const every = async () => {
    try {
      setChosen(new Set(await get('/dashboard/note-ids', { q: asked.q, tag: asked.tag, aside: asked.aside })));
    } catch (error) {
      show(error.message);
    }
  };
  const merge = async () => {
    const here = new Map(d.items.map((note) => [note.id, note]));
    try {
      setMerging(
        await Promise.all(
          [...chosen].map(async (id) => here.get(id) || (await get(`/notes/${encodeURIComponent(id)}`)).note),
        ),
      );
    } catch (error) {
      show(error.message);
    }
  };
  const flip = (id) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  const all = d && d.items.length > 0 && d.items.every((note) => chosen.has(note.id));
  const flipAll = () => {
    const next = new Set(chosen);
    for (const note of d.items)
      if (all) next.delete(note.id);
      else next.add(note.id);
    setChosen(next);
  };
  const none =
    params.q || params.tag
      ? html`No note matches. <a href=${to('notes')}>Show all</a>`
      : html`There are no notes yet. Add one with “New note” or <code>engramma remember</code>.`;
  return html`<${Head} title="Notes and entities"><button class="primary" onClick=${() => setEditing(null)}>New
    note</button><//><${Tabs} at="" />
    <form class="fields" role="search" onSubmit=${(event) => event.preventDefault()}>
      <${Filter} label="Contains" value=${params.q || ''} onFilter=${(q) => set({ q }, true)} />
      <label>Tag<select value=${params.tag || ''} onChange=${(event) => set({ tag: event.target.value })}><option
      value="">any</option>${(d ? d.tags : []).map((one) => html`<option key=${one.tag} value=${one.tag}>
        ${one.tag} (${number(one.notes)})</option>`)}</select></label>
      <label>Order<select value=${asked.sort} onChange=${(event) => set({ sort: event.target.value })}>
      ${SORTS.map(([value, text]) => html`<option key=${value} value=${value}>${text}</option>`)}</select></label>
      <label class="check"><input type="checkbox" checked=${params.aside === 'true'}
      onChange=${(event) => set({ aside: event.target.checked ? 'true' : '' })} />Include archived</label>
    </form><br />
    <${Shown} of=${page} empty=${d && !d.total ? none : null}>${
      d &&
      html`<div class="card">
      <div class="table-wrap"><table><caption class="visually-hidden">Notes</caption><thead><tr>
        <th scope="col"><input type="checkbox" aria-label="Select all on this page" checked=${all} onChange=${flipAll}
        /></th>
        <th scope="col">${plural(d.total, 'note')}</th><th scope="col" class="num wide">Strength</th><th scope="col"
        class="num wide">Recalled</th><th scope="col"><span class="visually-hidden">Actions</span></th></tr></thead>
        <tbody>${d.items.map((note) => html`<${Row} key=${note.id} note=${note} chosen=${chosen.has(note.id)}
        onChoose=${() => flip(note.id)} onEdit=${() => setEditing(note)} />`)}</tbody></table></div>
      <${Pager} page=${d} offset=${offset} limit=${PAGE} onMove=${(next) => set({ offset: next || '' })} />
      ${
        chosen.size > 0 &&
        html`<div class="bulk row" role="group" aria-label="Actions for the selected notes"><strong>
          ${number(chosen.size)} selected</strong>${d.total > chosen.size && html`<button class="plain"
            onClick=${every}>Select all ${number(d.total)}</button>`}
        <input type="text" class="grow" aria-label="Tags, separated by commas" placeholder="tags, separated by commas"
        value=${tags} onInput=${(event) => setTags(event.target.value)} />
        <button disabled=${!tagsIn(tags).length} onClick=${() => retag(true)}>Add tags</button><button
        disabled=${!tagsIn(tags).length} onClick=${() => retag(false)}>Remove tags</button>
        <button disabled=${chosen.size < 2 || chosen.size > MOST_MERGED} onClick=${merge}>Merge</button><button
        class="danger" onClick=${forget}>Forget</button></div>`
      }</div>`
    }<//>
    ${editing !== undefined && html`<${Editor} note=${editing} onDone=${done} onClose=${() => setEditing(undefined)}
      />`}
    ${merging && html`<${Merge} notes=${merging} onDone=${done} onClose=${() => setMerging(null)} />`}${toast}`;
}
