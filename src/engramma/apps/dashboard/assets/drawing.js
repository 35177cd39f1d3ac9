// How a part of the graph is drawn: what sigma shows on the screen, and the same as SVG and PNG to keep.
import { cutText, firstCharacters } from './cutting.js';
import { dates } from './locale.js';

export const KINDS = {
  semantic: 'meaning',
  chain: 'next in the conversation',
  typed: 'typed link',
  fact: 'people and facts',
};
export const MANY = 2000; // nodes from which on they are small, and edges rest while the picture moves
const FEW_LINES = 150; // in a picture of lanes; more of them are fainter
const HUES = 8;
const OF_HUBS = ['fact', 'named', 'said'];

export function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(name).trim();
  return {
    paper: of('--card'),
    ink: of('--ink'),
    soft: of('--soft'),
    chain: of('--k-chain'),
    semantic: of('--k-semantic'),
    typed: of('--k-link'),
    fact: of('--k-graph'),
    hues: Array.from({ length: HUES }, (_, n) => of(`--h${n}`)),
  };
}

// A colour a name: the same name has the same one in every view.
export function hue(name) {
  let hash = 2166136261;
  for (const letter of String(name)) hash = Math.imul(hash ^ letter.codePointAt(0), 16777619);
  return ((hash >>> 0) % 1009) % 8;
}

export const kindOf = (kind) =>
  kind === 'chain' || kind === 'semantic' ? kind : OF_HUBS.includes(kind) ? 'fact' : 'typed';
export const edgeWidth = (weight) => 0.8 + 3.2 * Math.max(0, Math.min(1, weight)) ** 2;

// Edges come as numbers of nodes; a picture that grows keeps those of its people and things.
export function unpacked(told, before) {
  const edges = told.edges.map(([a, b, kind, weight, label]) => ({
    source: told.nodes[a].id,
    target: told.nodes[b].id,
    kind,
    weight,
    label,
  }));
  const name = (edge) => `${edge.source}\n${edge.target}\n${edge.kind}`;
  const known = new Set(edges.map(name));
  const there = new Set(told.nodes.map((node) => node.id));
  const kept = (before ? before.edges : []).filter(
    (edge) =>
      OF_HUBS.includes(edge.kind) && !known.has(name(edge)) && there.has(edge.source) && there.has(edge.target),
  );
  return { ...told, edges: [...edges, ...kept] };
}

// Communities are topics where topics were found, else what hangs together in this picture; a hub has the ink's colour.
export function colourOf(node, picture, c) {
  if (node.kind === 'hub') return c.ink;
  if (picture.topics) return node.topic === null ? c.soft : c.hues[node.topic % HUES];
  return c.hues[(node.group ?? hue(node.conversation)) % HUES];
}

// The day on the reader's clock: 2026-09-27.
const dayHere = (at) => new Date(at - new Date(at).getTimezoneOffset() * 60000).toISOString().slice(0, 10);

export function passes(node, filter) {
  if (node.kind === 'hub') return true;
  return (
    (!filter.person || node.speakers.includes(filter.person)) &&
    (!filter.since || dayHere(Date.parse(node.said_at)) >= filter.since) &&
    (!filter.until || dayHere(Date.parse(node.said_at)) < filter.until)
  );
}

const short = (text) => cutText(text, 34);
const told = (node) => (node.kind === 'hub' ? node.label : short(`${node.speakers.join(', ')}: ${node.label}`));

