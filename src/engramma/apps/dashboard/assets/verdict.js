// What the memory answers to a question, or that it is not sure, or why it does not: a quote first, with its source.
// Where a language model writes the answer, its sentences appear as they are written and checked.
import { html, useEffect, useState } from './lib.js';
import { cutText } from './cutting.js';
import { SILENT, follow } from './api.js';
import { When, Who, number, placeOf, plural, sentence, titleOf, toldDays, withCode } from './ui.js';
import { lightUp, stemsOf } from './passages.js';

const LONGEST = 300; // characters shown of a turn that is evidence
const GUESS = 0.75; // an answer less sure than this is told with "Perhaps", as on the command line
const SAYS = {
  answered: ['Answer', ''],
  perhaps: ['Perhaps', 'Not certain: see what was said.'],
  unsure: ['Unsure', 'This is a guess, not an answer. It is the nearest that was said, and may be about something else.'],
  'worked out': ['Unsure', 'This is not an answer: nobody said it, it has to be worked out. This is what was found.'],
  'not known': ['Not known', 'There is no answer here, and none is guessed.'],
};

const wordsOf = (a) => {
  if (a.verdict === 'answered') return SAYS[a.confidence < GUESS ? 'perhaps' : 'answered'];
  return SAYS[a.verdict === 'unsure' && /worked out/.test(a.reason) ? 'worked out' : a.verdict];
};
const cut = (text) => cutText(text, LONGEST);

function Source({ one }) {
  const place = placeOf(one.conversation, one.session, one.turn_id);
  return html`<li><${Who} name=${one.speaker} /><${When} at=${one.said_at} day /><a class="grow said" href=${place}
    dir="auto">${cut(one.text)}</a></li>`;
}

// Who said the quote, when, and in which conversation; a click leads there.
function Cited({ one }) {
  return html`<footer class="meta cited"><${Who} name=${one.speaker} /><${When} at=${one.said_at} day /><a
    href=${placeOf(one.conversation, one.session, one.turn_id)}><bdi>${titleOf(one)}</bdi></a>
    </footer>`;
}

// The sentences of a language model, each with the turns that it rests on.
function Written({ sentences }) {
  return html`<ul class="written">${sentences.map(
    (one, n) => html`<li key=${n}><span class="said" dir="auto">${one.text}</span> ${one.evidence.map(
      (turn) => html`<a key=${turn.turn_id} class="source" title=${cut(turn.text)}
        href=${placeOf(turn.conversation, turn.session, turn.turn_id)}><bdi>${turn.speaker}</bdi>, <${When}
        at=${turn.said_at} day /></a>`,
    )}</li>`,
  )}</ul>`;
}

// An answer as it comes: what was found without the model, sentences one by one, then the whole.
function useAnswer(question, conversation) {
  const [state, setState] = useState({});
  useEffect(() => {
    const control = new AbortController();
    setState({});
    const heard = (kind, data) => {
      if (control.signal.aborted) return;
      if (kind === 'sentence') setState((old) => ({ ...old, sentences: [...(old.sentences || []), data] }));
      else if (kind === 'error') setState((old) => ({ ...old, error: data.detail }));
      else setState((old) => ({ ...old, [kind]: data }));
    };
    const end = (error) => {
      if (!control.signal.aborted) setState((old) => ({ ...old, error: old.answer ? null : error }));
    };
    follow('/ask', { question, conversation, stream: true }, control.signal, heard).then(
      () => end('The answer broke off.'),
      (error) => end(error.message),
    );
    return () => control.abort();
  }, [question, conversation]);
  return state;
}

export function Verdict({ question, conversation = null }) {
  const { found, sentences = [], answer, error } = useAnswer(question, conversation);
  if (error === SILENT) return null; // what was recalled, below, says the same
  if (error) return html`<p class="card pad error" role="alert">${withCode(error)}</p>`;
  if (!answer && !sentences.length)
    return html`<p class="card pad quiet" role="status">${found ? 'The language model is writing…' : 'Answering…'}</p>`;
  if (!answer)
    return html`<section class="card verdict answered" aria-label="Verdict" aria-busy="true"><div class="pad">
      <p class="row"><span class="tag">Writing…</span></p><${Written} sentences=${sentences} /></div></section>`;
  const a = answer;
  const [name, remark] = wordsOf(a);
  const isAnswer = a.verdict === 'answered';
  const sure = Math.round(a.confidence * 100);
  const [first, ...others] = a.evidence;
  const lit = lightUp(stemsOf(question));
  const isCited = !a.sentences.length && a.quote && first; // then its source stands below it, and is told once
  return html`<section class=${`card verdict ${a.verdict.replace(' ', '-')}`} aria-label="Verdict"><div class="pad">
      <p class="row"><span class="tag">${name}</span>${a.person && html`<span class="quiet">about</span><${Who}
      name=${a.person} />`}
        ${isAnswer && html`<span class="grow"></span><span class="quiet tiny">confidence: ${number(sure)} %</span><span
        class="bar sure" role="img" aria-label=${`Confidence ${sure} %`}><span
        style=${{ width: `${Math.max(2, sure)}%` }}></span></span>`}</p>
      ${remark && html`<p class="remark">${remark}</p>`}
      ${a.short && html`<p class="said answer" dir="auto">${toldDays(a.short)}</p>`}
      ${a.sentences.length > 0 && html`<${Written} sentences=${a.sentences} />`}
      ${!a.quote && !isAnswer && !a.sentences.length && html`<p class="said answer" dir="auto">
        ${sentence(a.reason) || 'Nothing that was said answers this.'}</p>`}
      ${!a.sentences.length && a.quote && html`<blockquote class="quoted said" dir="auto">“${lit(a.quote)}”</blockquote>`}
      ${isCited && html`<${Cited} one=${first} />`}
      ${isAnswer && a.reason && !isCited && html`<p class="quiet tiny" dir="auto">${sentence(a.reason)}</p>`}
      ${a.remark && html`<p class="quiet tiny remark" role="note">${sentence(a.remark)}</p>`}
    </div>
    ${(a.quote ? others : a.evidence).length > 0 && html`<details open=${!isAnswer && !a.quote}><summary>${
      isAnswer
        ? `${plural(a.evidence.length, 'turn')} it is based on`
        : `${plural(a.evidence.length, 'turn')} that ${a.evidence.length > 1 ? 'were' : 'was'} found`
    }</summary><ul class="log roomy">
        ${a.evidence.map((one) => html`<${Source} key=${`${one.conversation}/${one.turn_id}`} one=${one} />`)}</ul>
          </details>`}
  </section>`;
}
