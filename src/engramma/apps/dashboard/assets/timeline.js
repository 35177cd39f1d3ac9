// A life as lanes over time: each value a bar from when it held to when it ended, changes and contradictions marked.
import { html, useState, useEffect, useRef } from './lib.js';
import { dates } from './locale.js';
import { When, heldDay, titleOf, to } from './ui.js';

const DAY = 86400000;
const ROOM = 170; // pixels at the right end for the label of what began last; on a phone half of all
const NARROW = 520; // pixels of a phone
const LETTER = 7.4; // pixels of a letter, about
const ROW = 36;
const LATEST = 12; // bars of a lane before somebody asks for the earlier ones
const MONTH = dates({ year: 'numeric', month: 'short', timeZone: 'UTC' });
const often = (times) => (times === 1 ? 'once' : `${times} times`);
export const words = (name) => name.replace(/_/g, ' ');
export const place = (source) =>
  to('conversations', { conversation: source.conversation, session: source.session, turn: source.turn });

// The first days of years, quarters or months, whichever are few enough to be read.
function ticks(first, last, most) {
  const found = [];
  for (const months of [1, 3, 6, 12, 24, 60, 120]) {
    found.length = 0;
    const at = new Date(first);
    let next = Date.UTC(
      at.getUTCFullYear(),
      Math.floor(at.getUTCMonth() / Math.min(months, 12)) * Math.min(months, 12),
      1,
    );
    while (next <= last) {
      const day = new Date(next);
      if (next >= first)
        found.push([next, months < 12 ? MONTH.format(day) : String(day.getUTCFullYear())]);
      next = Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + months, 1);
    }
    if (found.length <= most) return found;
  }
  return found.slice(0, most);
}

// Rows on which no bar or label lies upon another. Where a label has no room behind the start of its bar, as on a
// phone, it begins before it, and is not cut off.
function packed(periods, at, right, wide) {
  const ends = [];
  return periods.map((period) => {
    const start = at(period.since);
    const end = period.until ? at(period.until) : right;
    const label = Math.min(period.value.length, 30) * LETTER + 26;
    const left = Math.max(0, Math.min(start, wide - label));
    const room = Math.max(end, left + label);
    let row = ends.findIndex((last) => last <= left);
    if (row < 0) row = ends.length;
    ends[row] = room + 6;
    return { period, left, start: start - left, width: Math.max(end - start, 6), label, row };
  });
}

function Lane({ lane, earlier, whole, onWhole, colour, met, at, right, wide, chosen, onChoose }) {
  const bars = packed(lane.periods, at, right, wide);
  const rows = Math.max(0, ...bars.map((bar) => bar.row)) + 1;
  return html`<div class="lane"><h3 class="lane-name">${lane.group}</h3>
    <ul class="lane-bars" style=${{ height: `${rows * ROW}px` }} aria-label=${`${lane.about}, over time`}>
      ${bars.map(
        ({
          period,
          left,
          start,
          width,
          label,
          row,
        }) => html`<li key=${`${period.since}${period.value}`}><button class="period"
          aria-pressed=${chosen === period ? 'true' : 'false'}
        style=${{ left: `${left}px`, top: `${row * ROW}px`, width: `${Math.max(start + width, label)}px`, '--start': `${start}px` }}
          onClick=${() => onChoose(period)}
        aria-label=${`${lane.group}: ${period.value}, from ${heldDay(period.since)} ${period.until ? `to ${heldDay(period.until)}` : 'on'}, said ${often(period.said)}`}>
        <span class=${`span hue-${colour} ${period.until ? '' : 'open'}`} style=${{ width: `${width}px` }}></span><bdi>
        ${period.value}</bdi></button></li>`,
      )}
    </ul>
    <div class="lane-marks">${met
      .filter((one) => one.group === lane.group)
      .map(
        (one) => html`<span key=${one.at + one.later.id} class=${`met ${one.kind}`} role="img"
      style=${{ left: `${at(one.at)}px` }} aria-label=${`${one.kind} on ${heldDay(one.at)}`}
        title=${`${one.kind}: ${one.earlier.value} and ${one.later.value}`}>${one.kind === 'evolution' ? '→' : '≠'}
          </span>`,
      )}</div>${
        earlier > 0 &&
        html`<button class="small earlier" aria-expanded=${whole} onClick=${onWhole}>${
          whole ? 'Only the latest' : `Show ${earlier} earlier`
        }</button>`
      }</div>`;
}