// The graph that sigma draws.
export function graphOf(picture, filter, c) {
  const graph = new window.graphology.MultiDirectedGraph();
  const many = picture.nodes.length > MANY;
  const [least, factor] = many ? [2, 0.35] : picture.nodes.length > 300 ? [3.5, 0.7] : [5, 1];
  const degree = new Map();
  for (const edge of picture.edges)
    for (const end of [edge.source, edge.target]) degree.set(end, (degree.get(end) || 0) + 1);
  for (const node of picture.nodes) {
    if (!passes(node, filter)) continue;
    const size =
      least + factor * Math.min(9, Math.sqrt(degree.get(node.id) || 0) * 1.8) + (node.kind === 'hub' ? 3 : 0);
    graph.addNode(node.id, {
      x: node.x,
      y: node.y,
      size,
      label: told(node),
      color: colourOf(node, picture, c),
      forceLabel: node.kind === 'hub' && !many,
    });
  }
  for (const edge of picture.edges) {
    if (filter.hidden.includes(kindOf(edge.kind)) || !graph.hasNode(edge.source) || !graph.hasNode(edge.target))
      continue;
    graph.addEdge(edge.source, edge.target, {
      size: edgeWidth(edge.weight) * (many ? 0.3 : 1),
      color: c[kindOf(edge.kind)],
      kind: edge.kind,
      label: edge.label || null,
    });
  }
  return graph;
}

// What was found stands out, with the links between; everything else steps back.
export function litUp(graph, found, c) {
  if (!found.size) return;
  graph.forEachNode((id) =>
    graph.mergeNodeAttributes(id, found.has(id) ? { share: 1.25 } : { share: 0.55, color: c.chain }),
  );
  graph.forEachEdge((edge, at, a, b) =>
    graph.mergeEdgeAttributes(
      edge,
      found.has(a) && found.has(b) ? { size: 3, color: c.fact, isLit: true } : { size: 0.3 },
    ),
  );
}

const NS = 'http://www.w3.org/2000/svg';
function element(name, attributes, text) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// Between lanes a line bends, so that it is not taken for the row it crosses; along a lane it is straight or an arch.
function curve([x1, y1], [x2, y2]) {
  const bend = (y2 - y1) / 2;
  if (bend) return `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`;
  const arch = Math.abs(x2 - x1) < 40 ? 0 : Math.min(60, Math.abs(x2 - x1) * 0.2);
  return `M${x1} ${y1}Q${(x1 + x2) / 2} ${y1 - arch} ${x2} ${y2}`;
}

// As the reader's browser writes them: 19 Nov, Nov 19, 19. Nov. A day is itself everywhere, a moment by the clock.
const DAY_LABEL = dates({ month: 'short', day: 'numeric', timeZone: 'UTC' });
const MOMENT_LABEL = dates({ month: 'short', day: 'numeric' });
const dayLabel = (at) => (at.includes('T') ? MOMENT_LABEL : DAY_LABEL).format(new Date(at));
const MONTH = dates({ month: 'short', timeZone: 'UTC' });
const YEARS_MONTH = dates({ month: 'short', year: 'numeric', timeZone: 'UTC' });

// A picture whose nodes stand in lanes: bands with their conversations' names, the months, a row for each session.
export function laneSvg(graph, lanes, c) {
  const { width, height, radius } = lanes;
  const words = (x, y, text, more) => element('text', { x, y, fill: c.ink, 'font-size': 12, ...more }, text);
  const root = element('svg', {
    xmlns: NS,
    viewBox: `0 0 ${width} ${height}`,
    'font-family': 'sans-serif',
    role: 'img',
  });
  root.append(element('title', {}, 'The memory graph'));
  for (const { y, height: tall } of lanes.bands)
    root.append(
      element('rect', { x: 4, y, width: width - 8, height: tall, rx: 10, fill: c.ink, 'fill-opacity': 0.04 }),
    );
  for (const [month, x, isYearTold] of lanes.months) {
    const label = (isYearTold ? YEARS_MONTH : MONTH).format(new Date(`${month}-01T00:00:00Z`));
    root.append(element('line', { x1: x, y1: 22, x2: x, y2: height, stroke: c.soft, 'stroke-opacity': 0.18 }));
    root.append(words(x, 16, label, { 'text-anchor': 'middle', 'font-size': 11, fill: c.soft }));
  }
  const faint = Math.max(0.12, Math.min(0.5, FEW_LINES / graph.size)); // many lines would hide what they link
  graph.forEachEdge((id, at, source, target) => {
    const ends = [source, target].map((end) => graph.getNodeAttributes(end)).map((one) => [one.x, -one.y]);
    const line = element('path', {
      d: curve(...ends),
      fill: 'none',
      stroke: at.color,
      'stroke-width': Math.min(at.size, 3),
      'stroke-opacity': at.kind === 'semantic' && !at.isLit ? faint : 1,
    });
    line.append(element('title', {}, at.label || at.kind));
    root.append(line);
  });
  const halo = { 'paint-order': 'stroke', stroke: c.paper, 'stroke-width': 4, 'stroke-linejoin': 'round' };
  for (const { name, y } of lanes.bands)
    root.append(words(14, y + 17, cutText(name, 80), { 'font-weight': 600, class: 'band-name', ...halo }));
  for (const [at, x, y] of lanes.dates)
    root.append(words(x, y + 4, dayLabel(at), { 'text-anchor': 'end', 'font-size': 11, fill: c.soft, ...halo }));
  graph.forEachNode((id, at) => {
    const group = element('g', { 'data-id': id });
    const dot = {
      cx: at.x,
      cy: -at.y,
      r: radius * (at.share ?? 1),
      fill: at.color,
      stroke: c.paper,
      'stroke-width': 1.5,
    };
    group.append(element('title', {}, at.label), element('circle', dot));
    root.append(group);
  });
  return root;
}

