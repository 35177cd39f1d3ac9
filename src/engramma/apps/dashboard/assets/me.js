// Who the user is: the one whom chats call "user", "You" or "me" becomes one person with a name, by the user's word.
import { html, useState } from './lib.js';
import { get, post } from './api.js';
import { Dialog, undoing, useData } from './ui.js';

export const useMe = () => useData((signal) => get('/dashboard/me', {}, signal), []);

const quoted = (names) => {
  const listed = (names.length ? names : ['user', 'You', 'me']).map((name) => `“${name}”`);
  return listed.length < 2 ? listed[0] : `${listed.slice(0, -1).join(', ')} and ${listed[listed.length - 1]}`;
};

// Asks before it is done: of somebody with a name whether that is the user, else for the name.
function WhoAmI({ person, me, onDone, onClose }) {
  const [name, setName] = useState(person || me.name || '');
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  const join = async (event) => {
    event.preventDefault();
    setBusy(true);
    try {
      onDone(await post('/me', { name: name.trim() }));
    } catch (problem) {
      setError(problem.message);
      setBusy(false);
    }
  };
  return html`<${Dialog} title=${person ? 'Is this you?' : 'Who are you?'} onClose=${onClose}><form onSubmit=${join}>
    ${
      person
        ? html`<p><strong><bdi>${person}</bdi></strong> and ${quoted(me.speakers)} will be one person.</p>`
        : html`<label>Your name<input value=${name} required maxlength="200" autocomplete="off" autofocus
          onInput=${(event) => setName(event.target.value)} /></label>`
    }
    <p class="quiet">What ${quoted(me.speakers)} said in your chats, and what is known of ${person ? html`<bdi>${person}
      </bdi>` : 'somebody of this name'}, will belong to you, now and later. You can undo it at any time.</p>
    <p class="error" role="alert">${error}</p>
    <div class="row"><button type="button" onClick=${onClose}>Cancel</button><button class="primary" type="submit"
    disabled=${busy || !name.trim()}>Yes, this is me</button></div></form><//>`;
}

// A button that opens the question, and the way back once it is answered. `person`: a name, or none to ask for it.
export function ThisIsMe({ person = '', me, show, onChanged, small = false }) {
  const [asking, setAsking] = useState(false);
  const done = (made) => {
    setAsking(false);
    show(`You are ${made.name}.`, undoing(made.act, show, onChanged));
    onChanged();
  };
  return html`<button class=${small ? 'small' : ''} onClick=${() => setAsking(true)}>This is me${person ? '' : '…'}
    </button>${asking && html`<${WhoAmI} person=${person} me=${me} onDone=${done}
      onClose=${() => setAsking(false)} />`}`;
}

// Who it is, once said, with the way back.
export function NotMe({ me, show, onChanged }) {
  const undo = undoing(me.act, show, onChanged, 'Undone: nobody is you here now.');
  return html`<span class="tag role-entry">you</span><button class="small" onClick=${undo}>This is not me</button>`;
}

// Where talk of a nameless user is shown: asks who it is.
export function Nameless({ me, speakers = me.speakers, show, onChanged }) {
  return html`<div class="card pad row nameless"><span class="grow">Who ${speakers.length > 1 ? 'are' : 'is'}
    ${' '}${quoted(speakers)}? If it is you, say so once, and what they said is yours under your name.</span><${ThisIsMe}
    me=${me} show=${show} onChanged=${onChanged} /></div>`;
}
