// How a part of the graph is drawn: with sigma on the screen, and as SVG to keep.

import { hue } from './ui.js';

export const KINDS = { semantic: 'meaning', chain: 'next in the talk' };
const HUES = 8;

export function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(name).trim();
  return {
    paper: of('--card'), ink: of('--ink'), soft: of('--soft'), chain: of('--k-chain'), semantic: of('--k-semantic'), typed: of('--k-link'),
    hues: Array.from({ length: HUES }, (_, n) => of(`--h${n}`)),
  };
}

export const edgeColour = (kind, c) => (kind === 'chain' ? c.chain : kind === 'semantic' ? c.semantic : c.typed);
export const edgeWidth = (weight) => 0.8 + 3.2 * Math.max(0, Math.min(1, weight)) ** 2;

// Communities are topics; what is in none has the colour of its conversation.
export function community(node) {
  return node.topic !== null ? node.topic % HUES : hue(node.conversation);
}

export function passes(node, filter) {
  return (!filter.person || node.speakers.includes(filter.person))
    && (!filter.since || node.said_at.slice(0, 10) >= filter.since) && (!filter.until || node.said_at.slice(0, 10) < filter.until);
}

const short = (text) => (text.length > 34 ? `${text.slice(0, 33)}…` : text);
export const kindOf = (kind) => (kind === 'chain' || kind === 'semantic' ? kind : 'typed');

export function fill(graph, picture, filter, chosen, c) {
  graph.clear();
  const degree = new Map();
  for (const edge of picture.edges) for (const end of [edge.source, edge.target]) degree.set(end, (degree.get(end) || 0) + 1);
  for (const node of picture.nodes) {
    if (!passes(node, filter)) continue;
    graph.addNode(node.id, {
      x: node.x, y: node.y, size: 5 + Math.min(9, Math.sqrt(degree.get(node.id) || 0) * 1.8) + (node.id === chosen ? 4 : 0),
      label: short(`${node.speakers.join(', ')}: ${node.label}`), color: c.hues[community(node)], zIndex: node.id === chosen ? 2 : 1,
      forceLabel: node.id === chosen, highlighted: node.id === chosen,
    });
  }
  for (const edge of picture.edges) {
    if (filter.hidden.includes(kindOf(edge.kind)) || !graph.hasNode(edge.source) || !graph.hasNode(edge.target)) continue;
    graph.addEdge(edge.source, edge.target, { size: edgeWidth(edge.weight), color: edgeColour(edge.kind, c), kind: edge.kind });
  }
}

const NS = 'http://www.w3.org/2000/svg';
function element(name, attributes, text) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// The same picture as one SVG element; every word in it is text.
export function svg(graph, c, width = 1200, height = 800) {
  const nodes = graph.mapNodes((id, at) => ({ id, ...at }));
  const xs = nodes.map((one) => one.x);
  const ys = nodes.map((one) => one.y);
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const scale = Math.min((width - 160) / (right - left || 1), (height - 100) / (high - low || 1));
  const place = (one) => [(width + (2 * one.x - left - right) * scale) / 2, (height - (2 * one.y - low - high) * scale) / 2];
  const root = element('svg', { xmlns: NS, viewBox: `0 0 ${width} ${height}`, width, height, 'font-family': 'sans-serif', role: 'img' });
  root.append(element('title', {}, 'A part of the memory graph'), element('rect', { width, height, fill: c.paper }));
  graph.forEachEdge((id, at, source, target) => {
    const [[x1, y1], [x2, y2]] = [source, target].map((end) => place(graph.getNodeAttributes(end)));
    root.append(element('line', { x1, y1, x2, y2, stroke: at.color, 'stroke-width': at.size, 'stroke-opacity': 0.7 }));
  });
  for (const one of nodes) {
    const [cx, cy] = place(one);
    const group = element('g', { 'data-id': one.id });
    group.append(element('title', {}, one.label), element('circle', { cx, cy, r: one.size, fill: one.color, stroke: c.paper, 'stroke-width': 1.5 }));
    if (nodes.length <= 60) group.append(element('text', { x: cx + one.size + 4, y: cy + 4, 'font-size': 11, fill: c.ink }, one.label.slice(0, 40)));
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
  return new Promise((done) => { whole.toBlob(done, 'image/png'); });
}
