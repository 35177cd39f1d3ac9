// Several names of one person or thing become one, by somebody's word.
import { html, useState } from './lib.js';
import { post } from './api.js';
import { Dialog, plural } from './ui.js';

export function MergeEntities({ chosen, onDone, onClose }) {
  const [one, many] = chosen.every(({ type }) => type === 'person') ? ['person', 'people'] : ['entity', 'entities'];
  const [into, setInto] = useState(chosen[0].key);
  const [error, setError] = useState('');
  const merge = async (event) => {
    event.preventDefault();
    try {
      const { act } = await post('/entities/merge', {
        entities: chosen.map((one) => one.key).filter((key) => key !== into),
        into,
      });
      onDone(`${plural(chosen.length, one, many)} merged.`, act);
    } catch (problem) {
      setError(problem.message);
    }
  };
  return html`<${Dialog} title=${`Merge ${many}`} onClose=${onClose}><form onSubmit=${merge}>
    <p>Everything said about them, now and later, will belong to one ${one}. Which name stays?</p>
    <fieldset class="choice"><legend class="visually-hidden">The name that stays</legend>${chosen.map((one) => html`
    <label class="check" key=${one.key}><input type="radio" name="into" checked=${one.key === into}
    onChange=${() => setInto(one.key)} /><span><bdi>${one.name}</bdi> <span class="tag">${one.type}</span> <span
      class="quiet tiny">${plural(one.mentions, 'mention')}</span></span></label>`)}</fieldset>
    <p class="error" role="alert">${error}</p>
    <div class="row"><button type="button" onClick=${onClose}>Cancel</button><button class="primary"
    type="submit">Merge</button></div></form><//>`;
}
