// Who is known: what held of them when, what changed and what contradicts, what was decided, all with its source.
import { html, useState } from '../lib.js';
import { get, post } from '../api.js';
import {
  Days,
  Dialog,
  Filter,
  Head,
  Pager,
  Shown,
  When,
  Who,
  go,
  number,
  plural,
  rounded,
  titleOf,
  to,
  undoing,
  useData,
  useToast,
} from '../ui.js';
import { NotMe, Nameless, ThisIsMe, useMe } from '../me.js';
import { MergeEntities } from '../merge-entities.js';
import { Source, Timeline, place, words } from '../timeline.js';

const PAGE = 30;
const CLAIMS = 10;
const FEW = 10;
const MET = 5; // contradictions and changes shown at once
const NOBODY =
  'Nothing was said about anybody yet. Import a conversation, and the people it mentions appear here.';
const SIDES = { who: 'Who they are', tastes: 'Likes and dislikes', happened: 'Happened or planned' };
const KINDS = { evolution: 'changed', contradiction: 'contradicts itself', disagreement: 'others disagree' };

function Everybody({ params, told }) {
  const offset = Number(params.offset) || 0;
  const [chosen, setChosen] = useState(new Map());
  const [merging, setMerging] = useState(false);
  const [toast, show] = useToast();
  const page = useData(
    (signal) => get('/dashboard/people', { q: params.q, offset, limit: PAGE }, signal),
    [params.q, offset],
  );
  const me = useMe();
  const m = me.data;
  const meChanged = () => {
    setChosen(new Map());
    me.reload();
    page.reload();
  };
  const single = chosen.size === 1 ? [...chosen.values()][0] : null;
  const flip = (one) => {
    const next = new Map(chosen);
    if (!next.delete(one.key)) next.set(one.key, { ...one, type: 'person' });
    setChosen(next);
  };
  const merged = (text, act) => {
    setMerging(false);
    setChosen(new Map());
    show(text, undoing(act, show, page.reload));
    page.reload();
  };
  const d = page.data;
  return html`<${Head} title="People">${d && html`<span class="quiet">
    ${plural(d.total, 'person', 'people')}</span>`}<//>
    <form class="row" role="search" onSubmit=${(event) => event.preventDefault()}><${Filter} label="Name" wide=${true}
      value=${params.q || ''} onFilter=${(q) => go('people', { q }, true)} /></form><br />
    ${m && !m.said && m.speakers.length > 0 && !told.read_only && html`<${Nameless} me=${m} show=${show}
      onChanged=${meChanged} />`}
    <${Shown} of=${page} empty=${d && !d.total ? (params.q ? 'Nobody has that name.' : NOBODY) : null}>${
      d &&
      html`<div class="card list"><ul>
      ${d.items.map(
        (one) => html`<li key=${one.key} class="chosen-row"><input type="checkbox" aria-label=${`Choose ${one.name}`}
          checked=${chosen.has(one.key)} onChange=${() => flip(one)} /><a class="item"
          href=${to('people', { name: one.name })}>
        <div class="row"><${Who} name=${one.name} />${m && one.key === m.key && html`<span
        class="tag role-entry">you</span>`}${one.aliases.length > 0 && html`<span
        class="quiet tiny">also <bdi>${one.aliases.join(', ')}</bdi></span>`}<span class="grow"></span>
          ${one.conflicts > 0 && html`<span class="tag bad">${plural(one.conflicts, 'contradiction')}</span>`}</div>
        <div class="meta"><span>speaks or is named ${plural(one.mentions, 'time')}</span><span>
        ${plural(one.claims, 'claim')}</span></div></a></li>`,
      )}</ul>
      <${Pager} page=${d} offset=${offset} limit=${PAGE}
      onMove=${(next) => go('people', { ...params, offset: next || '' })} />
      ${
        chosen.size > 0 &&
        html`<div class="bulk row" role="group" aria-label="Actions for the selected people"><strong class="grow">
          ${number(chosen.size)} selected</strong><button onClick=${() => setChosen(new Map())}>Select none</button>
          ${single && m && !m.said && !told.read_only && html`<${ThisIsMe} key=${single.key} me=${m} show=${show}
            person=${m.keys.includes(single.key) ? '' : single.name} onChanged=${meChanged} />`}
          <button class="primary" disabled=${chosen.size < 2} onClick=${() => setMerging(true)}>They are one
          person…</button></div>`
      }</div>`
    }<//>${merging && html`<${MergeEntities} chosen=${[...chosen.values()]} onDone=${merged}
      onClose=${() => setMerging(false)} />`}${toast}`;
}

