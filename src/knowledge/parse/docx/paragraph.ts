/**
 * Paragraphs and runs of a Word document as they are written anew: the style says what a paragraph is (`Heading2`, `Code`, `Quote`), a
 * list says only how deep and whether with numbers, and of a run's looks only those stay that Markdown has.
 */

import { raised } from '../markdown/markup-elements.ts';
import type { Label } from './numbering.ts';
import { isMonospaced, type Look, type ParagraphStyle, type Styles } from './styles.ts';

export interface Paragraph {
  /** Where its opening tag goes in the output, once it is known. */
  readonly slot: number;
  style: ParagraphStyle;
  styleId: string | undefined;
  outline: number | undefined;
  numId: string | undefined;
  numLevel: number | undefined;
  shade: string;
  /** Its mark is deleted: it goes on in the next paragraph. */
  isJoined: boolean;
  text: string;
  codeLength: number;
  hasLink: boolean;
  /** Where the run that was written last ends in the output. */
  lastRun: { readonly end: number; readonly switches: string } | undefined;
  /** Text boxes that are anchored in it. */
  readonly after: string[];
}

export interface Run {
  readonly look: Look;
  styleId: string | undefined;
  raise: string;
  readonly parts: string[];
  text: string;
}

/** The number of an item stands before its text, between characters that no text holds. */
export const itemNumber = /\ufdd0(\d+)\ufdd1/g;
const longestHeading = 300;

export const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
export const textStart = '<w:t xml:space="preserve">';
export const textEnd = '</w:t>';
export const textXml = (text: string): string => `${textStart}${escapeXml(text)}${textEnd}`;

export const newParagraph = (slot: number, style: ParagraphStyle): Paragraph => ({
  slot,
  style,
  styleId: undefined,
  outline: undefined,
  numId: undefined,
  numLevel: undefined,
  shade: '',
  isJoined: false,
  text: '',
  codeLength: 0,
  hasLink: false,
  lastRun: undefined,
  after: [],
});

export const newRun = (): Run => ({ look: {}, styleId: undefined, raise: '', parts: [], text: '' });

const runEnd = '</w:r>';

/** Writes a run that is seen and counts it into its paragraph. Runs that look alike become one: programs cut text at every edit. */
export function writeRun({ look, styleId, raise, parts, text }: Run, around: Paragraph, styles: Styles, lines: string[]): void {
  const character = styles.character(styleId);
  const isPlain = around.style.role === 'heading' || around.style.role === 'title' || around.style.role === 'code';
  const isCode = character.isCode || isMonospaced(look.font ?? character.look.font);
  const switches = [
    isCode && !isPlain ? '<w:rStyle w:val="Code"/>' : '',
    (look.isBold ?? character.look.isBold) && !isPlain && !isCode ? '<w:b/>' : '',
    (look.isItalic ?? character.look.isItalic) && !isPlain && !isCode ? '<w:i/>' : '',
    look.isStruck ? '<w:strike/>' : '',
  ].join('');
  const small = raise === '' ? text : raised(text, raise === 'superscript' ? 'sup' : 'sub');
  around.text += small;
  if (isCode || small.trim() === '') around.codeLength += small.length;
  const shown = small === text ? parts : [textStart, escapeXml(small), textEnd];
  const isLike = around.lastRun?.end === lines.length && around.lastRun.switches === switches;
  if (isLike) lines.pop();
  else lines.push(`<w:r>${switches === '' ? '' : `<w:rPr>${switches}</w:rPr>`}`);
  const continues = isLike && lines.at(-1) === textEnd && shown[0] === textStart;
  if (continues) lines.pop();
  for (const part of continues ? shown.slice(1) : shown) lines.push(part);
  lines.push(runEnd);
  around.lastRun = { end: lines.length, switches };
}

/** From 1; 0 for a paragraph that is no heading. Longer ones are text that somebody formatted so. */
export function headingLevel({ style, outline, text }: Paragraph): number {
  if (text.trim() === '' || text.length > longestHeading) return 0;
  if (outline !== undefined) return outline < 9 ? outline + 1 : 0;
  return style.role === 'title' ? 1 : style.level;
}

/**
 * The opening of a paragraph, its properties and the label that Word shows before it.
 * @param level of a heading, 0 for none
 * @param depth of a list item from 0; undefined where lists are lines of text, as in cells
 */
export function openingXml(paragraph: Paragraph, level: number, label: Label | undefined, depth: number | undefined): string {
  const { style, text, codeLength, isJoined } = paragraph;
  const words = label === undefined || label.kind === 'bullet' ? '' : `${label.text} `;
  let properties = '';
  let first = words;
  if (level > 0) properties = `<w:pStyle w:val="Heading${Math.min(level, 6)}"/>`;
  else if (label && depth !== undefined) {
    const isNumber = label.kind === 'number';
    properties = `<w:numPr><w:ilvl w:val="${depth}"/><w:numId w:val="${isNumber ? 2 : 1}"/></w:numPr>`;
    if (isNumber) first = `\ufdd0${label.value}\ufdd1`;
  } else if (label === undefined && depth !== undefined) {
    const isCode = style.role === 'code' || (text.trim() !== '' && codeLength >= text.length);
    if (isCode || style.role === 'quote') properties = `<w:pStyle w:val="${isCode ? 'Code' : 'Quote'}"/>`;
  }
  const mark = isJoined ? '<w:rPr><w:del/></w:rPr>' : '';
  return `<w:p>${properties + mark === '' ? '' : `<w:pPr>${properties}${mark}</w:pPr>`}${first === '' ? '' : `<w:r>${textXml(first)}</w:r>`}`;
}
