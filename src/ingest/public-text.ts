/**
 * Text from a stream as an event can hold it: U+0000 and surrogates without their pair become U+FFFD (nobody upstream could
 * correct them), and what is longer than `max` UTF-16 units is cut before a grapheme that would not fit.
 */
export function publicText(text: string, max = Number.POSITIVE_INFINITY): string {
  return cutText(text.toWellFormed().replaceAll('\u0000', '\uFFFD'), max);
}

/** The longest beginning of at most `max` UTF-16 units that ends between two graphemes. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  // A grapheme is rarely longer than this; a longer one is cut between code points.
  const from = Math.max(0, max - LONGEST_GRAPHEME);
  const tail = text.slice(from, max + LONGEST_GRAPHEME);
  let end = 0;
  for (const { index, segment } of GRAPHEMES.segment(tail)) {
    if (from + index + segment.length > max) break;
    end = index + segment.length;
  }
  return end > 0
    ? text.slice(0, from + end)
    : text
        .slice(0, max)
        .toWellFormed()
        .replace(/\uFFFD$/, '');
}

const GRAPHEMES = new Intl.Segmenter('und', { granularity: 'grapheme' });
const LONGEST_GRAPHEME = 64;