function Met({ one }) {
  return html`<li class=${`meeting ${one.kind}`}><div class="row"><span
    class=${`tag ${one.kind === 'evolution' ? 'good' : 'bad'}`}>${KINDS[one.kind]}</span><strong>${one.group}</strong>
      <span class="quiet tiny">${one.note}</span></div>
    <ul class="pair">${[one.earlier, one.later].map((side) => html`<${Source} key=${side.id} source=${side} />`)}</ul>
    </li>`;
}

// The latest first, a few at a time: somebody of a thousand conversations has a hundred of them.
function Meetings({ title, about, found }) {
  const [offset, setOffset] = useState(0);
  const latest = [...found].reverse();
  return html`<section class="card"><h2>${title} <span class="quiet tiny">${about}</span></h2>${
    found.length
      ? html`<ul class="log meetings">${latest.slice(offset, offset + MET).map((one) => html`<${Met}
        key=${one.at + one.earlier.id + one.later.id} one=${one} />`)}</ul>
      <${Pager} page=${{ total: found.length }} offset=${offset} limit=${MET} onMove=${setOffset} />`
      : html`<p class="pad quiet">None found.</p>`
  }</section>`;
}

function Verdict({ one, onAccept, onOverrule, onUndo, busy }) {
  const merged = one.verdict === 'MERGE';
  const stands = !one.overruled;
  return html`<li class="meeting"><div class="row"><span class=${`tag ${stands ? 'role-entry' : ''}`}>
    ${merged ? 'the same' : 'different'}</span><strong><bdi>${one.entity}</bdi></strong>
      <span class="quiet tiny"><bdi>${one.conversations
      .map((conversation, n) => titleOf({ conversation, title: one.titles[n] }))
      .join(' and ')}</bdi></span>${one.overruled && html`<span
      class="tag bad">overruled</span>`}</div>
    <p dir="auto">${one.reason}</p>
    <div class="bars"><span>confidence</span><span class="bar"><span
    style=${{ width: `${Math.round(one.confidence * 100)}%` }}></span></span><span>${rounded(one.confidence, 2)},
      by ${one.by}</span></div>
    ${one.evidence.length > 0 && html`<details><summary>${plural(one.evidence.length, 'turn')} as evidence</summary>
      <ul>${one.evidence.map((turn) => html`<${Source} key=${turn.conversation + turn.turn} source=${turn} />`)}</ul>
      </details>`}
    ${
      stands &&
      html`<div class="row">${
        one.by === 'user'
          ? html`<button class="small" disabled=${busy || !one.act} onClick=${onUndo}>Undo</button>`
          : html`<button class="small" disabled=${busy} onClick=${onAccept}>Accept</button><button class="small"
            disabled=${busy} onClick=${onOverrule}>Overrule: ${merged ? 'they are different' : 'they are the same'}
              </button>`
      }</div>`
    }</li>`;
}

function Overrule({ one, onDone, onClose }) {
  const [reason, setReason] = useState('');
  const two = one.verdict === 'MERGE';
  return html`<${Dialog} title=${two ? 'They are different' : 'They are the same'} onClose=${onClose}><form
    onSubmit=${(
    event,
  ) => {
    event.preventDefault();
    onDone(two ? 'SEPARATE' : 'MERGE', reason);
  }}>
    <p dir="auto">${one.reason}</p><label for="why">Reason (optional)</label><textarea id="why" maxlength="2000" value=${reason}
    onInput=${(event) => setReason(event.target.value)}></textarea>
    <div class="row"><button type="button" onClick=${onClose}>Cancel</button><button class="primary"
    type="submit">Overrule</button></div></form><//>`;
}