export function Source({ source }) {
  return html`<li class="source"><span class="said" dir="auto">“${source.quote ?? source.text}”</span>
    <div class="meta"><bdi>${source.speaker}</bdi><${When} at=${source.said_at} day /><bdi>${titleOf(source)}</bdi>
    <a href=${place(source)}>Read in place</a></div></li>`;
}

export function Timeline({ lanes, conflicts }) {
  const box = useRef(null);
  const [wide, setWide] = useState(900);
  const [chosen, setChosen] = useState(null);
  useEffect(() => {
    const measure = () => {
      if (box.current) setWide(Math.max(280, box.current.clientWidth - 42));
    };
    measure();
    addEventListener('resize', measure);
    return () => removeEventListener('resize', measure);
  }, []);
  const [open, setOpen] = useState([]); // lanes of which all bars are shown
  const flip = (group) => setOpen(open.includes(group) ? open.filter((one) => one !== group) : [...open, group]);
  const earlier = (lane) => Math.max(0, lane.periods.length - LATEST);
  const shown = lanes.map((lane) =>
    open.includes(lane.group) ? lane : { ...lane, periods: lane.periods.slice(earlier(lane)) },
  );
  const times = shown.flatMap((lane) =>
    lane.periods.flatMap((one) => [one.since, one.until].filter(Boolean).map((at) => Date.parse(at))),
  );
  const first = Math.min(...times);
  const last = Math.max(...times, first + 30 * DAY);
  const edge = (last - first) * 0.06;
  const right = wide < NARROW ? wide / 2 : wide - ROOM;
  const at = (moment) => ((Date.parse(moment) - first + edge) / (last - first + 2 * edge)) * right;
  return html`<div class="timeline-scroll" ref=${box}><div class="timeline" style=${{ width: `${wide}px` }}>
      <div class="axis" aria-hidden="true">
      ${ticks(first - edge, last + edge, Math.floor(right / 86)).map(([moment, label]) => html`<span key=${moment}
        style=${{ left: `${((moment - first + edge) / (last - first + 2 * edge)) * right}px` }}>${label}</span>`)}
          </div>
      ${shown.map((lane, n) => html`<${Lane} key=${lane.group} lane=${lane} colour=${n % 8} at=${at}
        earlier=${earlier(lanes[n])} whole=${open.includes(lane.group)} onWhole=${() => flip(lane.group)}
        met=${conflicts.filter((one) => Date.parse(one.at) >= first)} right=${right} wide=${wide} chosen=${chosen} onChoose=${(period) => setChosen(chosen === period ? null : period)} />`)}
    </div></div>
    <div class="keys"><span><span class="met evolution" aria-hidden="true">→</span> changed</span><span><span
    class="met contradiction" aria-hidden="true">≠</span> contradicts</span><span>A bar without an end is still true.
      Choose one to see who said so.</span></div>
    <div aria-live="polite">${
      chosen &&
      html`<div class="chosen"><p><strong><bdi>${chosen.value}</bdi></strong> <span class="quiet">
        ${words(chosen.relation)}, ${heldDay(chosen.since)} ${chosen.until ? `to ${heldDay(chosen.until)}` : 'on'},
        said ${often(chosen.said)}</span></p>
      <ul>${chosen.sources.map((source) => html`<${Source} key=${source.id} source=${source} />`)}</ul></div>`
    }</div>`;
}
