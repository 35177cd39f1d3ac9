// The graph around something: choose where to begin, click to go on.
import { html, useState, useEffect, useRef } from '../lib.js';
import { get, post, script } from '../api.js';
import { Head, Said, When, Who, go, number, plural, save, to, useData, useToast } from '../ui.js';
import { KINDS, colours, fill, passes, png, svg } from '../drawing.js';

const SIZES = [30, 60, 120, 250];

function drawn(box, graph, c, onClick) {
  const settings = { labelColor: { color: c.ink }, labelFont: 'Inter, sans-serif', labelSize: 12, labelDensity: 0.5, labelRenderedSizeThreshold: 8, zIndex: true,
    stagePadding: 40, defaultDrawNodeHover: (context, at, set) => hover(context, at, set, c) };
  const sigma = new window.Sigma(graph, box, settings);
  sigma.on('clickNode', ({ node }) => onClick(node));
  return sigma;
}

// The label of the node under the pointer, on the page's own colours.
function hover(context, at, settings, c) {
  context.font = `500 ${settings.labelSize}px ${settings.labelFont}`;
  const text = at.label.length > 70 ? `${at.label.slice(0, 69)}…` : at.label;
  const width = context.measureText(text).width;
  context.fillStyle = c.paper;
  context.strokeStyle = c.soft;
  context.beginPath();
  context.roundRect(at.x + at.size + 2, at.y - 12, width + 14, 24, 6);
  context.fill();
  context.stroke();
  context.fillStyle = c.ink;
  context.fillText(text, at.x + at.size + 9, at.y + 4);
}

function Canvas({ picture, filter, chosen, onChoose, handle }) {
  const box = useRef(null);
  const [theme, setTheme] = useState(0);
  useEffect(() => {
    const again = () => setTheme((n) => n + 1);
    addEventListener('themechange', again);
    return () => removeEventListener('themechange', again);
  }, []);
  useEffect(() => {
    let sigma = null;
    let gone = false;
    const c = colours();
    const begin = async () => {
      await script('/assets/vendor/graphology.umd.min.js');
      await script('/assets/vendor/sigma.min.js');
      if (gone) return;
      const graph = new window.graphology.MultiDirectedGraph();
      fill(graph, picture, filter, chosen, c);
      handle.current = { graph, sigma: null };
      try {
        sigma = drawn(box.current, graph, c, (id) => onChoose(id, true));
        handle.current.sigma = sigma;
      } catch (error) { // no WebGL here: the same picture without zooming
        const image = svg(graph, c, box.current.clientWidth, box.current.clientHeight);
        image.addEventListener('click', (event) => { const found = event.target.closest('[data-id]'); if (found) onChoose(found.dataset.id, true); });
        box.current.replaceChildren(image);
      }
    };
    begin();
    return () => { gone = true; if (sigma) sigma.kill(); if (box.current) box.current.replaceChildren(); };
  }, [picture, filter, chosen, theme]);
  return html`<div class="canvas" ref=${box} role="img" aria-label=${`${plural(picture.nodes.length, 'segment')} and ${plural(picture.edges.length, 'link')}. The list beside it has them as text.`}></div>`;
}

function Details({ node, onExpand }) {
  if (!node) return html`<p class="pad quiet">Click a dot to see what was said there; its neighbours join the picture.</p>`;
  const place = { conversation: node.conversation, session: node.session, turn: node.turn };
  return html`<div class="pad"><div class="meta">${node.speakers.map((name) => html`<${Who} key=${name} name=${name} />`)}<${When} at=${node.said_at} /></div>
    <${Said} text=${node.text} whole=${node.text.length} />
    <div class="row"><a href=${node.kind === 'note' ? to('notes') : to('conversations', place)}>Read in place</a><a href=${to('graph', { id: node.id })}>Start here</a><button class="small" onClick=${onExpand}>Expand</button></div></div>`;
}

