// Preact and htm, as the views use them.
import { h, render, Fragment } from './vendor/preact.mjs';
import htm from './vendor/htm.mjs';

export { render, Fragment };
export { useState, useEffect, useRef, useMemo, useCallback } from './vendor/hooks.mjs';
export const html = htm.bind(h);
