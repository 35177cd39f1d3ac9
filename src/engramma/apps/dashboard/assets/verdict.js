// What the memory answers to a question, or why it does not, with the turns that it rests on.
import { html } from './lib.js';
import { post } from './api.js';
import { When, Who, placeOf, plural, useData } from './ui.js';

function Source({ one }) {
  const place = placeOf(one.conversation, one.session, one.turn_id);
  return html`<li><${Who} name=${one.speaker} /><${When} at=${one.said_at} day /><a class="grow said" href=${place}
    dir="auto">${one.text.length > 300 ? `${one.text.slice(0, 299)}…` : one.text}</a></li>`;
}

export function Verdict({ question, conversation = null }) {
  const found = useData((signal) => post('/ask', { question, conversation }, {}, signal), [question, conversation]);
  if (found.error) return html`<p class="card pad error" role="alert">${found.error}</p>`;
  if (!found.data || found.busy) return html`<p class="card pad quiet" role="status">Answering…</p>`;
  const a = found.data;
  const sure = Math.round(a.confidence * 100);
  return html`<section class=${`card verdict ${a.abstained ? 'held-back' : ''}`} aria-label="Verdict"><div class="pad">
      <p class="row"><span class="tag">${a.abstained ? 'No answer' : 'Answer'}</span>${a.person && html`<span
      class="quiet">about</span><${Who} name=${a.person} />`}
        <span class="grow"></span><span class="quiet tiny">confidence: ${sure} %</span><span class="bar sure"
        role="img" aria-label=${`Confidence ${sure} %`}><span style=${{ width: `${Math.max(2, sure)}%` }}></span>
          </span></p>
      ${a.abstained ? html`<p class="said answer">Not answered${a.reason ? html`: <span dir="auto">${a.reason}
        </span>` : ''}.</p>` : html`<p class="said answer" dir="auto">${a.text}</p>${a.reason && html`<p class="quiet"
        dir="auto">${a.reason}</p>`}`}</div>
    ${a.evidence.length > 0 && html`<details open=${a.evidence.length <= 3}><summary>
      ${plural(a.evidence.length, 'turn')} it is based on</summary><ul class="log roomy">
        ${a.evidence.map((one) => html`<${Source} key=${`${one.conversation}/${one.turn_id}`} one=${one} />`)}</ul>
          </details>`}
  </section>`;
}
