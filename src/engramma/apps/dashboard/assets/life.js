// A life by months: how much was said, the talks that stand out, and what began for whom, each with its source.
import { html, useState } from './lib.js';
import { get } from './api.js';
import { dates } from './locale.js';
import { Shown, When, plural, titleOf, to, useData } from './ui.js';
import { added } from './importing.js';
import { plainLines } from './markdown.js';

const DOCUMENTS = 'engramma:documents';
const PAGE = 6; // months at a time
const NAMES = dates({ month: 'long', year: 'numeric', timeZone: 'UTC' });
const nameOf = (month) => NAMES.format(new Date(`${month}-01T00:00:00Z`));
const next = (month) => {
  const [year, number] = month.split('-').map(Number);
  return number === 12 ? `${year + 1}-01-01` : `${year}-${String(number + 1).padStart(2, '0')}-01`;
};

function Talk({ one }) {
  return html`<li><a href=${to('conversations', { conversation: one.conversation, session: one.session })}><bdi>
    ${titleOf(one)}</bdi></a> <span class="quiet tiny"><${When} at=${one.started_at} day />, ${plural(one.turns, 'turn')}
    </span>
    ${one.opening && html`<span class="begins quiet" dir="auto">${plainLines(one.opening).join(' ')}</span>`}</li>`;
}

function Began({ one }) {
  const { conversation, session, turn } = one.source;
  return html`<li><a class="began" href=${to('conversations', { conversation, session, turn })}
    title=${`“${one.source.quote}”`}><bdi>${one.person}</bdi> · ${one.about}: <strong><bdi>${one.value}</bdi>
    </strong>${one.is_first_told && html` <span class="quiet tiny">first told</span>`}</a></li>`;
}

function Month({ one, most }) {
  const share = one.turns ? Math.max(3, Math.round((100 * one.turns) / (most || 1))) : 0;
  const much = plural(one.turns, one.sessions ? 'turn' : one.documents ? 'section' : 'note');
  const left = one.sessions - one.talks.length;
  const span = { since: `${one.month}-01`, until: next(one.month) };
  return html`<li class="month"><div class="month-name"><h3>${nameOf(one.month)}</h3>
      <span class="bar" role="img" aria-label=${much}><span style=${{ width: `${share}%` }}></span>
      </span><span class="quiet tiny">${one.turns ? much : 'told later'}</span></div>
    <div class="month-said">
      ${one.moments.length > 0 && html`<ul class="moments">${one.moments.map((began, n) => html`<${Began} key=${n}
        one=${began} />`)}</ul>`}
      ${one.turns > 0 && !one.sessions && !one.documents && html`<p class="quiet"><a href=${to('notes')}>Notes</a> only</p>`}
      <ul class="talks">${one.talks.map((talk) => html`<${Talk} key=${`${talk.conversation}/${talk.session}`}
        one=${talk} />`)}
      ${left > 0 && html`<li><a class="quiet" href=${to('conversations', span)}>and ${plural(left, 'more session')}</a>
        </li>`}${one.documents > 0 && html`<li><a class="quiet" href=${to('conversations', { ...span, source: DOCUMENTS })}>
        ${plural(one.documents, 'document')}</a></li>`}</ul></div></li>`;
}

export function Life() {
  const [shown, setShown] = useState(PAGE);
  const page = useData((signal) => get('/dashboard/life', { limit: shown }, signal), [shown]);
  const d = page.data;
  if (d && !d.total) return null;
  return html`<section class="card life" aria-label="Timeline"><h2>Timeline <span class="quiet tiny">what you talked
    about, month by month</span></h2>
    <${Shown} of=${page}>${
      d &&
      html`<ol class="months">${d.items.map((one) => html`<${Month} key=${one.month} one=${one} most=${d.most}
        />`)}</ol>
      ${d.next !== null && shown < 200 && html`<p class="pad"><button
        onClick=${() => setShown(Math.min(200, shown + PAGE))} disabled=${page.busy}>Earlier months</button></p>`}`
    }<//></section>`;
}

// After an import: what came in, and where to go on.
export function Greeting({ id }) {
  const job = useData((signal) => get(`/jobs/${id}`, {}, signal), [id]);
  const report = job.data && job.data.report;
  if (!report) return null;
  const left = report.problems.length;
  return html`<section class="card pad greeting" role="status"><h2>${added(report)}</h2>
    <p>This is what it looks like over time. Ask something in <a href=${to('recall')}>Recall</a>, look who is in it
    under <a href=${to('people')}>People</a>, or see all of it as a <a href=${to('graph')}>graph</a>.</p>
    ${left > 0 && html`<p class="quiet">There ${left > 1 ? 'are' : 'is'} ${plural(left, 'remark')} on what was read:
      see <a href=${to('live')}>Live</a>.</p>`}</section>`;
}
