// The picture of a graph on the screen: sigma, made once; what it shows is exchanged, and where one looks stays.
import { html, useEffect, useRef, useState } from './lib.js';
import { cutText } from './cutting.js';
import { script } from './api.js';
import { plural } from './ui.js';
import { MANY, colours, graphOf, svg } from './drawing.js';

const LABEL_ROOM = 220; // pixels of a side in which one label is drawn: about as long as they are

// The label of the node under the pointer, on the page's own colours.
function hover(context, at, settings) {
  const c = colours();
  context.font = `500 ${settings.labelSize}px ${settings.labelFont}`;
  const text = cutText(at.label, 70);
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

// The same without a frame, readable over dots and lines.
function label(context, at, settings) {
  if (!at.label) return;
  const c = colours();
  context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`;
  context.lineJoin = 'round';
  context.lineWidth = 3;
  context.strokeStyle = c.paper;
  context.fillStyle = c.ink;
  const place = [at.x + at.size + 4, at.y + settings.labelSize / 3];
  context.strokeText(at.label, ...place);
  context.fillText(at.label, ...place);
}

const lit = (data) => ({ ...data, size: data.size + 4, forceLabel: true, highlighted: true, zIndex: 2 });

function drawn(box, graph, chosen, onClick) {
  const settings = {
    labelFont: 'Inter, sans-serif',
    labelSize: 12,
    zIndex: true,
    stagePadding: 40,
    edgeLabelFont: 'Inter, sans-serif',
    edgeLabelSize: 10,
    defaultDrawNodeHover: hover,
    defaultDrawNodeLabel: label,
    labelGridCellSize: LABEL_ROOM,
    allowInvalidContainer: true, // the page may be on its way out
    nodeReducer: (id, data) => (id === chosen.current ? lit(data) : data),
  };
  const sigma = new window.Sigma(graph, box, settings);
  sigma.on('clickNode', ({ node }) => onClick(node));
  return sigma;
}

// While many nodes move, edges and labels rest: the picture follows the hand.
function tuned(sigma, picture, c) {
  const many = picture.nodes.length > MANY;
  sigma.setSetting('hideEdgesOnMove', many);
  sigma.setSetting('hideLabelsOnMove', many);
  sigma.setSetting('labelDensity', many ? 0.07 : 0.5);
  sigma.setSetting('labelRenderedSizeThreshold', many ? 5 : 8);
  sigma.setSetting('renderEdgeLabels', picture.nodes.length <= 120 && picture.edges.some((edge) => edge.label));
  sigma.setSetting('labelColor', { color: c.ink });
  sigma.setSetting('edgeLabelColor', { color: c.soft });
}

export function Canvas({ picture, filter, chosen, onChoose, handle }) {
  const box = useRef(null);
  const now = useRef(chosen);
  const choose = useRef(onChoose);
  const [ready, setReady] = useState(false);
  const [theme, setTheme] = useState(0);
  choose.current = onChoose;
  useEffect(() => {
    const again = () => setTheme((n) => n + 1);
    addEventListener('themechange', again);
    return () => removeEventListener('themechange', again);
  }, []);
  useEffect(() => {
    let gone = false;
    const begin = async () => {
      await script('/assets/vendor/graphology.umd.min.js');
      await script('/assets/vendor/sigma.min.js');
      if (!gone) setReady(true);
    };
    begin();
    return () => {
      gone = true;
      handle.current.sigma?.kill();
      handle.current = {};
    };
  }, []);
  useEffect(() => {
    if (!ready || !box.current) return; // not yet, or not any more
    const c = colours();
    const graph = graphOf(picture, filter, c);
    const { sigma, fresh } = handle.current.sigma ? { sigma: handle.current.sigma } : { fresh: true };
    handle.current.graph = graph;
    try {
      handle.current.sigma = sigma || drawn(box.current, graph, now, (id) => choose.current(id, true));
      tuned(handle.current.sigma, picture, c);
      if (!fresh) handle.current.sigma.setGraph(graph);
    } catch (error) {
      // no WebGL here: the same picture without zooming
      const image = svg(graph, c, box.current.clientWidth, box.current.clientHeight);
      image.addEventListener('click', (event) => {
        const found = event.target.closest('[data-id]');
        if (found) choose.current(found.dataset.id, true);
      });
      box.current.replaceChildren(image);
    }
  }, [ready, picture, filter, theme]);
  useEffect(() => {
    now.current = chosen;
    handle.current.sigma?.refresh({ skipIndexation: true });
  }, [chosen]);
  return html`<div class="canvas" ref=${box} role="img"
    aria-label=${`${plural(picture.nodes.length, 'node')} and ${plural(picture.edges.length, 'link')}. The list next to it has them as text.`}></div>`;
}
