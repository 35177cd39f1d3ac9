// What is remembered, how it grows, and whether everything is well.
import { html, useEffect, useRef } from '../lib.js';
import { get, script } from '../api.js';
import { Days, Head, Reason, Shown, When, bytes, heldDay, number, plural, to, useData } from '../ui.js';
import { dates } from '../locale.js';
import { ImportButton } from '../importing.js';
import { Greeting, Life } from '../life.js';

const DAY = 86400;
const OWN_EDGES = ['chain', 'semantic']; // of the graph itself; all others are typed links

// Days in a row, or weeks where they are many; what was silent counts as zero.
function series(activity) {
  const first = activity[0][0];
  const last = activity[activity.length - 1][0];
  const step = last - first > 400 ? 7 : 1;
  const counts = new Array(Math.floor((last - first) / step) + 1).fill(0);
  for (const [day, turns] of activity) counts[Math.floor((day - first) / step)] += turns;
  return { step, data: [counts.map((_, n) => (first + n * step) * DAY), counts] };
}

const dayTold = (at, turns, step) =>
  `${step === 1 ? '' : 'week of '}${heldDay(at * 1000)}: ${plural(turns, 'turn')}`;

// The axis in the browser's language: days, months or years, as far apart as they stand.
const AXIS_DAY = dates({ month: 'short', day: 'numeric', timeZone: 'UTC' });
const AXIS_MONTH = dates({ month: 'short', year: 'numeric', timeZone: 'UTC' });
const axisDates = (_, splits, axis, space, step) =>
  splits.map((at) => {
    const date = new Date(at * 1000);
    if (step < 28 * DAY) return AXIS_DAY.format(date);
    return step < 360 * DAY ? AXIS_MONTH.format(date) : String(date.getUTCFullYear());
  });

function Activity({ activity }) {
  const box = useRef(null);
  const note = useRef(null);
  useEffect(() => {
    let chart = null;
    let gone = false;
    const draw = () => {
      if (gone || !box.current || !window.uPlot) return; // the view was left meanwhile, or the script is on its way
      if (chart) chart.destroy();
      const style = getComputedStyle(document.documentElement);
      const colour = (name) => style.getPropertyValue(name).trim();
      const { step, data } = series(activity);
      const axis = {
        stroke: colour('--soft'),
        grid: { stroke: colour('--line'), width: 1 },
        ticks: { show: false },
        font: '12px Inter, sans-serif',
      };
      const name = step === 1 ? 'Turns a day' : 'Turns a week';
      chart = new window.uPlot(
        {
          width: box.current.clientWidth,
          height: 200,
          cursor: { points: { show: false } },
          legend: { show: false },
          hooks: {
            setCursor: [
              (u) => {
                note.current.textContent =
                  u.cursor.idx === null ? '' : dayTold(u.data[0][u.cursor.idx], u.data[1][u.cursor.idx], step);
              },
            ],
          },
          tzDate: (seconds) => window.uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
          scales: {
            x: { range: (_, low, high) => [low - step * DAY, high + step * DAY] },
            y: { range: (_, low, high) => [0, Math.max(high, 1) * 1.1] },
          },
          axes: [
            { ...axis, grid: { show: false }, values: axisDates, space: 76, size: 28 },
            { ...axis, size: 46, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 10000, 100000] },
          ],
          series: [
            { label: 'Day', value: '{YYYY}-{MM}-{DD}' },
            {
              label: name,
              fill: colour('--accent'),
              stroke: colour('--accent'),
              width: 0, // of a border: a day without a turn is no line
              paths: window.uPlot.paths.bars({ size: [0.7, 26, 1] }),
              points: { show: false },
            },
          ],
        },
        data,
        box.current,
      );
    };
    script('/assets/vendor/uPlot.iife.min.js').then(draw);
    addEventListener('resize', draw);
    addEventListener('themechange', draw);
    return () => {
      gone = true;
      removeEventListener('resize', draw);
      removeEventListener('themechange', draw);
      if (chart) chart.destroy();
    };
  }, [activity]);
  const most = activity.reduce((best, one) => (one[1] > best[1] ? one : best), [0, 0]);
  const busiest = heldDay(most[0] * DAY * 1000);
  return html`<section class="card"><h2>Activity <span class="quiet tiny">turns
    per ${activity[activity.length - 1][0] - activity[0][0] > 400 ? 'week' : 'day'}</span></h2>
    <div class="chart" ref=${box} role="img"
    aria-label=${`Turns over time; most on ${busiest}: ${number(most[1])}.`}></div><p class="quiet tiny note"
      ref=${note}></p></section>`;
}

// What to do first, where nothing is remembered.
function Beginning() {
  return html`<section class="card pad greeting" aria-label="How to begin"><h2>Nothing is remembered yet</h2>
    <p>Import an export of your chats, from ChatGPT, Claude, Gemini, WhatsApp and many more; let an assistant remember
    by itself with <code>engramma connect</code>; or write a <a href=${to('notes')}>note</a>.</p></section>`;
}

