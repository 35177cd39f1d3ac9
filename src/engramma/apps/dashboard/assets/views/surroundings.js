// The graph around something: choose where to begin, click to go on.
import { html, useState, useEffect, useRef } from '../lib.js';
import { get, post } from '../api.js';
import { Failed, Head, Said, When, Who, go, number, plural, save, to, useData, useToast } from '../ui.js';
import { Canvas } from '../canvas.js';
import { Links } from '../links.js';
import { Rows } from '../rows.js';
import { KINDS, colours, passes, png, svg, unpacked } from '../drawing.js';

const SIZES = [30, 60, 120, 250, 1000, 10000];
const BEGIN = ['id', 'person', 'name', 'topic'];

function Details({ node, onExpand, show, onLinked }) {
  const [text, setText] = useState(null);
  useEffect(() => {
    setText(node ? node.text : null);
    if (!node || node.text !== null) return undefined;
    const control = new AbortController();
    get('/segment', { id: node.id }, control.signal)
      .then((found) => setText(found.segment.text))
      .catch(() => {});
    return () => control.abort();
  }, [node]);
  if (!node)
    return html`<p class="pad quiet">Click a dot to see what was said there; its neighbours are added to the
      picture.</p>`;
  const on = html`<a href=${to('graph', { id: node.id })}>Start here</a><button class="small"
    onClick=${onExpand}>Expand</button>`;
  if (node.kind === 'hub')
    return html`<div class="pad"><p><${Who} name=${node.label} /> <span class="tag">${node.type}</span></p><div
      class="row">${node.type === 'person' && html`<a href=${to('people', { name: node.label })}>What is
        known</a>`}${on}</div></div>`;
  const place = { conversation: node.conversation, session: node.session, turn: node.turn };
  return html`<div class="pad"><div class="meta">${node.speakers.map((name) => html`<${Who} key=${name} name=${name}
    />`)}<${When} at=${node.said_at} /></div>
    ${text === null ? html`<p class="quiet">…</p>` : html`<${Said} text=${text} whole=${text.length} />`}
    <div class="row"><a href=${node.kind === 'note' ? to('notes', { id: node.id }) : to('conversations', place)}>Read
    in place</a><a href=${to('forget', { ids: node.id })}>Forget</a>${on}</div>
    <${Links} id=${node.id} show=${show} onChange=${onLinked} /></div>`;
}

function Start({ params, people, topics }) {
  const [name, setName] = useState(params.name || '');
  const anew = (more) => go('graph', { tab: 'around', most: params.most, hops: params.hops, ...more });
  const pick = (event) => {
    const [kind, value] = [event.target.value.slice(0, 1), event.target.value.slice(1)];
    anew({ person: kind === 'p' ? value : '', topic: kind === 't' ? value : '' });
  };
  const begun = params.id
    ? 'i'
    : params.name
      ? 'n'
      : params.person
        ? `p${params.person}`
        : params.topic
          ? `t${params.topic}`
          : '';
  return html`<label>Around<select value=${begun} onChange=${pick}><option value="">the latest</option>
    ${params.id && html`<option value="i">the chosen dot</option>`}${params.name && html`<option value="n">
      ${params.name}</option>`}
      ${people.length > 0 && html`<optgroup label="People">${people.map((one) => html`<option key=${one.name}
        value=${`p${one.name}`}>${one.name}</option>`)}</optgroup>`}
      ${topics.length > 0 && html`<optgroup label="Topics">${topics.map((one) => html`<option key=${one.id}
        value=${`t${one.id}`}>${one.name}</option>`)}</optgroup>`}</select></label>
    <label>Or around a name<input type="search" placeholder="any name" value=${name}
    onInput=${(event) => setName(event.target.value)} onChange=${() => name.trim() && anew({ name: name.trim() })} />
      </label>`;
}

