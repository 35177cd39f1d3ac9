// Markdown as assistants write it: headings, lists, tables, code, emphasis and links, as elements of the page. Tags in
// a text stay text, pictures are named and never loaded, and only web and mail addresses become links.
import { html } from './lib.js';

const DEEPEST = 6; // lists and quotes inside one another; what lies deeper is shown as text
const WIDEST = 2000; // characters of a line that may open code or divide a table: looking at longer ones takes long
const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([\w+#.-]*)[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,12})([-*+]|\d{1,9}[.)])( {1,4}|\t|$)(.*)$/;
const TASK = /^\[([ xX])\] +/;
const DIVIDER = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const ADDRESS = /^(?:https?:\/\/|mailto:)[^\s<>"]+$/i;
const BARE = /^https?:\/\/[^\s<>"'`|]+/i;
const WORD = /[\p{L}\p{N}_]/u;

// --- blocks -----------------------------------------------------------------------------------------

const cells = (line) =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replace(/\\\|/g, '|'));

const isTable = (lines, n) =>
  lines[n].includes('|') &&
  n + 1 < lines.length &&
  lines[n + 1].length <= WIDEST &&
  DIVIDER.test(lines[n + 1]) &&
  cells(lines[n]).length === cells(lines[n + 1]).length;

const isFence = (line) => line.length <= WIDEST && FENCE.test(line);

const begins = (lines, n) =>
  isFence(lines[n]) ||
  HEADING.test(lines[n]) ||
  RULE.test(lines[n]) ||
  QUOTE.test(lines[n]) ||
  ITEM.test(lines[n]) ||
  isTable(lines, n);

function fenced(lines, n) {
  const [, mark, language] = FENCE.exec(lines[n]);
  let end = n + 1;
  while (end < lines.length && !(lines[end].trim().startsWith(mark) && !lines[end].trim().slice(mark.length).trim()))
    end += 1;
  return [{ kind: 'code', language, text: lines.slice(n + 1, end).join('\n') }, end + 1];
}

function tabled(lines, n) {
  const head = cells(lines[n]);
  let end = n + 2;
  const rows = [];
  while (end < lines.length && lines[end].includes('|') && lines[end].trim()) {
    const row = cells(lines[end]);
    rows.push(head.map((_, at) => row[at] ?? ''));
    end += 1;
  }
  const sides = cells(lines[n + 1]).map((one) => (/:$/.test(one) ? (/^:/.test(one) ? 'center' : 'right') : 'left'));
  return [{ kind: 'table', head, rows, sides }, end];
}

// Items of one list; what is indented below an item, or follows it without a gap, belongs to it.
function listed(lines, n, deep) {
  const [, indent, sign] = ITEM.exec(lines[n]);
  const ordered = /\d/.test(sign);
  const items = [];
  let at = n;
  while (at < lines.length) {
    const found = ITEM.exec(lines[at]);
    if (!found || RULE.test(lines[at]) || found[1].length > indent.length + 1 || found[1].length < indent.length) break;
    if (/\d/.test(found[2]) !== ordered) break;
    const inner = found[1].length + found[2].length + 1;
    const own = [found[4]];
    at += 1;
    while (at < lines.length) {
      const blank = !lines[at].trim();
      const inside = /^ */.exec(lines[at])[0].length >= Math.min(inner, found[1].length + 2);
      if (blank) {
        let next = at + 1;
        while (next < lines.length && !lines[next].trim()) next += 1;
        if (next >= lines.length || /^ */.exec(lines[next])[0].length < found[1].length + 2) break;
      } else if (!inside && begins(lines, at)) break;
      else if (!inside && !lines[at - 1].trim()) break;
      own.push(inside ? lines[at].slice(Math.min(inner, /^ */.exec(lines[at])[0].length)) : lines[at].trimStart());
      at += 1;
    }
    const task = TASK.exec(own[0]);
    if (task) own[0] = own[0].slice(task[0].length);
    items.push({ done: task ? task[1] !== ' ' : null, blocks: blocksOf(own, deep + 1) });
    let next = at;
    while (next < lines.length && !lines[next].trim()) next += 1;
    if (next < lines.length && ITEM.test(lines[next])) at = next;
  }
  return [{ kind: 'list', ordered, start: ordered ? Number.parseInt(sign, 10) : 1, items }, at];
}

function blocksOf(lines, deep) {
  const found = [];
  let n = 0;
  while (n < lines.length) {
    const line = lines[n];
    const heading = HEADING.exec(line);
    if (!line.trim()) {
      n += 1;
    } else if (isFence(line)) {
      const [block, end] = fenced(lines, n);
      found.push(block);
      n = end;
    } else if (heading) {
      found.push({ kind: 'heading', level: heading[1].length, text: heading[2].trimEnd().replace(/ #{1,6}$/, '') });
      n += 1;
    } else if (RULE.test(line)) {
      found.push({ kind: 'rule' });
      n += 1;
    } else if (isTable(lines, n)) {
      const [block, end] = tabled(lines, n);
      found.push(block);
      n = end;
    } else if (deep < DEEPEST && QUOTE.test(line)) {
      const own = [];
      while (n < lines.length && QUOTE.test(lines[n])) {
        own.push(lines[n].replace(QUOTE, ''));
        n += 1;
      }
      found.push({ kind: 'quote', blocks: blocksOf(own, deep + 1) });
    } else if (deep < DEEPEST && ITEM.test(line)) {
      const [block, end] = listed(lines, n, deep);
      found.push(block);
      n = end;
    } else {
      const own = [line];
      n += 1;
      while (n < lines.length && lines[n].trim() && (deep >= DEEPEST || !begins(lines, n))) {
        own.push(lines[n]);
        n += 1;
      }
      found.push({ kind: 'text', text: own.join('\n') });
    }
  }
  return found;
}

// The blocks of a text, as plain values.
export const parse = (text) => blocksOf(text.replace(/\r\n?/g, '\n').replace(/\t/g, '    ').split('\n'), 0);

// --- words inside a block ---------------------------------------------------------------------------

const MARKS = [
  ['**', 'strong'],
  ['__', 'strong'],
  ['~~', 'del'],
  ['*', 'em'],
  ['_', 'em'],
];

// Where a mark is closed: after a word, and for one of letters' own signs (_) not inside a word. -1 if nowhere.
function closing(text, sign, from, missing) {
  if (missing.has(sign) && missing.get(sign) <= from) return -1;
  for (let at = text.indexOf(sign, from + 1); at >= 0; at = text.indexOf(sign, at + 1)) {
    const after = text[at + sign.length] || '';
    if (sign.length === 1 && after === sign) {
      at += 1; // a stronger mark's own
      continue;
    }
    if (/\s/.test(text[at - 1])) continue;
    if (sign[0] === '_' && WORD.test(after)) continue;
    return at;
  }
  missing.set(sign, Math.min(from, missing.get(sign) ?? from));
  return -1;
}

function linked(text, at) {
  const middle = text.indexOf('](', at);
  if (middle < 0 || middle - at > 500 || text.slice(at, middle).includes('\n\n')) return null;
  const end = text.indexOf(')', middle);
  if (end < 0 || end - middle > 2000) return null;
  const address = text.slice(middle + 2, end).trim().split(/\s/)[0];
  return { label: text.slice(at + 1, middle), address, end: end + 1 };
}

// The words of a block as plain values: strings, and { kind, ... } with words of their own.
export function inline(text, deep = 0) {
  const found = [];
  const missing = new Map();
  let plain = '';
  const push = (one) => {
    if (plain) found.push(plain);
    plain = '';
    found.push(one);
  };
  let at = 0;
  while (at < text.length) {
    const sign = text[at];
    if (sign === '\\' && /[\\`*_~[\](){}#+.!|>-]/.test(text[at + 1] || '')) {
      plain += text[at + 1];
      at += 2;
      continue;
    }
    if (sign === '`') {
      const ticks = /^`+/.exec(text.slice(at, at + 20))[0];
      const end = missing.has(ticks) ? -1 : text.indexOf(ticks, at + ticks.length);
      if (end > 0) {
        push({ kind: 'code', text: text.slice(at + ticks.length, end).trim() });
        at = end + ticks.length;
        continue;
      }
      missing.set(ticks, 0);
      plain += ticks;
      at += ticks.length;
      continue;
    }
    if (sign === '[' || (sign === '!' && text[at + 1] === '[')) {
      const link = linked(text, sign === '!' ? at + 1 : at);
      if (link && sign === '!') {
        push({ kind: 'picture', label: link.label });
        at = link.end;
        continue;
      }
      if (link && deep < DEEPEST && ADDRESS.test(link.address)) {
        push({ kind: 'link', address: link.address, words: inline(link.label, DEEPEST) });
        at = link.end;
        continue;
      }
    }
    if ((sign === 'h' || sign === 'H') && !WORD.test(text[at - 1] || '')) {
      const bare = BARE.exec(text.slice(at, at + 2000));
      if (bare && deep < DEEPEST) {
        const address = bare[0].replace(/[.,;:!?)\]*_]+$/, '');
        push({ kind: 'link', address, words: [address] });
        at += address.length;
        continue;
      }
    }
    const mark = deep < DEEPEST && MARKS.find(([one]) => text.startsWith(one, at));
    if (mark) {
      const [open, kind] = mark;
      const first = text[at + open.length] || ' ';
      const inWord = open[0] === '_' && WORD.test(text[at - 1] || '');
      const end = /\s/.test(first) || inWord ? -1 : closing(text, open, at + open.length, missing);
      if (end > 0) {
        push({ kind, words: inline(text.slice(at + open.length, end), deep + 1) });
        at = end + open.length;
        continue;
      }
      plain += open;
      at += open.length;
      continue;
    }
    plain += sign;
    at += 1;
  }
  if (plain) found.push(plain);
  return found;
}

// --- elements ---------------------------------------------------------------------------------------

const host = (address) => {
  try {
    const url = new URL(address);
    return url.protocol === 'mailto:' ? url.pathname : url.host;
  } catch (error) {
    return address;
  }
};

function Words({ words, mark }) {
  return words.map((one) => {
    if (typeof one === 'string') return mark ? mark(one) : one;
    if (one.kind === 'code') return html`<code>${one.text}</code>`;
    if (one.kind === 'picture') return html`<span class="quiet">[picture${one.label ? `: ${one.label}` : ''}]</span>`;
    const inner = html`<${Words} words=${one.words} mark=${mark} />`;
    if (one.kind === 'link') {
      const shown = one.words.length === 1 && one.words[0] === one.address;
      return html`<a href=${one.address} target="_blank" rel="noopener noreferrer nofollow">${inner}</a>${
        shown ? '' : html` <span class="quiet tiny">(${host(one.address)})</span>`
      }`;
    }
    if (one.kind === 'strong') return html`<strong>${inner}</strong>`;
    if (one.kind === 'del') return html`<del>${inner}</del>`;
    return html`<em>${inner}</em>`;
  });
}

// A block of its own runs from the side of its first letter; inside of a list or a quote, `talk.css` sees to it.
function Block({ block, mark, inner }) {
  const dir = inner ? null : 'auto';
  const said = (text) => html`<${Words} words=${inline(text)} mark=${mark} />`;
  if (block.kind === 'code')
    return html`<pre class="md-code" tabindex="0" aria-label=${`Code${block.language ? `, ${block.language}` : ''}`}>
<code>${block.text}</code></pre>`;
  if (block.kind === 'heading') return html`<p dir=${dir} class=${`md-head md-head-${block.level}`}>${said(block.text)}</p>`;
  if (block.kind === 'rule') return html`<hr />`;
  if (block.kind === 'quote') return html`<blockquote dir=${dir}><${Blocks} blocks=${block.blocks} mark=${mark} inner /></blockquote>`;
  if (block.kind === 'table')
    return html`<div class="table-wrap" tabindex="0" role="group" aria-label="Table"><table class="md-table"><thead><tr>
      ${block.head.map((cell, n) => html`<th dir="auto" scope="col" class=${`side-${block.sides[n]}`}>${said(cell)}</th>`)}</tr>
      </thead><tbody>${block.rows.map((row) => html`<tr>${row.map(
        (cell, n) => html`<td dir="auto" class=${`side-${block.sides[n]}`}>${said(cell)}</td>`,
      )}</tr>`)}</tbody></table></div>`;
  if (block.kind === 'list') {
    const items = block.items.map(
      (item) => html`<li>${item.done === null ? '' : html`<span aria-label=${item.done ? 'done' : 'not done'}
        role="img">${item.done ? '☑' : '☐'} </span>`}<${Blocks} blocks=${item.blocks} mark=${mark} inner /></li>`,
    );
    return block.ordered ? html`<ol dir=${dir} start=${block.start}>${items}</ol>` : html`<ul dir=${dir}>${items}</ul>`;
  }
  return html`<p dir=${dir}>${said(block.text)}</p>`;
}

function Blocks({ blocks, mark, inner = false }) {
  return blocks.map((block) => html`<${Block} block=${block} mark=${mark} inner=${inner} />`);
}

// A text as its author formatted it; `mark` may turn a piece of plain text into elements.
export function Markdown({ text, mark }) {
  return html`<div class="md"><${Blocks} blocks=${parse(text)} mark=${mark} /></div>`;
}

const flat = (words) =>
  words.map((one) => (typeof one === 'string' ? one : (one.text ?? one.label ?? flat(one.words)))).join('');

// The same without its signs, a line a block: to cut passages out of.
export function plainLines(text) {
  const lines = [];
  const walk = (blocks) => {
    for (const block of blocks) {
      if (block.kind === 'list') for (const item of block.items) walk(item.blocks);
      else if (block.kind === 'quote') walk(block.blocks);
      else if (block.kind === 'table')
        for (const row of block.rows) lines.push(row.map((cell) => flat(inline(cell))).join(' · '));
      else if (block.kind === 'code') lines.push(block.text);
      else if (block.kind !== 'rule') lines.push(flat(inline(block.text)));
    }
  };
  walk(parse(text));
  return lines.filter((line) => line.trim());
}
