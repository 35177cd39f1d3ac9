// What happens now: turns, acts and imports as they come.
import { html, useState, useEffect, useRef } from '../lib.js';
import { cutText } from '../cutting.js';
import { get, pathTo, remove } from '../api.js';
import { Head, When, bytes, number, plural, to, useData, useToast, withCode } from '../ui.js';
import { ENDED, ImportForm, added } from '../importing.js';

const KEPT = 200; // events on the page

function useEvents(onJob) {
  const [list, setList] = useState([]);
  const [state, setState] = useState('connecting');
  const job = useRef(onJob);
  job.current = onJob;
  useEffect(() => {
    let count = 0;
    const stream = new EventSource(pathTo('/events'));
    const add = (...items) =>
      setList((old) =>
        [
          ...items.map((item) => ({ ...item, key: (count += 1), at: item.at || new Date().toISOString() })),
          ...old,
        ].slice(0, KEPT),
      );
    stream.onopen = () => setState('listening');
    stream.onerror = () => setState(stream.readyState === EventSource.CLOSED ? 'ended' : 'connecting');
    stream.addEventListener('turns', async (event) => {
      const told = JSON.parse(event.data);
      if (told.removed) add({ kind: 'gone', text: `${plural(told.removed, 'segment')} went.` });
      if (told.more) add({ kind: 'turns', text: 'Many new segments at once.' });
      const found = await Promise.all(told.added.slice(-20).map((id) => get('/segment', { id }).catch(() => null)));
      add(
        ...found
          .filter(Boolean)
          .reverse()
          .map(({ segment }) => ({ kind: 'turns', text: segment.text, segment })),
      );
    });
    stream.addEventListener('acts', (event) => {
      const told = JSON.parse(event.data);
      add({
        kind: 'act',
        text: `${told.kind}, act ${told.act}${told.undone_at ? ', undone' : ''}`,
        at: told.undone_at || told.at,
      });
    });
    stream.addEventListener('spool', (event) => {
      const told = JSON.parse(event.data);
      add({
        kind: 'spool',
        text: `${number(told.waiting)} waiting to be stored (${bytes(told.bytes)})${told.failed ? `, ${told.failed} set aside` : ''}`,
      });
    });
    stream.addEventListener('job', () => job.current());
    return () => stream.close();
  }, []);
  return [list, state];
}

function Jobs({ jobs, onCancel }) {
  return html`<ul class="log">${jobs.map(
    (job) => html`<li key=${job.id}><${When} at=${job.began_at} />
    <span class="grow"><bdi>${job.filename}</bdi> <span class="tag">${job.state}</span> <span class="quiet">
    ${plural(job.turns, 'turn')}${job.problems ? `, ${plural(job.problems, 'remark')}` : ''}</span>
      ${job.state === 'done' && job.report && html`<div>${added(job.report)} <a
        href=${to('overview', { imported: job.id })}>See the timeline</a></div>`}
      ${job.failure && html`<div class="error">${withCode(job.failure.detail)}</div>`}
      ${job.report && job.report.problems.slice(0, 5).map((one, n) => html`<div class="tiny quiet" key=${n}><bdi>
        ${one.where}</bdi>: ${one.reason}</div>`)}</span>
    ${!ENDED.includes(job.state) && html`<span class="progress" role="progressbar" aria-label="Importing"><span></span>
      </span><button class="small" onClick=${() => onCancel(job.id)}>Cancel</button>`}</li>`,
  )}</ul>`;
}

export function Live() {
  const jobs = useData((signal) => get('/jobs', {}, signal), []);
  const [list, state] = useEvents(() => jobs.reload());
  const [toast, show] = useToast();
  const cancel = async (id) => {
    try {
      await remove(`/jobs/${id}`);
    } catch (error) {
      show(error.message);
    }
    jobs.reload();
  };
  const listed = [...(jobs.data || [])].reverse();
  return html`<${Head} title="Live"><span class="quiet" role="status"><span
    class=${`dot ${state === 'listening' ? '' : 'idle'}`}></span>${state}</span><//>
    <div class="stack">
      <section class="card"><h2>Import</h2><div class="pad">
        <${ImportForm} onStarted=${jobs.reload} onError=${show} /></div>
        ${listed.length > 0 && html`<${Jobs} jobs=${listed} onCancel=${cancel} />`}</section>
      <section class="card"><h2>As it happens</h2>${
        list.length
          ? html`<ul class="log" aria-live="polite">${list.map(
              (item) => html`<li key=${item.key}><${When} at=${item.segment ? item.segment.said_at : item.at} />
            <span class="grow"><span class="tag">
            <bdi>${item.kind === 'turns' && item.segment ? item.segment.speakers.join(', ') : item.kind}</bdi></span> <span
              dir="auto">${cutText(item.text, 401)}</span></span>
            ${item.segment && html`<a
              href=${item.segment.kind === 'note' ? to('notes') : to('conversations', { conversation: item.segment.conversation_id, session: item.segment.session_id, turn: item.segment.turn_ids[0] })}>Read</a>`}</li>`,
            )}</ul>`
          : html`<p class="pad quiet">Nothing yet. What is said, noted or done from now on appears here within a second
            or two.</p>`
      }</section>
    </div>${toast}`;
}