export function Graph({ params }) {
  const most = Number(params.most) || 60;
  const hops = Number(params.hops) || 3;
  const facets = useData((signal) => get('/dashboard/facets', {}, signal), []);
  const asked = { ids: params.id ? [params.id] : [], person: params.person || null, topic: Number(params.topic) || null, hops, most };
  const first = useData((signal) => post('/dashboard/graph', asked, {}, signal), [JSON.stringify(asked)]);
  const [picture, setPicture] = useState(null);
  const [chosen, setChosen] = useState(null);
  const [filter, setFilter] = useState({ hidden: [], person: '', since: '', until: '' });
  const [toast, show] = useToast();
  const handle = useRef({});
  useEffect(() => { if (first.data) { setPicture(first.data); setChosen(params.id || null); } }, [first.data]);
  const expand = async (id) => {
    const shown = picture.nodes;
    const keep = Object.fromEntries(shown.map((one) => [one.id, [one.x, one.y]]));
    try {
      const grown = await post('/dashboard/graph', { ids: [id], hops: 1, most: 20, keep });
      setPicture(grown);
      const more = grown.nodes.length - shown.length;
      show(more ? `${plural(more, 'neighbour')} joined.` : 'All its neighbours are here already.');
    } catch (error) { show(error.message); }
  };
  const choose = (id, grow) => { setChosen(id); if (grow) expand(id); };
  const f = facets.data || { people: [], topics: [] };
  const set = (name) => (event) => setFilter({ ...filter, [name]: event.target.value });
  const flip = (kind) => setFilter({ ...filter, hidden: filter.hidden.includes(kind) ? filter.hidden.filter((one) => one !== kind) : [...filter.hidden, kind] });
  const start = (event) => {
    const [kind, value] = [event.target.value.slice(0, 1), event.target.value.slice(1)];
    go('graph', { most: params.most, hops: params.hops, person: kind === 'p' ? value : '', topic: kind === 't' ? value : '' });
  };
  const begun = params.id ? 'i' : params.person ? `p${params.person}` : params.topic ? `t${params.topic}` : '';
  const asPng = async () => {
    if (handle.current.sigma) save(await png(handle.current.sigma, colours()), 'engramma-graph.png');
    else show('This browser draws without WebGL: save it as SVG.');
  };
  const asSvg = () => save(new Blob([new XMLSerializer().serializeToString(svg(handle.current.graph, colours()))], { type: 'image/svg+xml' }), 'engramma-graph.svg');
  const nodes = picture ? picture.nodes.filter((node) => passes(node, filter)) : [];
  const people = picture ? [...new Set(picture.nodes.flatMap((node) => node.speakers))].sort() : [];
  return html`<${Head} title="Graph"><span class="row"><button class="small" onClick=${asPng} disabled=${!picture}>Save PNG</button><button class="small" onClick=${asSvg} disabled=${!picture}>Save SVG</button></span><//>
    <div class="fields">
      <label>Around<select value=${begun} onChange=${start}><option value="">what was said last</option>${params.id && html`<option value="i">the chosen segment</option>`}
        ${f.people.length > 0 && html`<optgroup label="People">${f.people.map((one) => html`<option key=${one.name} value=${`p${one.name}`}>${one.name}</option>`)}</optgroup>`}
        ${f.topics.length > 0 && html`<optgroup label="Topics">${f.topics.map((one) => html`<option key=${one.id} value=${`t${one.id}`}>${one.name}</option>`)}</optgroup>`}</select></label>
      <label>Steps away<select value=${hops} onChange=${(event) => go('graph', { ...params, hops: event.target.value })}>${[1, 2, 3, 4].map((n) => html`<option key=${n} value=${n}>${n}</option>`)}</select></label>
      <label>At most<select value=${most} onChange=${(event) => go('graph', { ...params, most: event.target.value })}>${SIZES.map((n) => html`<option key=${n} value=${n}>${n} segments</option>`)}</select></label>
      <label>Only said by<select value=${filter.person} onChange=${set('person')}><option value="">anybody</option>${people.map((name) => html`<option key=${name}>${name}</option>`)}</select></label>
      <label>From<input type="date" value=${filter.since} onChange=${set('since')} /></label>
      <label>Before<input type="date" value=${filter.until} onChange=${set('until')} /></label>
    </div><br />
    ${first.error && html`<p class="card pad error" role="alert">${first.error}</p>`}
    ${!picture && !first.error && html`<p class="quiet pad" role="status">Laying out…</p>`}
    ${picture && !picture.nodes.length && html`<p class="card pad quiet">There is nothing to draw here yet.</p>`}
    ${picture && picture.nodes.length > 0 && html`<div class="graph-grid">
      <div class="card"><${Canvas} picture=${picture} filter=${filter} chosen=${chosen} onChoose=${choose} handle=${handle} />
        <div class="keys">${[...Object.entries(KINDS), ['typed', 'typed link']].map(([kind, text]) => html`<label class="check" key=${kind}><input type="checkbox" checked=${!filter.hidden.includes(kind)} onChange=${() => flip(kind)} /><span><span class=${`swatch ${kind}`}></span>${text}</span></label>`)}
          <span class="check">${number(nodes.length)} of ${plural(picture.nodes.length, 'segment')}; colours are ${picture.nodes.some((one) => one.topic !== null) ? 'topics' : 'conversations'}</span></div></div>
      <div class="card"><h2>Segment</h2><${Details} node=${picture.nodes.find((one) => one.id === chosen)} onExpand=${() => expand(chosen)} />
        <div class="nodes" tabindex="0" role="group" aria-label="Segments in the picture">${nodes.map((node) => html`<button key=${node.id} aria-pressed=${node.id === chosen} onClick=${() => choose(node.id, false)}><strong><bdi>${node.speakers.join(', ')}</bdi></strong> <span dir="auto">${node.label}</span></button>`)}</div></div>
    </div>`}${toast}`;
}
