// Cuts a text between characters as people see them: no half of a pair, no accent or joined emoji cut in two.
const NEAR = 64; // characters around the cut that are looked at
const pieces = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

export function firstCharacters(text, most) {
  if (text.length <= most) return text;
  const start = Math.max(0, most - NEAR);
  const near = text.slice(start, most + NEAR);
  const { index } = pieces.segment(near).containing(most - start);
  return text.slice(0, index || start === 0 ? start + index : most);
}

// The same, with a mark where there is more.
export const cutText = (text, most) => (text.length > most ? `${firstCharacters(text, most - 1)}…` : text);
