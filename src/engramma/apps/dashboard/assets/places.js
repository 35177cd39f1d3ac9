// How far down one was on each page of the history: "back" leads to the same row of a list, not to its top.
const PATIENCE = 3000; // milliseconds for a page to fetch what stood there

const places = new Map();
let entry = numbered();
let returning = false;

function numbered() {
  const known = history.state && history.state.entry;
  if (known) return known;
  const made = `${Date.now()}-${Math.random()}`;
  history.replaceState({ entry: made }, '');
  return made;
}

addEventListener(
  'scroll',
  () => {
    if (!returning) places.set(entry, scrollY);
  },
  { passive: true },
);

// Another address: what scrolls from now on is no longer the page that was left.
export function arrive(isSamePage) {
  entry = numbered();
  returning = !isSamePage;
}

// To the place where one was on this page, or to its top if it is a new one.
export function takePlace() {
  const goal = places.get(entry) || 0;
  const until = performance.now() + PATIENCE;
  const end = () => {
    returning = false;
    for (const kind of ['wheel', 'touchstart', 'keydown']) removeEventListener(kind, end);
  };
  for (const kind of ['wheel', 'touchstart', 'keydown']) addEventListener(kind, end, { passive: true });
  const step = () => {
    if (!returning) return;
    scrollTo(0, goal);
    if (scrollY < goal - 2 && performance.now() < until) requestAnimationFrame(step);
    else end();
  };
  step();
}
