// What is kept on purpose: find it, sort it, tag it, change it, let it go, and take that back.
import { html, useState } from '../lib.js';
import { get, patch, post } from '../api.js';
import { Dialog, Head, Pager, Said, Shown, When, go, number, plural, to, useData, useToast } from '../ui.js';

const PAGE = 50;
const SORTS = [['newest', 'Newest'], ['oldest', 'Oldest'], ['strength', 'Strength'], ['recalls', 'Recalled most'], ['text', 'A to Z']];
const tagsIn = (text) => [...new Set(text.split(',').map((tag) => tag.trim()).filter(Boolean))];

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
        onDone(made.is_new ? 'Kept.' : 'This was known already; it counts as a repeat.', null);
      } else {
        const changed = await patch(`/notes/${encodeURIComponent(note.id)}`, text === note.text ? { tags: list } : { text, tags: list });
        onDone('Changed.', changed.act ? [changed.act] : null);
      }
    } catch (problem) { setError(problem.message); }
  };
  return html`<${Dialog} title=${note ? 'Change a note' : 'A new note'} onClose=${onClose}><form onSubmit=${keep}>
    <label for="words">Words</label><textarea id="words" required value=${text} onInput=${(event) => setText(event.target.value)}></textarea>
    <label>Tags, between commas<input type="text" value=${tags} onInput=${(event) => setTags(event.target.value)} /></label>
    <p class="error" role="alert">${error}</p>
    <div class="row"><button type="button" onClick=${onClose}>Cancel</button><button class="primary" type="submit">Keep</button></div></form><//>`;
}

function Row({ note, chosen, onChoose, onEdit }) {
  const short = note.text.slice(0, 60);
  return html`<tr aria-selected=${chosen ? 'true' : 'false'}>
    <td><input type="checkbox" aria-label=${`Choose ${short}`} checked=${chosen} onChange=${onChoose} /></td>
    <td><${Said} text=${note.text} whole=${note.text.length} /><div class="meta"><bdi>${note.speaker}</bdi><${When} at=${note.created} day />${note.repeats > 0 && html`<span>said again ${note.repeats}×</span>`}${note.state !== 'live' && html`<span class="tag">${note.state}</span>`}
      ${note.tags.map((tag) => html`<a key=${tag} class="tag" href=${to('notes', { tag })}><bdi>${tag}</bdi></a>`)}</div></td>
    <td class="num wide">${note.strength.toFixed(2)}</td><td class="num wide">${number(note.recalls)}</td>
    <td class="right"><button class="small" aria-label=${`Change ${short}`} onClick=${onEdit} disabled=${note.state !== 'live'}>Change</button> <a class="wide" href=${to('graph', { id: note.id })}>Graph</a></td></tr>`;
}

