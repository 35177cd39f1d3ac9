// What waits for your word, one at a time: a accepts, r refuses, s skips, u takes the last word back.
import { html, useState, useEffect, useRef } from '../lib.js';
import { cutText } from '../cutting.js';
import { get, post } from '../api.js';
import { Head, Pager, Said, Shown, When, go, number, plural, rounded, to, useData, useToast } from '../ui.js';

const PAGE = 20;
const KINDS = {
  conflict: [
    'Contradictions',
    'Do these contradict each other?',
    'They do',
    'They do not',
    'A link connects them, and recall shows them together.',
  ],
  differ: [
    'Notes that differ',
    'Does the newer note replace the older?',
    'Replace',
    'Keep both',
    'The older one is superseded by the newer.',
  ],
  merge: [
    'Near-duplicates',
    'Do these two notes say the same?',
    'Merge',
    'Keep both',
    'One is superseded by the other.',
  ],
  consolidate: [
    'Notes to combine',
    'Should one note replace these?',
    'Combine',
    'Keep them',
    'They become the sources of a new note.',
  ],
  decision: ['Things of people', '', 'Right', 'Wrong', 'Your answer stands, whatever is said later.'],
  namesakes: [
    'Two of one name',
    'Are these two people of one name?',
    'Two people',
    'One person',
    'The other becomes a person of their own in those conversations.',
  ],
  entity: [
    'Names',
    'Do both names mean the same?',
    'The same',
    'Different',
    'What was said about one then applies to both.',
  ],
  expire: ['Expired', 'It has expired: retire it?', 'Retire', 'Keep', 'It is no longer recalled; nothing is deleted.'],
  prune: [
    'Low scores',
    'Nobody asked for this in a long time: retire it?',
    'Retire',
    'Keep',
    'It is no longer recalled; nothing is deleted.',
  ],
  archive: [
    'Old sessions',
    'Archive this old session?',
    'Archive',
    'Keep',
    'It is found only when archived segments are included.',
  ],
};
const question = (one) =>
  one.kind === 'decision'
    ? `${one.person}’s ${one.about}: ${one.verdict === 'MERGE' ? 'are both conversations about the same one?' : 'are the two conversations about different ones?'}`
    : KINDS[one.kind][1];
const short = (one) =>
  cutText(
    one.person
      ? `${one.person}: ${one.about}`
      : one.sides[0]
        ? one.sides[0].label || one.sides[0].text
        : one.reason,
    90,
  );

function Side({ side, one }) {
  const fate = ['conflict', 'decision', 'archive'].includes(one.kind)
    ? null
    : side.stays
      ? 'stays'
      : one.kind === 'entity'
        ? 'joins'
        : 'goes';
  return html`<li class="side-card"><div class="row">${fate && html`<span
    class=${`tag ${fate === 'stays' ? 'good' : ''}`}>${fate}</span>`}${side.label && html`<strong><bdi>${side.label}
      </bdi></strong>`}</div>
    <${Said} text=${side.text} /><div class="meta"><bdi>${side.speaker}</bdi><${When} at=${side.said_at} day />
      <a href=${to('conversations', { conversation: side.conversation, session: side.session, turn: side.turn })}>Read
      in place</a></div></li>`;
}

function Card({ one, busy, onAccept, onReject, onSkip }) {
  const [title, , yes, no, effect] = KINDS[one.kind];
  return html`<section class="card review-card" aria-label="Current question"><div class="pad">
    <div class="row"><span class="tag role-entry">${title}</span>${one.person && html`<a
    href=${to('people', { name: one.person })}><bdi>${one.person}</bdi></a>`}${one.sure !== null && html`<span
      class="quiet tiny">${one.kind === 'decision' ? 'confidence' : 'similarity'} ${rounded(one.sure, 2)}</span>`}</div>
    <h2 dir="auto">${question(one)}</h2><p class="quiet" dir="auto">${one.reason}</p>
    <ul class="sides">${one.sides.map((side) => html`<${Side}
    key=${side.conversation + side.session + side.turn + side.label} side=${side} one=${one} />`)}</ul>
    ${one.text && html`<p class="quiet tiny">It would read:</p><${Said} text=${one.text} />`}
    <div class="row acts"><button class="primary" disabled=${busy} onClick=${onAccept}>${yes}<kbd>a</kbd></button>
    <button disabled=${busy} onClick=${onReject}>${no}<kbd>r</kbd></button><button disabled=${busy}
    onClick=${onSkip}>Skip<kbd>s</kbd></button></div>
    <p class="quiet tiny">${effect}</p></div></section>`;
}