// The same picture as one SVG element; every word in it is text.
export function svg(graph, c, width = 1200, height = 800) {
  const nodes = graph.mapNodes((id, at) => ({ id, ...at }));
  const [left, right, low, high] = nodes.reduce(
    ([l, r, b, t], one) => [Math.min(l, one.x), Math.max(r, one.x), Math.min(b, one.y), Math.max(t, one.y)],
    [Infinity, -Infinity, Infinity, -Infinity],
  );
  const scale = Math.min((width - 160) / (right - left || 1), (height - 100) / (high - low || 1));
  const place = (one) => [
    (width + (2 * one.x - left - right) * scale) / 2,
    (height - (2 * one.y - low - high) * scale) / 2,
  ];
  const root = element('svg', {
    xmlns: NS,
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    'font-family': 'sans-serif',
    role: 'img',
  });
  root.append(element('title', {}, 'Part of the memory graph'), element('rect', { width, height, fill: c.paper }));
  graph.forEachEdge((id, at, source, target) => {
    const [[x1, y1], [x2, y2]] = [source, target].map((end) => place(graph.getNodeAttributes(end)));
    const line = element('line', { x1, y1, x2, y2, stroke: at.color, 'stroke-width': at.size, 'stroke-opacity': 0.7 });
    line.append(element('title', {}, at.label || at.kind));
    root.append(line);
  });
  for (const one of nodes) {
    const [cx, cy] = place(one);
    const group = element('g', { 'data-id': one.id });
    group.append(
      element('title', {}, one.label),
      element('circle', {
        cx,
        cy,
        r: one.size,
        fill: one.color,
        stroke: c.paper,
        'stroke-width': nodes.length > MANY ? 0.3 : 1.5,
      }),
    );
    if (nodes.length <= 60)
      group.append(
        element('text', { x: cx + one.size + 4, y: cy + 4, 'font-size': 11, fill: c.ink }, firstCharacters(one.label, 40)),
      );
    root.append(group);
  }
  return root;
}

// All canvases of sigma in one, over the page's colour.
export function png(sigma, c) {
  sigma.refresh({ schedule: false }); // WebGL forgets its picture after each frame
  const layers = sigma.getCanvases();
  const ratio = window.devicePixelRatio || 1;
  const { width, height } = sigma.getDimensions();
  const whole = document.createElement('canvas');
  whole.width = width * ratio;
  whole.height = height * ratio;
  const context = whole.getContext('2d');
  context.fillStyle = c.paper;
  context.fillRect(0, 0, whole.width, whole.height);
  for (const name of ['edges', 'edgeLabels', 'nodes', 'labels', 'hovers', 'hoverNodes']) {
    if (layers[name]) context.drawImage(layers[name], 0, 0, whole.width, whole.height);
  }
  return new Promise((done) => {
    whole.toBlob(done, 'image/png');
  });
}