function Decisions({ name, show, onChanged }) {
  const [offset, setOffset] = useState(0);
  const [asked, setAsked] = useState(null);
  const page = useData(
    (signal) => get('/dashboard/person/decisions', { name, offset, limit: FEW }, signal),
    [name, offset],
  );
  const changed = (text, back) => {
    page.reload();
    onChanged();
    show(text, back);
  };
  const undo = async (act) => {
    try {
      await post('/undo', { act });
      changed('Undone.');
    } catch (error) {
      show(error.message);
    }
  };
  const decide = async (one, verdict, reason, text) => {
    setAsked(null);
    try {
      const made = await post('/decisions/overrule', { decision: one.id, verdict, reason });
      changed(text, () => undo(made.act));
    } catch (error) {
      show(error.message);
    }
  };
  const d = page.data;
  if (d && !d.total) return null; // no two conversations tell of the same part of this life
  return html`<section class="card"><h2>Decisions <span class="quiet tiny">are things in two conversations the
    same?</span></h2>
    <${Shown} of=${page}>${
      d &&
      html`<ul class="log meetings">
      ${d.items.map(
        (
          one,
        ) => html`<${Verdict} key=${one.id} one=${one} busy=${page.busy} onUndo=${() => undo(one.act)}
          onOverrule=${() => setAsked(one)}
        onAccept=${() => decide(one, one.verdict, 'accepted', 'Accepted: it stands whatever is said later.')} />`,
      )}</ul>
      <${Pager} page=${d} offset=${offset} limit=${FEW} onMove=${setOffset} />`
    }<//>
    ${asked && html`<${Overrule} one=${asked} onClose=${() => setAsked(null)}
      onDone=${(verdict, reason) => decide(asked, verdict, reason, 'Overruled: it stands whatever is said later.')}
        />`}</section>`;
}

function Claims({ name, relations }) {
  const [offset, setOffset] = useState(0);
  const [relation, setRelation] = useState('');
  const page = useData(
    (signal) => get('/dashboard/person/claims', { name, relation, offset, limit: CLAIMS }, signal),
    [name, relation, offset],
  );
  const d = page.data;
  return html`<section class="card"><h2>Claims <span class="quiet tiny">what was said, verbatim</span></h2>
    ${relations.length > 0 && html`<div class="pad"><label>Relation<select value=${relation} onChange=${(event) => {
      setOffset(0);
      setRelation(event.target.value);
    }}><option value="">everything</option>${relations.map((one) => html`<option key=${one.relation}
      value=${one.relation}>${words(one.relation)} (${number(one.claims)})</option>`)}</select></label></div>`}
    <${Shown} of=${page} empty=${d && !d.total ? 'Nothing was understood about them yet.' : null}>${
      d &&
      html`<ul class="log meetings">${d.items.map(
        (one) => html`<li class="meeting" key=${one.id}>
      <div><strong><bdi>${one.text}</bdi></strong>
      ${one.modality !== 'fact' ? html` <span class="tag">${one.modality}</span>` : ''}</div><ul><${Source}
        source=${one} /></ul></li>`,
      )}</ul>
      <${Pager} page=${d} offset=${offset} limit=${CLAIMS} onMove=${setOffset} />`
    }<//></section>`;
}

// What a reader looks for; everything else is among the claims.
function Known({ known }) {
  const sides = Object.entries(SIDES).filter(([side]) => known[side].length);
  return (
    sides.length > 0 &&
    html`<section class="card" aria-label="Known"><h2>Known <span class="quiet tiny">the newest first, without small
      talk</span></h2><div class="known">${sides.map(
        ([side, title]) => html`<div key=${side}><h3>${title}</h3><ul>${known[side].map(
          (one) => html`<li key=${one.id}><a href=${place(one)} title=${`“${one.quote}”`}><bdi>${one.text}</bdi></a>
          ${one.modality !== 'fact' ? html` <span class="tag">${one.modality}</span>` : ''} <span
          class="quiet tiny"><${When} at=${one.said_at} day /></span></li>`,
        )}</ul></div>`,
      )}</div></section>`
  );
}

