// The whole memory in one file: make it, take it along, put it back.
import { html, useEffect, useState } from './lib.js';
import { get, pathTo, post, remove } from './api.js';
import { Dialog, Shown, When, bytes, useData } from './ui.js';

const LOOK = 400; // milliseconds between two looks at what is under way

function Progress({ work }) {
  const done = Math.round(work.part * 100);
  return html`<p class="row" role="status"><span class="progress" role="progressbar"
    aria-label=${work.what === 'backup' ? 'Backing up' : 'Restoring'} aria-valuenow=${done}><span></span></span>
    <span>${work.what === 'backup' ? 'Backing up' : 'Restoring'}: ${work.step || 'starting'}${work.part > 0 ? `, ${done} %` : ''}…</span></p>`;
}

function Restore({ backup, onBegun, onClose }) {
  const [typed, setTyped] = useState('');
  const [error, setError] = useState('');
  const restore = async (event) => {
    event.preventDefault();
    try {
      await post(`/backups/${backup.name}/restore`, { confirm: true });
      onBegun();
    } catch (problem) {
      setError(problem.message);
    }
  };
  return html`<${Dialog} title="Restore a backup" onClose=${onClose}><form onSubmit=${restore}>
    <p class="warn">The whole memory, with all namespaces, is reset to <${When} at=${backup.made_at} />. The current
    memory is kept as a backup first, so you can undo this the same way.</p>
    <label>Type <strong>restore</strong> to confirm<input type="text" autocomplete="off" value=${typed}
    onInput=${(event) => setTyped(event.target.value)} /></label>
    <p class="error" role="alert">${error}</p>
    <div class="row"><button type="button" onClick=${onClose}>Cancel</button><button class="danger" type="submit"
    disabled=${typed.trim() !== 'restore'}>Restore</button></div></form><//>`;
}

export function Backups({ show, onRestored }) {
  const found = useData((signal) => get('/backups', {}, signal), []);
  const [restoring, setRestoring] = useState(null);
  const [watched, setWatched] = useState(false);
  const [error, setError] = useState('');
  const work = found.data && found.data.work;
  const running = work && work.state === 'running';
  useEffect(() => {
    if (running) {
      setWatched(true);
      const timer = setTimeout(found.reload, LOOK);
      return () => clearTimeout(timer);
    }
    if (watched && work && !found.busy) {
      setWatched(false);
      if (work.state === 'failed') setError(work.failure);
      else if (work.what === 'backup') show(`Backed up as ${work.backup}.`);
      else {
        show(`Restored. The previous memory is kept as ${work.backup}.`);
        onRestored();
      }
    }
    return undefined;
  }, [found.data, found.busy]);
  const tried = async (act) => {
    setError('');
    try {
      await act();
    } catch (problem) {
      setError(problem.message);
    }
    setWatched(true);
    found.reload();
  };
  const drop = (one) =>
    tried(async () => {
      await remove(`/backups/${one.name}`);
      show(`${one.name} is deleted.`);
    });
  const d = found.data;
  return html`<section class="card"><h2>Backup and restore</h2><div class="pad stack">
      <p class="quiet">A backup is the whole memory, with all namespaces, in one file in the store's folder. It still
      contains what you purge later: delete it if that must be gone there, too.</p>
      <p class="row"><button class="primary" disabled=${Boolean(running)}
      onClick=${() => tried(() => post('/backups'))}>Back up now</button></p>
      ${running && html`<${Progress} work=${work} />`}<p class="error" role="alert">${error}</p>
      <${Shown} of=${found} empty=${d && !d.items.length ? 'There are no backups yet.' : null}>${
        d &&
        html`<ul class="log roomy" aria-label="Backups">${d.items.map(
          (one) => html`<li key=${one.name}>
        <${When} at=${one.made_at} /><span class="grow"><bdi>${one.name}</bdi> <span class="quiet">${bytes(one.bytes)}
        </span></span>
        <a href=${pathTo(`/backups/${one.name}`)} download=${one.name}>Download</a><button class="small"
        aria-label=${`Restore ${one.name}`} disabled=${Boolean(running)}
          onClick=${() => setRestoring(one)}>Restore…</button><button class="small" aria-label=${`Delete ${one.name}`}
            disabled=${Boolean(running)} onClick=${() => drop(one)}>Delete</button></li>`,
        )}</ul>`
      }<//>
    </div>${
      restoring &&
      html`<${Restore} backup=${restoring} onClose=${() => setRestoring(null)} onBegun=${() => {
        setRestoring(null);
        setError('');
        setWatched(true);
        found.reload();
      }} />`
    }</section>`;
}
