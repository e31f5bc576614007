import type { Part, PendingCitation } from '../message.js';
import { withoutSandboxPaths } from '../redaction.js';
import type { IngestContext } from '../reducer.js';
import { type Cited, sourceOf } from '../sources.js';
import type { Annotation, TextPart } from './state.js';

/** A citation and the stretch of text that stands for it; an empty stretch: it goes in there. In UTF-16 units. */
interface Mark {
  readonly start: number;
  readonly end: number;
  readonly citation: PendingCitation;
}

/** A text and its annotations as parts of a message: the links that stand for citations give way to them. */
export function partsOf(context: IngestContext, { text, annotations }: TextPart): Part[] {
  const parts: Part[] = [];
  let position = 0;
  for (const { start, end, citation } of marksIn(context, text, annotations)) {
    const from = Math.max(start, position);
    const last = parts.at(-1);
    // Citations of one place make one group.
    if (from === position && last !== undefined) last.citations.push(citation);
    else parts.push({ text: shown(text.slice(position, from)), citations: [citation], isApart: false });
    position = Math.max(end, from);
  }
  return [...parts, { text: shown(text.slice(position)), citations: [], isApart: false }];
}

const shown = withoutSandboxPaths;

function marksIn(context: IngestContext, text: string, annotations: readonly Annotation[]): Mark[] {
  const unitAt = codePointUnits(text);
  const marks = annotations.flatMap((annotation): Mark[] => {
    if (annotation.kind === 'delivered') return [];
    const { title } = annotation;
    const source = (cited: Omit<Cited, 'title'>) => sourceOf(context, { title, ...cited });
    if (annotation.kind === 'link') {
      const citation = { quote: '', source: source({ locator: annotation.url, fallback: [] }) };
      return [{ ...stretchOf(text, annotation, unitAt), citation }];
    }
    const at = unitAt(annotation.at);
    const citation = { quote: '', source: source({ locator: undefined, fallback: [annotation.fileId] }) };
    return [{ start: at, end: at, citation }];
  });
  return marks.sort((a, b) => a.start - b.start);
}

type Link = Extract<Annotation, { kind: 'link' }>;
type Units = (codePoint: number) => number;

/**
 * Where the link stands, as far as it is one. Services of this kind annotate the link that they wrote into the text, others the
 * words that it supports: those stay, and the citation follows them.
 */
function stretchOf(text: string, { start, end, url }: Link, unitAt: Units): Omit<Mark, 'citation'> {
  const to = unitAt(end);
  const inPoints = { start: Math.min(unitAt(start), to), end: to };
  // Other services count in UTF-16 units.
  const found = [inPoints, { start, end }].find((span) => isLink(text.slice(span.start, span.end), url));
  return found ?? { start: to, end: to };
}

/** Whether words are nothing but a link to `url`, in Markdown or bare, or a reference mark. Links are short. */
function isLink(words: string, url: string): boolean {
  if (words.length > url.length + MAX_LABEL) return false;
  if (/^【[^】]*】$/.test(words)) return true;
  const rest = words.replace(url, () => '').replace(/[\s()<>]/g, '');
  return url !== '' && words.includes(url) && /^(?:\[[^\][]*\])?(?:"[^"]*")?$/.test(rest);
}

const MAX_LABEL = 1_000;

/** The place in UTF-16 units of a place in code points, both from 0 to the end of the text. */
function codePointUnits(text: string): Units {
  if (!/[\ud800-\udfff]/.test(text)) return (point) => Math.min(point, text.length);
  const units: number[] = [];
  let unit = 0;
  for (const point of text) {
    units.push(unit);
    unit += point.length;
  }
  return (point) => units[point] ?? text.length;
}