export function Review({ params }) {
  const offset = Number(params.offset) || 0;
  const kind = KINDS[params.kind] ? params.kind : '';
  const page = useData((signal) => get('/dashboard/review', { kind, offset, limit: PAGE }, signal), [kind, offset]);
  const [current, setCurrent] = useState(null);
  const [sending, setSending] = useState(false);
  const [done, setDone] = useState([]);
  const [toast, show] = useToast();
  const d = page.data;
  const items = d ? d.items : [];
  const at = Math.max(
    0,
    items.findIndex((one) => one.id === current),
  );
  const one = items[at];
  const busy = sending || page.busy;
  const choose = (more) => {
    setCurrent(null);
    go('review', { kind, offset: '', ...more });
  };
  const undo = async (acts = done) => {
    const last = acts[acts.length - 1];
    if (!last) {
      show('There is nothing to undo.');
      return;
    }
    setSending(true);
    try {
      await post('/undo', { act: last.act });
      setDone((old) => old.filter((each) => each.act !== last.act));
      setCurrent(last.id);
      show('Undone: it waits again.');
    } catch (error) {
      show(error.message);
    }
    setSending(false);
    page.reload();
  };
  const say = async (word) => {
    if (!one || busy) return;
    const next = items[at + 1] || items[at - 1];
    setSending(true);
    try {
      const act = await post('/dashboard/review', { id: one.id, word });
      const made = { act: act.id, id: one.id };
      setDone((old) => [...old, made]);
      setCurrent(next ? next.id : null);
      show(word === 'accept' ? 'Accepted.' : 'Rejected: it does not come back.', () => undo([made]));
    } catch (error) {
      show(error.message);
    }
    setSending(false);
    if (items.length === 1 && offset) choose({ offset: Math.max(0, offset - PAGE) || '' });
    else page.reload();
  };
  const skip = () => {
    if (busy || !one) return;
    if (items[at + 1]) setCurrent(items[at + 1].id);
    else if (d.total > offset + PAGE) choose({ offset: offset + PAGE });
    else {
      show('That was the last one.');
      setCurrent(items[0].id);
      if (offset) choose({});
    }
  };
  const keys = useRef({});
  const later = useRef(false); // to take back can wait until the last word is through; to say one about what was not seen cannot
  keys.current = {
    a: () => say('accept'),
    r: () => say('reject'),
    s: skip,
    u: () => {
      if (busy) later.current = true;
      else undo();
    },
  };
  useEffect(() => {
    if (!busy && later.current) {
      later.current = false;
      undo();
    }
  });
  useEffect(() => {
    const pressed = (event) => {
      const typing =
        event.target.closest && event.target.closest('input, select, textarea, dialog, [contenteditable]');
      if (typing || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      const act = keys.current[event.key];
      if (act) {
        event.preventDefault();
        act();
      }
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
  const counts = d ? d.counts : {};
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return html`<${Head} title="Review">${d && html`<span class="row"><span class="quiet" role="status">
    ${number(all)} waiting</span><button disabled=${busy || !done.length} onClick=${() => undo()}>Undo the
      last<kbd>u</kbd></button></span>`}<//>
    <div class="fields"><label>What<select value=${kind} onChange=${(event) => choose({ kind: event.target.value })}>
    <option value="">everything (${number(all)})</option>
      ${Object.entries(KINDS).map(([name, [title]]) => html`<option key=${name} value=${name}>
        ${title} (${number(counts[name])})</option>`)}</select></label></div>
    ${d && d.unread > 0 && html`<p class="quiet tiny">${plural(d.unread, 'piece')} of conversation not read yet; more
      questions may come.</p>`}<br />
    <${Shown} of=${page} empty=${d && !items.length ? 'Nothing waits for your decision. New notes and conversations bring new questions.' : null}>${
      one &&
      html`<div class="review-grid">
      <${Card} key=${one.id} one=${one} busy=${busy} onAccept=${() => say('accept')} onReject=${() => say('reject')}
      onSkip=${skip} />
      <nav class="card nodes" aria-label="The queue"><ul>${items.map(
        (
          each,
        ) => html`<li key=${each.id}><button aria-pressed=${each.id === one.id ? 'true' : 'false'}
          onClick=${() => setCurrent(each.id)}>
        <span class="quiet tiny">${KINDS[each.kind][0]}</span><br /><bdi>${short(each)}</bdi></button></li>`,
      )}</ul>
        <${Pager} page=${d} offset=${offset} limit=${PAGE} onMove=${(next) => choose({ offset: next || '' })} /></nav>
        </div>`
    }<//>${toast}`;
}
