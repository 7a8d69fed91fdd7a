/** Cuts a passage into sections and whole blocks: paragraphs, list items, tables and code. */
import { isShowable } from '../../../packages/grounding/src/shown-sentence.ts';
import { pattern } from '../../../packages/shared/src/language/pattern.ts';
import { segments } from '../../../packages/shared/src/language/segments.ts';
import { type MarkdownLine, markdownLines } from '../../../packages/shared/src/markdown/lines.ts';
import { readable } from '../../../packages/shared/src/markdown/readable.ts';
import {
  isMdxLine,
  withoutTemplateTags,
} from '../../../packages/shared/src/markdown/template-tags.ts';
import { citedAt, type Passage } from '../../documents/document.ts';
import { plainPassageOf } from './checked-passage.ts';
import { passageLabelOf } from './sources.ts';

type Kind = 'text' | 'item' | 'table' | 'code';
export type SectionBlock = Readonly<{
  kind: Kind;
  start: number;
  end: number;
  /** As shown. */
  text: string;
  /** Paragraph or bold line above it that introduces it. */
  lead?: SectionBlock;
  /** Only of the heading of a part: its full path. */
  path?: string;
  /** Only of a sentence of a long block. */
  cutFrom?: SectionBlock;
}>;
export type Section = Readonly<{
  passage: number;
  path: string;
  /** Its innermost heading, or the question of an FAQ. */
  heading: string;
  blocks: readonly SectionBlock[];
}>;

const image = /!\[[^[\]]{0,300}\](?:\([^()\n]{0,2000}\)|\[[^[\]]{0,100}\])/g;
const link =
  /\[([^[\]]{0,300})\](?:\(\s*<?([^()<>\s]{0,2000}(?:\([^()\s]{0,300}\)[^()<>\s]{0,300})?)>?(?:\s+["'][^"'\n]{0,300}["'])?\s*\)|\[(?!\d)[^[\]]{0,100}\])/g;
const autolink = /<((?:https?:\/\/|mailto:)[^<>\s]{1,500}|[^<>\s@]{1,100}@[^<>\s]{1,200})>/g;
const markup = /<!--[\s\S]{0,5000}?-->|(?<!\\)<\/?[a-z][^<>]{0,500}>|\[\^[^[\]\s]{1,40}\]/gi;
const codeSpan = /(`[^`\n]{1,500}`)/;
const sourcesLine = /^[ \t]*Sources:/m;

/** Keeps bold marks, line breaks and links to the web; removes other marks outside code spans. */
const bare = (text: string) =>
  readable(
    withoutTemplateTags(text)
      .split(codeSpan)
      .map((part, at) => (at % 2 ? part : part.replace(autolink, '$1').replace(markup, '')))
      .join('')
      .replace(image, '')
      .replace(link, (_, label: string, target = '') =>
        /^(?:https?:\/\/|mailto:)/i.test(target) ? `[${label}](${target})` : label,
      ),
  );

/** Returns a block as shown; empty if it may not be shown. */
function shown(text: string, kind: Kind) {
  if (kind === 'code') {
    const indent = /^[ \t]*/.exec(text)?.[0] ?? '';
    const code = text.trimEnd().replaceAll(`\n${indent}`, '\n').slice(indent.length);
    const isEmpty = !/[\p{L}\p{N}]/u.test(code.replace(/^\s*(?:`{3,}|~{3,}).*$/gm, ''));
    const isSafe = /^(?:`{3,}|~{3,})/.test(code) || isShowable(code);
    return !isEmpty && isSafe && !sourcesLine.test(code) ? code : '';
  }
  const narrow = text.replace(/(?<=\S)[ \t]{3,}/g, ' ').replace(/-{4,}/g, '---');
  const lines = bare(kind === 'table' ? narrow : text)
    .split('\n')
    .map((line) => line.trimEnd());
  const clean = lines
    .filter((line) => line !== '')
    .join('\n')
    .trim();
  const isSafe = lines.every(isShowable) && !/<[a-z!/?]/i.test(clean.replace(/`[^`]*`/g, ''));
  return isSafe && isShowable(clean) && /[\p{L}\p{N}]/u.test(clean) ? clean : '';
}

