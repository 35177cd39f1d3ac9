// Browse what was said, and read it where it was said.
import { html, useState, useEffect } from '../lib.js';
import { get } from '../api.js';
import {
  Days,
  Filter,
  Head,
  Pager,
  Said,
  Shown,
  When,
  Who,
  go,
  number,
  plural,
  titleOf,
  to,
  useData,
  useToast,
} from '../ui.js';
import { ImportButton } from '../importing.js';
import { Nameless, useMe } from '../me.js';
import { plainLines } from '../markdown.js';
import { lightUp, stemsOf } from '../passages.js';

const PAGE = 30;
const TURNS = 100;
const DOCUMENTS = 'engramma:documents';
const PASSAGE = 240; // characters that are sent of one

const plainText = (text) => plainLines(text || '').join(' ').replace(/\*\*|__|`/g, '');
// A passage from the middle of a text, said to be one and begun with a whole word.
function cutOut(passage) {
  const inside = !/^[\p{Lu}\p{N}"'“]/u.test(passage);
  const text = plainText(inside ? passage.replace(/^\S{0,30}\s/, '') : passage);
  return `${inside ? '…' : ''}${text}${passage.length < PASSAGE ? '' : '…'}`;
}

// How many of what, since each list counts something else: an option is no promise of so many sessions.
const sourced = ({ source, conversations }) =>
  source === DOCUMENTS
    ? `documents (${number(conversations)})`
    : `${source} (${plural(conversations, 'conversation')})`;
// The first words of a session, said to be no more where they were cut.
const begun = (opening) => `${plainText(opening)}${[...(opening || '')].length < PASSAGE ? '' : '…'}`;
const partsOf = (conversation, count) => plural(count, conversation === DOCUMENTS ? 'section' : 'turn');

// Documents stand in this list, and are no sessions of talk.
function counted({ total, documents }) {
  const told = [total > documents || !total ? plural(total - documents, 'session') : '', documents ? plural(documents, 'document') : ''];
  return told.filter(Boolean).join(', ');
}

function Choose({ label, name, params, options }) {
  const pick = (event) => go('conversations', { ...params, [name]: event.target.value, offset: '' });
  return html`<label>${label}<select value=${params[name] || ''} onChange=${pick}><option value="">any</option>
    ${options.map(([value, text]) => html`<option key=${value} value=${value}>${text}</option>`)}</select></label>`;
}

function Sessions({ params, told }) {
  const offset = Number(params.offset) || 0;
  const asked = {
    q: params.q,
    person: params.person,
    source: params.source,
    topic: params.topic,
    since: params.since,
    until: params.until,
    conversation: params.conversation,
  };
  const facets = useData((signal) => get('/dashboard/facets', {}, signal), []);
  const page = useData(
    (signal) => get('/dashboard/sessions', { ...asked, offset, limit: PAGE }, signal),
    [JSON.stringify(asked), offset],
  );
  const lit = params.q ? lightUp(stemsOf(params.q)) : (text) => text;
  const f = facets.data || { people: [], sources: [], topics: [] };
  const set = (name) => (event) => go('conversations', { ...params, [name]: event.target.value, offset: '' });
  const filtered = Object.values(asked).some(Boolean);
  const none = filtered
    ? html`Nothing matches these filters. <a href=${to('conversations')}>Show all</a> Notes have <a
        href=${to('notes')}>a page of their own</a>.`
    : html`Nothing was said yet. Import an export of your chats, or connect an assistant with
        ${' '}<code>engramma connect</code>.`;
  return html`<${Head} title="Conversations">${page.data && html`<span class="quiet">
    ${counted(page.data)}</span>`}${!told.read_only && html`<${ImportButton} />`}<//>
    <form class="fields searched" role="search" onSubmit=${(event) => event.preventDefault()}>
      <${Filter} label="Said or titled" value=${params.q || ''} placeholder="words anywhere in a conversation"
      onFilter=${(q) => go('conversations', { ...params, q, offset: '' }, true)} />
      <${Choose} label="Person" name="person" params=${params}
      options=${f.people.map((one) => [one.name, `${one.name} (${plural(one.turns, 'turn')})`])} />
      <${Choose} label="Source" name="source" params=${params}
      options=${f.sources.map((one) => [one.source, sourced(one)])} />
      <${Choose} label="Topic" name="topic" params=${params}
      options=${f.topics.map((one) => [String(one.id), `${one.name} (${plural(one.size, 'segment')})`])} />
      <label>From<input type="date" value=${params.since || ''} onChange=${set('since')} /></label>
      <label>Before<input type="date" value=${params.until || ''} onChange=${set('until')} /></label>
    </form><br />
    <${Shown} of=${page} empty=${page.data && !page.data.total ? none : null}>${
      page.data &&
      html`<div class="card list"><ul>
      ${page.data.items.map(
        (one) => html`<li key=${`${one.conversation}/${one.session}`}>
        <a class="item" href=${to('conversations', { conversation: one.conversation, session: one.session })}>
          <div class="title"><bdi>${titleOf(one)}</bdi></div>
          <div class="opening" dir="auto">${one.passage ? lit(cutOut(one.passage)) : begun(one.opening)}</div>
          <div class="meta">${
            one.conversation === DOCUMENTS
              ? html`<${Days} from=${one.started_at} until=${one.last_at} />`
              : html`<${When} at=${one.started_at} />`
          }<span>${partsOf(one.conversation, one.turns)}</span><bdi>
          ${one.conversation === DOCUMENTS ? 'document' : one.speakers.join(', ')}</bdi>
          ${one.source && html`<span class="tag">${one.source}</span>`}${!one.closed && html`<span class="tag">open</span>`}</div>
        </a></li>`,
      )}</ul>
      <${Pager} page=${page.data} offset=${offset} limit=${PAGE}
      onMove=${(next) => go('conversations', { ...params, offset: next || '' })} /></div>`
    }<//>`;
}

