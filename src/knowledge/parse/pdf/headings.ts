/**
 * Which paragraphs are headings, of which level, and the document's title. Larger than the body, or bold or in capitals and standing
 * alone; levels follow the sizes, and the numbering where headings of one size are numbered by depth.
 */
import type { Paragraph } from './paragraphs.ts';
import type { BodyStyle } from './style.ts';

const largeRatio = 1.14;
const slightlyLargeRatio = 1.04;
const maxHeadingChars = 200;
const maxBoldChars = 120;
const maxCapitalChars = 80;
const maxHeadingLines = 3;
const maxLevel = 6;

const letterCount = (text: string) => text.match(/\p{L}/gu)?.length ?? 0;
const sentenceEnd = /[.,;:]["”’)]?$/;
const capitals = /^[^\p{Ll}]*\p{Lu}{3}[^\p{Ll}]*$/u;

export function isHeading(paragraph: Paragraph, body: BodyStyle): boolean {
  const { text, size, isBold, lineCount, mark, hasGapAbove, hasGapBelow } = paragraph;
  if (text.length > maxHeadingChars || lineCount > maxHeadingLines || letterCount(text) < 2 || text.includes(' … ')) return false;
  if (mark && (mark.kind === 'bullet' || mark.kind === 'dash')) return false;
  const isStatement = sentenceEnd.test(text) && (text.length > 60 || /[;,]$/.test(text));
  if (size >= body.size * largeRatio) return !isStatement;
  if (isStatement || !/^[\p{Lu}\p{Lo}\p{N}¿"“'(§]/u.test(text)) return false;
  const isBolder = isBold && !body.isBold;
  if (isBolder && size >= body.size * slightlyLargeRatio) return !/[.:]$/.test(text);
  if (size < body.size * 0.9) return false;
  if (isBolder) return text.length <= maxBoldChars && lineCount <= 2 && !/[.:]$/.test(text) && hasGapAbove;
  return (
    capitals.test(text) &&
    hasGapAbove &&
    hasGapBelow &&
    text.length <= maxCapitalChars &&
    lineCount === 1 &&
    !/[.:]$/.test(text) &&
    letterCount(text) >= 6
  );
}

export interface Heading {
  readonly text: string;
  readonly size: number;
  readonly isBold: boolean;
}

const numbering = /^(?:\d{1,3}|[A-Z])((?:\.\d{1,3})*)\.?\s/;
const depthOf = (text: string): number | undefined => {
  const match = numbering.exec(text);
  return match ? (match[1]?.split('.').length ?? 1) : undefined;
};

/** The level of each heading, from 1. @param isLong whether sizes that are used once, on a title page, make no level */
export function headingLevels(headings: readonly Heading[], isLong: boolean): (heading: Heading) => number {
  const sizes: number[] = [];
  for (const { size } of [...headings].sort((one, other) => other.size - one.size))
    if (size < (sizes.at(-1) ?? Infinity) * 0.965) sizes.push(size);
  const sizeOf = (heading: Heading) => sizes.find((size) => heading.size >= size * 0.965) ?? heading.size;
  const classOf = (heading: Heading) => sizeOf(heading) * 2 + (heading.isBold ? 1 : 0);
  // Bold and plain headings of one size are two levels only where both are used more than once.
  const counts = new Map<number, number>();
  for (const heading of headings) counts.set(classOf(heading), (counts.get(classOf(heading)) ?? 0) + 1);
  const isUsed = (key: number, index: number) => !isLong || index === 0 || (counts.get(key) ?? 0) > 1;
  const classes = [...counts.keys()]
    .sort((one, other) => other - one)
    .filter(isUsed)
    .filter((key) => key % 2 !== 0 || (counts.get(key) ?? 0) > 1 || !counts.has(key + 1));
  const rankOf = (heading: Heading) => {
    const at = classes.findIndex((key) => key <= classOf(heading));
    return at < 0 ? classes.length - 1 : at;
  };
  const depths = new Map<number, number>();
  for (const heading of headings) {
    const depth = depthOf(heading.text);
    if (depth !== undefined) depths.set(rankOf(heading), Math.min(depths.get(rankOf(heading)) ?? depth, depth));
  }
  return (heading) => {
    const rank = rankOf(heading);
    const deeper = (depthOf(heading.text) ?? 0) - (depths.get(rank) ?? 0);
    return Math.min(maxLevel, rank + 1 + Math.max(0, deeper));
  };
}

const placeholder =
  /^(?:microsoft (?:word|powerpoint|excel|office)|(?:untitled|document|dokument|presentation|slide|layout|book|print|scan|new)\s*[\d\W]*$|about:blank|https?:|file:|\(anonymous\)|unspecified|title$|no title)|\.(?:docx?|pdf|tex|rtf|odt|pptx?|xlsx?|indd|qxd|html?|md|txt|dvi|ps|pages)$/i;

/** A title from the file's own description, if a person could have written it. */
export function sensibleTitle(title: string | undefined): string | undefined {
  const text = title?.replace(/\s+/g, ' ').trim() ?? '';
  return text.length >= 3 && text.length <= 200 && letterCount(text) >= 3 && !placeholder.test(text) && !/[\\\ufffd]/.test(text)
    ? text
    : undefined;
}
