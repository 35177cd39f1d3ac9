// The graph: everything that was said as lanes along time, where a question lights up what it brings back; or what is
// around a person, a thing, a topic or a moment.
import { html } from '../lib.js';
import { to } from '../ui.js';
import { LaneView } from '../lane-view.js';
import { Surroundings } from './surroundings.js';

const BEGIN = ['id', 'person', 'name', 'topic'];
const TABS = [
  ['', 'Lanes'],
  ['around', 'Surroundings'],
];

export function Graph({ params }) {
  const around = params.tab === 'around' || (!params.tab && BEGIN.some((name) => params[name]));
  const at = around ? 'around' : '';
  const tabs = html`<nav class="tabs" aria-label="Ways to look at the graph">${TABS.map(
    ([tab, title]) =>
      html`<a key=${tab} href=${to('graph', { tab })} aria-current=${tab === at ? 'page' : null}>${title}</a>`,
  )}</nav>`;
  return around
    ? html`<${Surroundings} params=${params} tabs=${tabs} />`
    : html`<${LaneView} params=${params} tabs=${tabs} />`;
}