function Turn({ turn, before, lit, claims, place, plain }) {
  const [whole, setWhole] = useState(null);
  const text = whole ?? turn.text;
  const more = () => get('/dashboard/turn', { ...place, id: turn.id }).then((told) => setWhole(told.text));
  return html`<li class="turn" id=${`turn-${turn.id}`} data-lit=${lit ? 'yes' : null}
    aria-current=${lit ? 'true' : null}>
    <div><div class="meta"><${Who} name=${turn.speaker} /><${When} at=${turn.said_at}
        since=${before && before.said_at} />
        <span class="tools"><a href=${to('conversations', { ...place, turn: turn.id })}>link</a>
        ${turn.segment && html` · <a href=${to('graph', { id: turn.segment })}>graph</a> · <a
          href=${to('forget', { ...place, ids: turn.id })}>forget</a>`}</span></div>
      <${Said} text=${text} whole=${turn.size} onWhole=${more} plain=${plain} /></div>
    <div class="asides">${claims.map((claim) => html`<div class="claim" key=${claim.id}><strong><bdi>${claim.subject}
    </bdi></strong> <bdi>${claim.text}</bdi>
    ${claim.modality !== 'fact' ? html` <span class="tag">${claim.modality}</span>` : ''}</div>`)}</div>
  </li>`;
}

function Reader({ params, told }) {
  const place = { conversation: params.conversation, session: params.session };
  const [offset, setOffset] = useState(null);
  const [plain, setPlain] = useState(false);
  const key = `${place.conversation}/${place.session}`;
  useEffect(() => setOffset(null), [key, params.turn]);
  const page = useData(
    (signal) =>
      get(
        '/dashboard/turns',
        { ...place, limit: TURNS, offset: offset ?? 0, around: offset === null ? params.turn : null },
        signal,
      ),
    [key, params.turn, offset],
  );
  const known = useData((signal) => get('/dashboard/claims', place, signal), [key]);
  const me = useMe();
  const [toast, show] = useToast();
  const shown = page.data && !page.busy;
  useEffect(() => {
    if (!shown || !params.turn || offset !== null) return;
    const found = document.getElementById(`turn-${params.turn}`);
    if (found) found.scrollIntoView({ block: 'center' });
  }, [shown, params.turn]);
  const claims = new Map();
  for (const claim of known.data || []) claims.set(claim.turn, [...(claims.get(claim.turn) || []), claim]);
  const d = page.data;
  const unnamed =
    d && me.data && !me.data.said && !told.read_only
      ? me.data.speakers.filter((name) => d.items.some((turn) => turn.speaker === name))
      : [];
  return html`<p><a href=${to('conversations')}>← All conversations</a></p>
    <${Head} title=${titleOf({ ...place, title: d && d.title })}>${d && html`<span class="quiet">
    ${d.items.length > 0 && html`<${When} at=${d.items[0].said_at} day />, `}${partsOf(place.conversation, d.total)}
    ${d.source ? html`, ${d.source}` : ''}</span>`}<//>
    ${!page.error && html`<p class="row">${place.conversation !== DOCUMENTS && html`<a
    href=${to('conversations', { conversation: params.conversation })}>Other sessions of this conversation</a>`}<a
    href=${to('forget', place)}>Forget this ${place.conversation === DOCUMENTS ? 'document' : 'session'}</a><span
    class="grow"></span><button class="small" aria-pressed=${plain} onClick=${() => setPlain(!plain)}>As
    written</button></p>`}
    ${unnamed.length > 0 && html`<${Nameless} me=${me.data} speakers=${unnamed} show=${show}
      onChanged=${me.reload} />`}
    <${Shown} of=${page}>${
      d &&
      html`<div class="card"><ol class="chat">${d.items.map((turn, n) => html`<${Turn} key=${turn.id} turn=${turn}
        before=${d.items[n - 1]} lit=${turn.id === params.turn} claims=${claims.get(turn.id) || []} place=${place}
        plain=${plain} />`)}</ol>
      <${Pager} page=${d} offset=${d.offset} limit=${TURNS} onMove=${(next) => {
        setOffset(next);
        scrollTo(0, 0);
      }} /></div>`
    }<//>${toast}`;
}

export function Conversations({ params, told }) {
  return params.session
    ? html`<${Reader} params=${params} told=${told} />`
    : html`<${Sessions} params=${params} told=${told} />`;
}