export function Surroundings({ params, tabs }) {
  const most = Number(params.most) || 60;
  const hops = Number(params.hops) || 3;
  const facets = useData((signal) => get('/dashboard/facets', {}, signal), []);
  const asked = {
    ids: params.id ? [params.id] : [],
    person: params.person || null,
    name: params.name || null,
    topic: Number(params.topic) || null,
    hops,
    most,
  };
  const first = useData((signal) => post('/dashboard/graph', asked, {}, signal), [JSON.stringify(asked)]);
  const [picture, setPicture] = useState(null);
  const [chosen, setChosen] = useState(null);
  const [filter, setFilter] = useState({ hidden: [], person: '', since: '', until: '' });
  const [toast, show] = useToast();
  const handle = useRef({});
  const shown = (told, before) =>
    setPicture({ ...unpacked(told, before), topics: told.nodes.some((one) => one.topic) });
  useEffect(() => {
    if (!first.data) return;
    shown(first.data);
    setChosen(BEGIN.some((name) => params[name]) ? first.data.nodes.find((one) => one.seed)?.id || null : null);
    handle.current.sigma?.getCamera().setState({ x: 0.5, y: 0.5, ratio: 1, angle: 0 });
  }, [first.data]);
  const expand = async (id, quiet = false) => {
    const keep = Object.fromEntries(picture.nodes.map((one) => [one.id, [one.x, one.y]]));
    try {
      const grown = await post('/dashboard/graph', { ids: [id], hops: 1, most: 20, keep });
      const more = grown.nodes.length - picture.nodes.length;
      shown(grown, picture);
      if (!quiet) show(more > 0 ? `${plural(more, 'neighbour')} added.` : 'All its neighbours are already shown.');
    } catch (error) {
      show(error.message);
    }
  };
  const choose = (id, grow) => {
    setChosen(id);
    if (grow) expand(id);
  };
  const f = facets.data || { people: [], topics: [] };
  const set = (name) => (event) => setFilter({ ...filter, [name]: event.target.value });
  const flip = (kind) =>
    setFilter({
      ...filter,
      hidden: filter.hidden.includes(kind) ? filter.hidden.filter((one) => one !== kind) : [...filter.hidden, kind],
    });
  const asPng = async () => {
    if (handle.current.sigma) save(await png(handle.current.sigma, colours()), 'engramma-graph.png');
    else show('This browser draws without WebGL: save it as SVG.');
  };
  const asSvg = () =>
    save(
      new Blob([new XMLSerializer().serializeToString(svg(handle.current.graph, colours()))], {
        type: 'image/svg+xml',
      }),
      'engramma-graph.svg',
    );
  const nodes = picture ? picture.nodes.filter((node) => passes(node, filter)) : [];
  const speakersOf = (node) => (node.kind === 'chunk' ? [] : node.speakers || []); // a chunk's is its heading
  const people = picture ? [...new Set(picture.nodes.flatMap(speakersOf))].sort() : [];
  return html`<${Head} title="Graph"><span class="row"><button class="small" onClick=${asPng} disabled=${!picture}>Save
    PNG</button><button class="small" onClick=${asSvg} disabled=${!picture}>Save SVG</button></span><//>${tabs}
    <div class="fields">
      <${Start} key=${JSON.stringify(BEGIN.map((name) => params[name]))} params=${params} people=${f.people}
      topics=${f.topics} />
      <label>Steps away<select value=${hops}
      onChange=${(event) => go('graph', { ...params, hops: event.target.value })}>${[1, 2, 3, 4].map((n) => html`
        <option key=${n} value=${n}>${n}</option>`)}</select></label>
      <label>At most<select value=${most} onChange=${(event) => go('graph', { ...params, most: event.target.value })}>
      ${SIZES.map((n) => html`<option key=${n} value=${n}>${number(n)} dots</option>`)}</select></label>
      <label>Only said by<select value=${filter.person} onChange=${set('person')}><option value="">anybody</option>
      ${people.map((name) => html`<option key=${name}>${name}</option>`)}</select></label>
      <label>From<input type="date" value=${filter.since} onChange=${set('since')} /></label>
      <label>Before<input type="date" value=${filter.until} onChange=${set('until')} /></label>
    </div><br />
    ${first.error && html`<${Failed} of=${first} />`}
    ${!picture && !first.error && html`<p class="quiet pad" role="status">Laying out…</p>`}
    ${picture && !first.error && !picture.nodes.length && html`<p class="card pad quiet">There is nothing to draw here
      yet.</p>`}
    ${
      picture &&
      !first.error &&
      picture.nodes.length > 0 &&
      html`<div class="graph-grid">
      <div class="card"><${Canvas} picture=${picture} filter=${filter} chosen=${chosen} onChoose=${choose}
      handle=${handle} />
        <div class="keys">${Object.entries(KINDS).map(([kind, text]) => html`<label class="check" key=${kind}><input
        type="checkbox" checked=${!filter.hidden.includes(kind)} onChange=${() => flip(kind)} /><span><span
          class=${`swatch ${kind}`}></span>${text}</span></label>`)}
          <span class="check">${nodes.length < picture.nodes.length ? `${number(nodes.length)} of ` : ''}${plural(
            picture.nodes.length,
            'dot',
          )}${picture.more ? ', and there are more' : ''}; colours are ${
            picture.topics ? 'topics' : 'communities'
          }</span></div></div>
      <div class="card"><h2>${chosen ? 'Chosen' : 'Dots'}</h2><${Details}
      node=${picture.nodes.find((one) => one.id === chosen)}
      onExpand=${() => expand(chosen)} show=${show} onLinked=${() => expand(chosen, true)} />
        <${Rows} items=${nodes} label="Dots in the picture">${(node) => html`<button key=${node.id}
        aria-pressed=${node.id === chosen} onClick=${() => choose(node.id, false)}><strong><bdi>
          ${node.kind === 'hub' ? node.type : node.speakers.join(', ')}</bdi></strong> <span dir="auto">${node.label}
            </span></button>`}<//></div>
    </div>`
    }${toast}`;
}
