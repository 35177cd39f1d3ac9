// A long list of which only what is in sight is in the page.
import { html, useEffect, useRef, useState } from './lib.js';

const WHOLE = 200; // rows up to which all are drawn
const ROW = 56; // pixels of a row in a longer list

export function Rows({ items, label, children }) {
  const box = useRef(null);
  const [at, setAt] = useState({ top: 0, height: 400 });
  useEffect(() => {
    box.current.scrollTop = 0;
    setAt({ top: 0, height: box.current.clientHeight });
  }, [items.length > WHOLE]);
  const moved = () => setAt({ top: box.current.scrollTop, height: box.current.clientHeight });
  const few = items.length <= WHOLE;
  const first = few ? 0 : Math.max(0, Math.min(items.length - 1, Math.floor(at.top / ROW) - 5));
  const last = few ? items.length : Math.min(items.length, first + Math.ceil(at.height / ROW) + 10);
  return html`<div class="nodes" ref=${box} onScroll=${few ? null : moved} tabindex="0" role="group"
    aria-label=${label}>
    ${!few && html`<div style=${{ height: `${first * ROW}px` }}></div>`}
    <div class=${few ? '' : 'even'}>${items.slice(first, last).map(children)}</div>
    ${!few && html`<div style=${{ height: `${(items.length - last) * ROW}px` }}></div>`}
  </div>`;
}