export function Notes({ params }) {
  const offset = Number(params.offset) || 0;
  const asked = { q: params.q, tag: params.tag, sort: params.sort || 'newest', aside: params.aside };
  const page = useData((signal) => get('/dashboard/notes', { ...asked, offset, limit: PAGE }, signal), [JSON.stringify(asked), offset]);
  const [chosen, setChosen] = useState(new Set());
  const [editing, setEditing] = useState(undefined);
  const [tags, setTags] = useState('');
  const [words, setWords] = useState(params.q || '');
  const [toast, show] = useToast();
  const set = (more) => { setChosen(new Set()); go('notes', { ...params, offset: '', ...more }); };
  const d = page.data;
  const undo = (acts) => async () => {
    try {
      for (const act of [...acts].reverse()) await post('/undo', { act });
      show('Undone.');
    } catch (error) { show(error.message); }
    page.reload();
  };
  const done = (text, acts) => { setEditing(undefined); setChosen(new Set()); show(text, acts && undo(acts)); page.reload(); };
  const forget = async () => {
    try {
      const gone = await post('/forget', { ids: [...chosen] });
      done(`${plural(gone.segments, 'note')} forgotten.`, [gone.act]);
    } catch (error) { show(error.message); }
  };
  const retag = async (adding) => {
    const wanted = tagsIn(tags);
    const acts = [];
    try {
      for (const note of d.items.filter((one) => chosen.has(one.id) && one.state === 'live')) {
        const next = adding ? [...new Set([...note.tags, ...wanted])] : note.tags.filter((tag) => !wanted.includes(tag));
        const changed = await patch(`/notes/${encodeURIComponent(note.id)}`, { tags: next });
        if (changed.act) acts.push(changed.act);
      }
      setTags('');
      done(`${plural(acts.length, 'note')} tagged anew.`, acts.length ? acts : null);
    } catch (error) { show(error.message); page.reload(); }
  };
  const flip = (id) => { const next = new Set(chosen); if (!next.delete(id)) next.add(id); setChosen(next); };
  const all = d && d.items.length > 0 && d.items.every((note) => chosen.has(note.id));
  return html`<${Head} title="Notes"><button class="primary" onClick=${() => setEditing(null)}>New note</button><//>
    <form class="fields" role="search" onSubmit=${(event) => { event.preventDefault(); set({ q: words }); }}>
      <label>Words in them<input type="search" value=${words} onInput=${(event) => setWords(event.target.value)} onChange=${() => set({ q: words })} /></label>
      <label>Tag<select value=${params.tag || ''} onChange=${(event) => set({ tag: event.target.value })}><option value="">any</option>${(d ? d.tags : []).map((one) => html`<option key=${one.tag} value=${one.tag}>${one.tag} (${number(one.notes)})</option>`)}</select></label>
      <label>Order<select value=${asked.sort} onChange=${(event) => set({ sort: event.target.value })}>${SORTS.map(([value, text]) => html`<option key=${value} value=${value}>${text}</option>`)}</select></label>
      <label class="check"><input type="checkbox" checked=${params.aside === 'true'} onChange=${(event) => set({ aside: event.target.checked ? 'true' : '' })} />Also laid aside</label>
    </form><br />
    <${Shown} of=${page} empty=${d && !d.total ? 'There is no such note. “New note” keeps one; so does `engramma remember`.' : null}>${d && html`<div class="card">
      <div class="table-wrap"><table><caption class="visually-hidden">Notes</caption><thead><tr>
        <th scope="col"><input type="checkbox" aria-label="Choose all on this page" checked=${all} onChange=${() => setChosen(all ? new Set() : new Set(d.items.map((note) => note.id)))} /></th>
        <th scope="col">${plural(d.total, 'note')}</th><th scope="col" class="num wide">Strength</th><th scope="col" class="num wide">Recalled</th><th scope="col"><span class="visually-hidden">Acts</span></th></tr></thead>
        <tbody>${d.items.map((note) => html`<${Row} key=${note.id} note=${note} chosen=${chosen.has(note.id)} onChoose=${() => flip(note.id)} onEdit=${() => setEditing(note)} />`)}</tbody></table></div>
      <${Pager} page=${d} offset=${offset} limit=${PAGE} onMove=${(next) => set({ offset: next || '' })} />
      ${chosen.size > 0 && html`<div class="bulk row" role="group" aria-label="What to do with the chosen notes"><strong>${number(chosen.size)} chosen</strong>
        <input type="text" class="grow" aria-label="Tags, between commas" placeholder="tags, between commas" value=${tags} onInput=${(event) => setTags(event.target.value)} />
        <button disabled=${!tagsIn(tags).length} onClick=${() => retag(true)}>Add tags</button><button disabled=${!tagsIn(tags).length} onClick=${() => retag(false)}>Take tags off</button>
        <button class="danger" onClick=${forget}>Forget</button></div>`}</div>`}<//>
    ${editing !== undefined && html`<${Editor} note=${editing} onDone=${done} onClose=${() => setEditing(undefined)} />`}${toast}`;
}