function Capture({ status }) {
  const { capture, spool, relayed, scribe, worker } = status;
  const dropped = (scribe.dropped || 0) + (worker.dropped || 0);
  const well = capture.state === 'on' || capture.state === 'capturing';
  return html`<section class="card"><h2>Capture</h2><dl class="pairs">
    <div><dt>State</dt><dd><span class=${`dot ${well ? '' : 'idle'}`}></span>
    ${capture.state}${capture.until ? html` until <${When} at=${capture.until} />` : ''}</dd></div>
    <div><dt>Requests relayed</dt><dd>${number(relayed.relayed)}</dd></div>
    <div><dt>Exchanges captured</dt><dd>${number(worker.captured)}</dd></div>
    <div><dt>Waiting to be stored</dt><dd>${number(spool.items)} (${bytes(spool.bytes)})</dd></div>
    <div><dt>Set aside, dropped</dt><dd>${number(spool.failed)}, ${number(dropped)}</dd></div>
    <div><dt>Last error</dt><dd>${worker.last_error ? html`<span class="error">${worker.last_error}</span> <${When}
    at=${worker.last_error_at} />` : 'none'}</dd></div>
  </dl></section>`;
}

function Acts({ acts }) {
  return html`<section class="card"><h2>Latest acts</h2>${
    acts.length
      ? html`<ul class="log">${acts.map(
          (act) => html`<li key=${act.id}>
        <${When} at=${act.at} day /><span class="grow"><span class="tag">${act.kind}
        </span> <${Reason} text=${act.reason} />${act.undone_at ? html` <span class="quiet">(undone)</span>` : ''}</span>
        </li>`,
        )}</ul>`
      : html`<p class="pad quiet">Neither you nor the steward has changed anything yet.</p>`
  }</section>`;
}

export function Overview({ params, told }) {
  const facts = useData((signal) => get('/dashboard/overview', {}, signal), []);
  const status = useData((signal) => get('/status', {}, signal), []);
  const acts = useData((signal) => get('/acts', { limit: 8 }, signal), []);
  const f = facts.data;
  const size = f ? Object.values(f.bytes).reduce((sum, one) => sum + one, 0) : 0;
  const linked = f
    ? Object.entries(f.edges).reduce((sum, [kind, count]) => sum + (OWN_EDGES.includes(kind) ? 0 : count), 0)
    : 0;
  const masked = f ? Object.entries(f.redacted) : [];
  return html`<${Head} title="Overview">${f && f.last_turn && html`<span class="quiet">
    <${Days} from=${f.first_turn} until=${f.last_turn} /></span>`}${!told.read_only && html`<${ImportButton}
    primary=${Boolean(f && !f.turns)} />`}<//>
    <${Shown} of=${facts}>${
      f &&
      html`<div class="stack">
      ${params.imported && html`<${Greeting} id=${params.imported} />`}
      ${!f.turns && html`<${Beginning} />`}
      <dl class="card figures">
        ${[
          ['Conversations', f.conversations],
          ['Sessions', f.sessions],
          ['Turns and notes', f.turns, 'All that was said, with notes and the sections of documents'],
          ['People', f.people],
          ['Notes', f.notes],
          ['Documents', f.documents],
          ['Topics', f.topics],
          ['Typed links', linked, 'What you or notes linked, as `engramma links` lists it'],
        ].map(
          ([name, value, about]) => html`<div key=${name} title=${about}><dt>${name}</dt><dd>${number(value)}</dd>
            </div>`,
        )}
        <div><dt>On disk</dt><dd>${bytes(size)}</dd></div>
      </dl>
      ${f.turns > 0 && html`<${Life} />`}
      ${f.activity.length > 0 && html`<${Activity} activity=${f.activity} />`}
      <div class="two">
        <div class="stack">
          <${Shown} of=${status}>${status.data && html`<${Capture} status=${status.data} />`}<//>
          <section class="card"><h2>Masked secrets</h2>${
            masked.length
              ? html`<dl class="pairs">${masked.map(([rule, count]) => html`<div key=${rule}><dt>${rule}</dt><dd>
                ${number(count)}</dd></div>`)}</dl>`
              : html`<p class="pad quiet">No secrets were found so far.</p>`
          }</section>
        </div>
        <div class="stack">
          ${f.top.length > 0 && html`<section class="card"><h2>Who speaks most</h2><dl class="pairs">${f.top.map(
            (one) => html`<div key=${one.name}>
            <dt><a href=${to('conversations', { person: one.name })}><bdi>${one.name}</bdi></a></dt><dd>
            ${plural(one.turns, 'turn')}</dd></div>`,
          )}</dl></section>`}
          <${Shown} of=${acts}>${acts.data && html`<${Acts} acts=${acts.data} />`}<//>
        </div>
      </div></div>`
    }<//>`;
}
