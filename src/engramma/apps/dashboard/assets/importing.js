// Import a file where one looks for it: choose or drop it, see how far it is, and be led to what came in.
import { html, useEffect, useRef, useState } from './lib.js';
import { get, post, remove } from './api.js';
import { Dialog, go, plural, withCode } from './ui.js';

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone; // of times that name none
const LOOK = 500; // milliseconds between two looks at an import
export const ENDED = ['done', 'failed', 'cancelled'];

// What an import added, in words.
export function added(report) {
  if (!report.turns) return 'Nothing new: all of it was already here.';
  const counts = [plural(report.conversations, 'conversation'), plural(report.turns, 'turn')];
  return `${counts.join(' with ')} added.`;
}

export function ImportForm({ onStarted, onError }) {
  const [file, setFile] = useState(null);
  const [date, setDate] = useState('');
  const [busy, setBusy] = useState(false);
  const [over, setOver] = useState(false);
  const send = async (event) => {
    event.preventDefault();
    setBusy(true);
    try {
      onStarted(await post('/import', file, { filename: file.name, date, timezone: ZONE, wait: 0 }));
    } catch (error) {
      onError(error.message);
    }
    setBusy(false);
  };
  const dropped = (event) => {
    event.preventDefault();
    setOver(false);
    if (event.dataTransfer.files.length) setFile(event.dataTransfer.files[0]);
  };
  const hold = (event) => {
    event.preventDefault();
    setOver(true);
  };
  return html`<form class=${`row drop ${over ? 'over' : ''}`} onSubmit=${send} onDrop=${dropped} onDragOver=${hold}
    onDragLeave=${() => setOver(false)}>
    <label class="grow">A chat export, a transcript or a zip<input type="file"
    onChange=${(event) => setFile(event.target.files[0] || null)} /></label>
    <label>Date for turns without one<input type="date" value=${date}
    onChange=${(event) => setDate(event.target.value)} /></label>
    <button class="primary" type="submit" disabled=${!file || busy}>${busy ? 'Sending…' : 'Import'}</button>
    ${file && html`<p class="quiet tiny whole-row"><bdi>${file.name}</bdi></p>`}</form>`;
}

// An import under way, watched until it ends; then the overview greets with the timeline.
function Watched({ id, onDone, onError }) {
  const [job, setJob] = useState(null);
  const gone = useRef(false);
  useEffect(() => {
    const look = async () => {
      try {
        const told = await get(`/jobs/${id}`);
        if (gone.current) return;
        setJob(told);
        if (told.state === 'done') {
          onDone();
          go('overview', { imported: id });
        } else if (ENDED.includes(told.state)) onError(told.failure ? told.failure.detail : 'The import was cancelled.');
        else setTimeout(look, LOOK);
      } catch (error) {
        if (!gone.current) onError(error.message);
      }
    };
    look();
    return () => {
      gone.current = true;
    };
  }, [id]);
  return html`<p class="row" role="status"><span class="progress" role="progressbar" aria-label="Importing"><span>
    </span></span><span class="grow">Importing: ${plural(job ? job.turns : 0, 'turn')} so far…</span><button
    class="small" onClick=${() => remove(`/jobs/${id}`).catch(() => {})}>Cancel</button></p>`;
}

export function ImportButton({ primary = false }) {
  const [open, setOpen] = useState(false);
  const [job, setJob] = useState(null);
  const [error, setError] = useState('');
  const begin = () => {
    setJob(null);
    setError('');
    setOpen(true);
  };
  const failed = (text) => {
    setJob(null);
    setError(text);
  };
  return html`<button class=${primary ? 'primary' : ''} onClick=${begin}>Import…</button>
    ${
      open &&
      html`<${Dialog} title="Import" onClose=${() => setOpen(false)}>
      <p class="quiet">Exports of ChatGPT, Claude, Gemini, WhatsApp, Telegram, Slack, e-mail and more; the format is recognised.
      What is already here is skipped.</p>
      ${
        job
          ? html`<${Watched} id=${job.id} onDone=${() => setOpen(false)} onError=${failed} />`
          : html`<${ImportForm} onError=${failed} onStarted=${(told) => {
              setError('');
              setJob(told);
            }} />`
      }
      <p class="error" role="alert">${withCode(error)}</p>
      <div class="row"><button type="button" onClick=${() => setOpen(false)}>
      ${job ? 'Go on in the background' : 'Close'}</button></div><//>`
    }`;
}
