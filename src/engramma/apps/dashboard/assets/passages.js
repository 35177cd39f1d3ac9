// The words of a question in what was found: where they stand, and the sentences that hold the most of them.
import { html } from './lib.js';
import { plainLines } from './markdown.js';

const PASSAGE = 320; // characters of a folded card
const LINE = 400; // characters of a line that is looked at as one sentence
// Of English, and of other languages what is no word or name in English, too.
const EMPTY = new Set(
  `a an the this that these those it its he him his she her hers they them their we us our you your i me my mine who
  whom whose which what when where why how am is are was were be been being have has had do does did will would shall
  should can could might must and or but nor so yet if then else than because as while of at by for with about into
  through during before after to from up down in out on off over under again once ever also too very just only any
  some all both each no not own same tell many much
  der das dem des ein eine einen einem einer ist sind und oder wer wem wie wo wann warum wieso welche welcher welches
  ich mich mir mein meine dein deine wir uns ihr haben habe auf von zu zum zur für el es qué quién cómo cuándo dónde por
  para del de les une sont et qui que quoi où quand avec gli è dove quando het een wat waar`.split(/\s+/),
);
const PIECES = /[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu;

// About what a stemmer does, enough to light up "visited" for "visit" and "cats" for "cat".
export function stem(word) {
  const low = word.toLowerCase().normalize('NFKD').replace(/\p{M}|['’].*$/gu, '');
  if (low.length < 4) return low;
  return low.replace(/(?:ies|ied)$/, 'y').replace(/(?<=...)(?:ing|ed|es|s|ly|e)$/, '');
}

export function stemsOf(question) {
  const all = [...question.matchAll(PIECES)].map(([word]) => word);
  const telling = all.filter((word) => !EMPTY.has(word.toLowerCase()));
  return new Set((telling.length ? telling : all).map(stem));
}

// A piece of text with the words of a question lit up.
export function lightUp(stems) {
  return (text) => {
    const found = [];
    let from = 0;
    for (const one of text.matchAll(PIECES)) {
      if (!stems.has(stem(one[0]))) continue;
      found.push(text.slice(from, one.index), html`<mark>${one[0]}</mark>`);
      from = one.index + one[0].length;
    }
    found.push(text.slice(from));
    return found;
  };
}

const sentencesIn = (line) =>
  line.length > LINE * 10
    ? [line.slice(0, LINE * 10)]
    : line.split(/(?<=[.!?…。！？]["')\]]?)\s+/u).filter((one) => one.trim());

// The best few sentences of one text, in their order, with how many of the question's words they hold.
function bestOf(text, stems) {
  const sentences = plainLines(text).flatMap(sentencesIn);
  const told = (one) => [...one.matchAll(PIECES)].map(([word]) => stem(word)).filter((word) => stems.has(word));
  const held = sentences.map((one) => new Set(told(one)));
  let best = 0;
  for (let n = 1; n < sentences.length; n += 1) if (held[n].size > held[best].size) best = n;
  let [first, last] = [best, best];
  let size = (sentences[best] || '').length;
  const room = (n) => n >= 0 && n < sentences.length && size + sentences[n].length <= PASSAGE;
  while (room(last + 1) || room(first - 1)) {
    const n = room(last + 1) ? (last += 1) : (first -= 1);
    size += sentences[n].length;
  }
  return {
    words: held[best] ? held[best].size : 0,
    text: sentences.slice(first, last + 1).join(' '),
    cutBefore: first > 0,
    cutAfter: last < sentences.length - 1,
  };
}

// Who said which part of a hit; a hit without parts is one.
export const partsOf = (hit) =>
  hit.spoken.length
    ? hit.spoken.map((one) => ({ speaker: one.speaker, said_at: one.said_at, text: spokenText(hit.text, one) }))
    : [{ speaker: hit.speakers[0] || '', said_at: hit.said_at, text: hit.text }];

// Places are counted in characters as Python counts them, not in the halves of a pair.
function spokenText(text, { start, end }) {
  return /[\ud800-\udbff]/.test(text) ? [...text].slice(start, end).join('') : text.slice(start, end);
}

// The part of a hit that holds most of the question's words; of equals what was said first, so a person's before the
// assistant's answer to it.
export function passageOf(hit, stems) {
  let found = null;
  for (const part of partsOf(hit)) {
    const best = bestOf(part.text, stems);
    if (!found || best.words > found.words) found = { ...best, speaker: part.speaker, said_at: part.said_at };
  }
  if (found.text.length <= PASSAGE * 1.5) return found;
  const at = [...found.text.matchAll(PIECES)].find(([word]) => stems.has(stem(word)));
  const from = Math.max(0, (at ? at.index : 0) - 80);
  const text = found.text.slice(from, from + PASSAGE);
  return { ...found, text, cutBefore: found.cutBefore || from > 0, cutAfter: true };
}