function Talks({ name }) {
  const [offset, setOffset] = useState(0);
  const page = useData(
    (signal) => get('/dashboard/person/talks', { name, offset, limit: FEW }, signal),
    [name, offset],
  );
  const d = page.data;
  return html`<section class="card list"><h2>Conversations <span class="quiet tiny">in which they speak or are
    named</span></h2>
    <${Shown} of=${page}>${
    d &&
    html`<ul>${d.items.map(
      (one) => html`<li key=${one.conversation}>
      <a class="item" href=${to('conversations', { conversation: one.conversation })}><div class="title"><bdi>
      ${titleOf({ title: one.title, conversation: one.conversation })}</bdi></div>
      <div class="meta"><span>${plural(one.turns, 'turn')} of theirs or about them</span><${Days} from=${one.first_at}
      until=${one.last_at} />${one.source && html`<span class="tag">${one.source}</span>`}</div>
        </a></li>`,
    )}</ul>
    <${Pager} page=${d} offset=${offset} limit=${FEW} onMove=${setOffset} />`
  }<//></section>`;
}

function Person({ name, told }) {
  const all = useData((signal) => get('/dashboard/person', { name }, signal), [name]);
  const [toast, show] = useToast();
  const me = useMe();
  const m = me.data;
  const meChanged = () => {
    me.reload();
    all.reload();
  };
  const d = all.data;
  return html`<p><a href=${to('people')}>← All people</a></p>
    <${Head} title=${d ? d.name : name}>${d && html`<div class="row"><span class="quiet">
    ${plural(d.claims, 'claim')}, ${plural(d.conversations, 'conversation')}${d.aliases.length ? html`, also
      called <bdi>${d.aliases.join(', ')}</bdi>` : ''}</span>${
        m &&
        !told.read_only &&
        (m.key === d.key
          ? html`<${NotMe} me=${m} show=${show} onChanged=${meChanged} />`
          : !m.said && html`<${ThisIsMe} person=${m.keys.includes(d.key) ? '' : d.name} me=${m} show=${show} small
            onChanged=${meChanged} />`)
      }</div>`}<//>
    <${Shown} of=${all}>${
      d &&
      html`<p class="row"><a href=${to('graph', { person: d.name })}>Show in graph</a><a
        href=${to('conversations', { person: d.name })}>What they said</a><a href=${to('people')}>Also known by another
        name? Choose both in the list</a></p>
      <div class="stack"><section class="card" aria-label="Timeline"><h2>Timeline <span class="quiet tiny">roles and
      states over time</span></h2>${
        d.lanes.length
          ? html`<${Timeline} lanes=${d.lanes} conflicts=${d.conflicts} />`
          : html`<p class="pad quiet">No job, home, relationship, study, pet, family or project was mentioned yet.</p>`
      }</section>
      <${Known} known=${d.known} />
      ${d.conflicts.length > 0 && html`<div class="two"><${Meetings} title="Contradictions" about="cannot both be true"
      found=${d.conflicts.filter((one) => one.kind !== 'evolution')} />
        <${Meetings} title="Changes" about="one after the other"
        found=${d.conflicts.filter((one) => one.kind === 'evolution')} /></div>`}
      <${Decisions} name=${d.name} show=${show} onChanged=${all.reload} />
      <div class="two"><${Claims} name=${d.name} relations=${d.relations} /><${Talks} name=${d.name} /></div></div>`
    }<//>${toast}`;
}

export function People({ params, told }) {
  return params.name
    ? html`<${Person} key=${params.name} name=${params.name} told=${told} />`
    : html`<${Everybody} params=${params} told=${told} />`;
}
