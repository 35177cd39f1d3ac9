// What a question brought back, as cards: the passage that fits first, everything else on demand.
import { html, useMemo, useState } from './lib.js';
import { firstCharacters } from './cutting.js';
import { Said, When, Who, placeOf, rounded, titleOf, to } from './ui.js';
import { lightUp, partsOf, passageOf } from './passages.js';

// How a segment came here, in words; the trace's own word beside it for those who know it.
const WAYS = {
  entry: ['found by the question', 'Its meaning or its words fit the question.'],
  graph: ['found through links', 'It is linked with several segments that fit the question.'],
  vertical: ['said next to it', 'Said just before or after something that fits the question.'],
  lateral: ['linked by meaning', 'From another session, and similar in meaning to something that fits.'],
  link: ['linked by a typed link', 'A typed link leads here from something that fits.'],
  expanded: ['found on the way', 'It is near something that fits the question.'],
};
const CHANNELS = { semantic: 'meaning', lexical: 'words', graph: 'links' };
const EDGES = { chain: 'next in the conversation', semantic: 'similar in meaning' };
const EVIDENCE = {
  meaning: 'similar in meaning to the question',
  meaning_rank: 'many are more similar in meaning',
  meaning_stands_out: 'more similar in meaning than others',
  latest: 'said lately in its conversation',
  session_meaning: 'its session is about this',
  conversation: 'its conversation is about this',
  words: 'words of the question in it',
  words_rank: 'many have more of the words',
  session_words: 'its session has the words',
  in_time: 'said in the time asked about',
  question: 'it is a question itself',
  answers: 'it replies to such a question',
  length: 'its length',
  tells_time: 'it tells a time',
  stands_out: 'it has more of the question’s words together than others',
  tells_when: 'it tells when, as was asked',
  other_speaker: 'said by somebody else',
  absent: 'who is asked about is not in it',
};

export function wayOf(hit) {
  if (hit.role === 'expanded') return hit.path ? hit.path.kind : 'expanded';
  const found = Object.keys(hit.channels);
  return found.length === 1 && found[0] === 'graph' ? 'graph' : 'entry';
}

// The best of each channel among all hits; cosines and BM25 have no common scale.
export function bestOf(hits) {
  const best = { score: Math.max(...hits.map((hit) => hit.score), 0) };
  for (const hit of hits)
    for (const [name, at] of Object.entries(hit.channels)) best[name] = Math.max(best[name] || 0, at.score);
  return best;
}

const share = (value, most) => `${Math.max(2, Math.round((100 * Math.max(0, value)) / (most || 1)))}%`;

function Bar({ name, kind = '', value, most, told }) {
  return html`<span>${name}</span><span class="bar"><span class=${kind} style=${{ width: share(value, most) }}></span>
    </span><span>${told}</span>`;
}

function Step({ path, texts }) {
  const text = texts.get(path.from_segment);
  const edge = EDGES[path.edge] || path.edge.replace(/_/g, ' ');
  const kind = path.edge === 'chain' ? 'chain' : path.edge === 'semantic' ? '' : 'typed';
  return html`<div class="way" aria-label="Path">
    <a href=${to('graph', { id: path.from_segment })}><bdi>${text ? `“${firstCharacters(text, 60)}…”` : 'a segment'}</bdi>
    </a>
    <span class=${`link ${kind}`}>${edge}, ${rounded(path.weight, 2)}${path.steps > 1 ? `, ${path.steps} steps` : ''}
    </span><span>→ here</span></div>`;
}

function Why({ hit, best, texts }) {
  const evidence = Object.entries(hit.evidence).sort((a, b) => b[1] - a[1]);
  const most = Math.max(...evidence.map(([, value]) => value), 0.001);
  return html`<details class="why"><summary>Why it was found</summary>
    <p class="quiet">${WAYS[wayOf(hit)][1]}</p>
    ${hit.path && html`<${Step} path=${hit.path} texts=${texts} />`}
    ${hit.links.map((link) => html`<${Step} path=${link} texts=${texts} />`)}
    <div class="bars"><${Bar} name="score" kind="score" value=${hit.score} most=${best.score}
      told=${rounded(hit.score, 2)} />
      ${Object.entries(hit.channels).map(
        ([name, at]) => html`<${Bar} key=${name} name=${`by ${CHANNELS[name] || name}`} kind=${name} value=${at.score}
        most=${best[name]} told=${`place ${at.rank}`} />`,
      )}</div>
    ${evidence.length > 0 && html`<p class="quiet">What raised and lowered its score:</p><div class="bars">
      ${evidence.map(
        ([name, value]) => html`<${Bar} key=${name} name=${EVIDENCE[name] || name.replace(/_/g, ' ')} value=${value}
        most=${most} told=${`${value >= 0 ? '+' : '−'}${rounded(Math.abs(value), 1)}`} />`,
      )}</div>`}
  </details>`;
}

export function Hit({ hit, rank, best, texts, stems, mark, onMark }) {
  const [open, setOpen] = useState(false);
  const way = wayOf(hit);
  const passage = useMemo(() => passageOf(hit, stems), [hit, stems]);
  const lit = lightUp(stems);
  const isWhole = !passage.cutBefore && !passage.cutAfter && hit.spoken.length < 2;
  const place = placeOf(hit.conversation_id, hit.session_id, hit.turn_ids[0]);
  const press = (value) =>
    html`<button class="small" aria-pressed=${mark === value} onClick=${() => onMark(mark === value ? null : value)}>
      ${value === 'yes' ? 'Useful' : 'Not useful'}</button>`;
  return html`<li class="hit card">
    <div class="top"><span class="rank">${rank}</span><a class="from" href=${place} title="Read it where it was said">
      <bdi>${titleOf({ title: hit.title, conversation: hit.conversation_id, session: hit.session_id })}</bdi></a>
      <${When} at=${hit.said_at} day /><span class="grow"></span>
      <span class=${`tag role-${way}`} title=${WAYS[way][1]}>${WAYS[way][0]}</span></div>
    ${
      open
        ? partsOf(hit).map(
            (part, n) => html`<div class="part" key=${n}><${Who} name=${part.speaker} /><${Said} text=${part.text}
            mark=${lit} /></div>`,
          )
        : html`<div class="part"><${Who} name=${passage.speaker} /><p class="said passage" dir="auto">
          ${passage.cutBefore && '… '}${lit(passage.text)}${passage.cutAfter && ' …'}</p></div>`
    }
    ${open && html`<${Why} hit=${hit} best=${best} texts=${texts} />`}
    <div class="row"><button class="small" aria-expanded=${open} onClick=${() => setOpen(!open)}>
      ${open ? 'Fold' : isWhole ? 'Details' : 'Show all'}</button><a href=${place}>Read in place</a><a
      href=${to('graph', { id: hit.segment_id })}>Show in graph</a><span class="grow"></span>
      ${open && press('yes')}${open && press('no')}</div>
  </li>`;
}