const itemStart = /^\s*(?:[-*+]|\d{1,9}[.)])\s+\S/;
const underline = /^ {0,3}(?:=+|-+)\s*$/;
/** Headings, rules, link definitions, alerts. */
const noText =
  /^ {0,3}#{1,6}(?:\s|$)|^ {0,3}([-*_])(?:\s*\1){2,}\s*$|^ {0,3}\[(?!\^)[^\]]{1,200}\]:\s|^\s*(?::::|!!!\s|\?\?\?\+?\s)|^\s*>?\s*\[![A-Za-z]{1,20}\]\s*$/;
const boldLine = /^(\*\*|__)(?!\s).{1,300}?\1\s*:?$/;
/** Matches the end of a text that introduces the block below it. */
export const announces = /[:：][*_"”]*$/;
/** In characters: longer lines are prose. */
const maxFaqLine = 2_000;
const asks = pattern`
  (?:Q|F|P|D|V|В|Question|Frage|Pregunta|Domanda|Pergunta|Vraag|Вопрос|問|问|質問|问题|問題|질문|문)
    \s*\d{0,3}\s*[.:：)]
`;
const mark = String.raw`(?:\*\*|__|\*|_)`;
/** Question of an FAQ on a line of its own. */
const faqLine = new RegExp(
  String.raw`^\s*${mark}?(?:${asks}|(?=${mark}.{1,300}[?？]))\s*${mark}?(.{1,300}?)${mark}?\s*$`,
  'u',
);
/** Question and answer on one line, perhaps of a list: `**Q:** May I? **A:** Yes.`, `*May I?* Yes.` */
const faqPair = new RegExp(
  pattern`
    ^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?
      (?:${mark}?${asks}\s*${mark}?\s*(.{1,300}?[?？])${mark}?|${mark}(?!\s)(.{1,300}?[?？])${mark})
      \s*[\p{L}\p{N}*_("“«]
  `,
  'u',
);

function kindOf({ text, kind }: MarkdownLine): Kind | undefined {
  if (kind !== 'prose') return 'code';
  if (text.trim() === '' || noText.test(text) || underline.test(text) || isMdxLine(text))
    return undefined;
  return /^\s*\|.*\|\s*$/.test(text) ? 'table' : itemStart.test(text) ? 'item' : 'text';
}

type Raw = NonNullable<ReturnType<typeof rawOf>>;

/** Whether a line continues the block. */
function continues(open: Raw, next: Raw, isAfterBlank: boolean) {
  if (open.kind === 'item' && next.kind !== 'code')
    return next.indent > open.indent || (next.kind === 'text' && !isAfterBlank);
  const isSame = open.kind === next.kind && !open.isEnded && open.kind !== 'item';
  return isSame && next.question === undefined && (!isAfterBlank || next.kind === 'code');
}

/**
 * Returns a line as a block of its own; undefined for lines without text. `isEnded`: no line
 * continues it, because it is a question on its own line, or its fence is closed.
 */
function rawOf(read: MarkdownLine) {
  const { text, start, next: end } = read;
  const kind = kindOf(read);
  const line = text.slice(0, maxFaqLine);
  const pair = kind === 'text' || kind === 'item' ? faqPair.exec(line) : null;
  const whole = kind === 'text' && !pair ? faqLine.exec(line)?.[1] : undefined;
  const question = pair ? (pair[1] ?? pair[2]) : whole;
  const isEnded = whole !== undefined;
  return kind && { kind, start, end, indent: text.search(/\S/), question, isEnded };
}

function* rawBlocks(text: string) {
  let open: Raw | undefined;
  let isAfterBlank = false;
  for (const line of markdownLines(text)) {
    if (line.kind === 'prose' && line.text.trim() === '') {
      isAfterBlank = true;
      continue;
    }
    const next = rawOf(line);
    if (open && next && continues(open, next, isAfterBlank))
      open = { ...open, end: next.end, isEnded: line.kind === 'fence' };
    else {
      // A line of dashes below a paragraph makes it a heading.
      const isHeading = open?.kind === 'text' && !isAfterBlank && underline.test(line.text);
      if (open && !isHeading) yield open;
      open = next;
    }
    isAfterBlank = false;
  }
  if (open) yield open;
}

/** Returns what introduces a block: for code any block above it, for items the lead of their list. */
function leadOf(kind: Kind, before: SectionBlock | undefined) {
  const isLead =
    before?.kind === 'text' && (announces.test(before.text) || boldLine.test(before.text));
  if (kind === 'code' || isLead) return before;
  return kind === 'item' && before?.kind !== 'text' ? before?.lead : undefined;
}

/** Cuts a passage into sections, and these into blocks. */
export function sectionsOf(passage: Passage, position: number): Section[] {
  const { text, storedSpan } = plainPassageOf(passage);
  const found: (Section & { readonly blocks: SectionBlock[] })[] = [];
  let before: SectionBlock | undefined;
  for (const { kind, start, end, question } of rawBlocks(text)) {
    const place = citedAt(passage, passage.start + storedSpan(start, start + 1).start);
    const path = passageLabelOf(place);
    if (found.at(-1)?.path !== path || question !== undefined) {
      const innermost = place.headingPath.at(-1) ?? place.document.title;
      const heading = question ?? faqLine.exec(innermost)?.[1] ?? innermost;
      found.push({ passage: position, path, heading, blocks: [] });
      before = undefined;
    }
    const own = shown(text.slice(start, end), kind);
    const lead = leadOf(kind, before);
    const to = start + text.slice(start, end).trimEnd().length;
    before = { kind, start, end: to, text: own, ...(lead && lead.text !== '' && { lead }) };
    if (own !== '') found.at(-1)?.blocks.push(before);
  }
  return withParts(found.filter(({ blocks }) => blocks.length > 0));
}

/** Adds to each section the sections below it, each under its heading in bold. */
const withParts = (sections: readonly Section[]) =>
  sections.map((section, at) => {
    const after = sections.slice(at + 1);
    const end = after.findIndex(({ path }) => !path.startsWith(`${section.path} › `));
    const parts = after.slice(0, end < 0 ? undefined : end).flatMap(({ path, blocks }) => {
      const { start = 0 } = blocks[0] ?? {};
      const text = `**${path.slice(section.path.length + 3)}**`;
      const title: SectionBlock = { kind: 'text', start, end: start, text, path };
      return [title, ...blocks.map((one) => ({ ...one, lead: one.lead ?? title }))];
    });
    return { ...section, blocks: [...section.blocks, ...parts] };
  });

/** Returns the sentences of a block that is too long to be shown as a whole. */
export function sentencesOf(block: SectionBlock, passage: Passage): SectionBlock[] {
  const { kind, start, end } = block;
  const whole = plainPassageOf(passage).text.slice(start, end);
  const sentences = [...segments(whole)].flatMap((one) => {
    const text = shown(whole.slice(one.start, one.end), kind);
    const place = { start: start + one.start, end: start + one.end };
    return text === '' ? [] : [{ ...block, ...place, text, cutFrom: block }];
  });
  const [first] = sentences;
  // The first sentence of an item begins with its bullet.
  const bullet = kind === 'item' ? (/^\s*(\S+\s)/.exec(whole)?.[1] ?? '') : '';
  return first ? [{ ...first, start, text: `${bullet}${first.text}` }, ...sentences.slice(1)] : [];
}
