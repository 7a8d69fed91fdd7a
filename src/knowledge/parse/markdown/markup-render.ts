/**
 * The stream of markup → Markdown that a reader sees: tags become Markdown or go, hidden elements go with their content. Code is carried
 * as a mark (`codeMark`), so that nothing that works on prose can touch it.
 */

import { type Cell, cellText, gridOf, joinLines, writeTable } from '../records/table-markdown.ts';
import { inlineText, isInlineComponent, leadOf } from './component-text.ts';
import { entriesOf } from './component-values.ts';
import { decodeAll } from './entities.ts';
import { blockElements, optionalEnd } from './html-names.ts';
import { codeSpan, headingLine, isHidden, listItem, type Role, roleOf, wrapInline } from './markup-elements.ts';
import type { Token } from './markup-scan.ts';
import { createMarkdownWriter } from './markup-writer.ts';

export interface Rendered {
  readonly markdown: string;
  /** What the marks stand for, by their number. */
  readonly codes: readonly string[];
}

/** Between two characters that no text holds: the number of a piece of code. */
export const codeMark = /\ufdd0(\d+)\ufdd1/g;

type Opening = Extract<Token, { kind: 'open' }>;

interface Frame {
  readonly name: string;
  readonly role: Role | 'component';
  readonly attributes: ReadonlyMap<string, string>;
  /** Items of a list. */
  count: number;
  readonly rows: Cell<string>[][];
  /** Of a description list: what the next description is about. */
  term: string;
}

/** Deeper elements lose their tags only. */
const maxDepth = 60;
const isCode = /^(?:code|tt|samp|kbd)$/;
const spanOf = (attributes: ReadonlyMap<string, string>, key: string) => Number.parseInt(attributes.get(key) ?? '1', 10) || 1;

export function renderMarkup(tokens: Iterable<Token>): Rendered {
  const writer = createMarkdownWriter();
  const codes: string[] = [];
  const frames: Frame[] = [];
  const openByName = new Map<string, number>();
  /** Elements beyond the depth, whose end tags end nothing. */
  const beyondByName = new Map<string, number>();
  let hiddenDepth = 0;

  const nearest = (role: Role) => frames.findLast((frame) => frame.role === role);
  /** Code inside of code, or in a line of its own. */
  const plain = (value: string) =>
    value.replace(codeMark, (_, number) => (codes[Number(number)] ?? '').replace(/^[`~]{3,}[^\n]*\n|\n[`~]{3,}$|^`+ ?| ?`+$/g, ''));
  const inOneLine = (value: string) =>
    value.replace(codeMark, (mark, number) => (/[\n]/.test(codes[Number(number)] ?? '') ? codeSpan(plain(mark).trim()) : mark));

  function code(value: string, isBlock: boolean): void {
    const mark = `\ufdd0${codes.length}\ufdd1`;
    if (!isBlock) {
      codes.push(value);
      writer.write(mark);
      return;
    }
    const lost = writer.placeCode(mark, value);
    codes.push(lost > 0 ? value.replace(new RegExp(`^(?: {1,${lost}}|\\t)`, 'gm'), '') : value.replace(/^(?=[^\n])/gm, ' '.repeat(-lost)));
  }

  function push(name: string, role: Frame['role'], attributes: ReadonlyMap<string, string>, column: number, isCapture: boolean): void {
    frames.push({ name, role, attributes, count: 0, rows: [], term: '' });
    openByName.set(name, (openByName.get(name) ?? 0) + 1);
    writer.enter(column, isCapture);
  }

  function finish(): void {
    const frame = frames.pop();
    if (frame === undefined) return;
    openByName.set(frame.name, (openByName.get(frame.name) ?? 1) - 1);
    const inner = writer.leave();
    if (frame.role === 'skip') hiddenDepth--;
    else if (frame.role === 'wrapped')
      writer.write(wrapInline(frame.name, frame.attributes, isCode.test(frame.name) ? plain(inner) : inner));
    else if (frame.role === 'captured') finishCaptured(frame, inner.replace(/\n{3,}/g, '\n\n').trim());
    else if (frame.role === 'table') {
      writer.writeBlock(inner.trim());
      const rows = gridOf(frame.rows, '').filter((row) => row.some((cell) => cell !== ''));
      writer.writeBlock((rows[0]?.length ?? 0) > 1 ? writeTable(rows) : rows.join('\n\n').replaceAll('\\|', '|'));
    } else writer.block();
  }

  function finishCaptured({ name, attributes }: Frame, inner: string): void {
    const list = name === 'li' ? nearest('list') : undefined;
    const terms = /^d[td]$/.test(name) ? frames.findLast((frame) => frame.name === 'dl') : undefined;
    if (name === 'td' || name === 'th') {
      const rows = nearest('table')?.rows;
      if (rows?.length === 0) rows.push([]);
      rows
        ?.at(-1)
        ?.push({ content: cellText(inOneLine(inner)), columns: spanOf(attributes, 'colspan'), rows: spanOf(attributes, 'rowspan') });
    } else if (inner === '') return;
    else if (name === 'li') {
      const marker = list?.name === 'ol' ? `${(Number.parseInt(list.attributes.get('start') ?? '1', 10) || 1) + list.count++}.` : '-';
      writer.writeBlock(listItem(marker, inner));
    } else if (name === 'dt' && terms) terms.term = joinLines(inner).replaceAll('**', '');
    else if (name === 'dd') writer.writeBlock(terms?.term ? listItem('-', `**${terms.term}**: ${inner}`) : inner);
    else if (name === 'blockquote') writer.writeBlock(inner.replace(/^/gm, '> '));
    else if (/^h\d$/.test(name)) writer.writeBlock(headingLine(Number(name.slice(1)), inOneLine(inner), attributes.get('id')));
    else writer.writeBlock(`**${joinLines(inOneLine(inner)).replaceAll('**', '')}**`);
  }

  function openComponent({ name, attributes, values, isEmpty, restOfLine }: Opening): void {
    const rest = restOfLine.trim();
    const lead = leadOf(name, attributes);
    const entries = values.flatMap(entriesOf);
    const isAlone = writer.isAtLineStart && (rest === '' || rest.endsWith(`</${name}>`) || lead !== undefined || entries.length > 0);
    if (!isAlone || isInlineComponent(name)) {
      if (isEmpty) writer.write(inlineText(name, attributes));
      else if (/^(?:Link|A)$/.test(name)) push(name, 'wrapped', attributes, 0, true);
      return;
    }
    // What says nothing by itself leaves the line as it is: a picture before a sentence.
    if (isEmpty && lead === undefined && entries.length === 0) return;
    const column = writer.column() + (lead?.isItem ? 2 : 0);
    writer.block();
    if (lead && lead.line !== '') writer.writeLead(lead.line, lead.glue ?? '');
    push(name, 'component', attributes, column, false);
    for (const said of lead?.texts ?? []) {
      if (writer.isAfterLead && lead?.glue) writer.write(said);
      else writer.writeBlock(said);
      writer.block();
    }
    if (entries.length > 0) writer.writeBlock(entries.join('\n'));
    if (isEmpty) finish();
  }

  function open(token: Opening): void {
    const { name, attributes, isEmpty } = token;
    const role = /^[a-z][a-z0-9]*$/.test(name) ? roleOf(name) : 'component';
    const isGone = hiddenDepth > 0 || isHidden(attributes) || role === 'skip';
    if (isEmpty && isGone) return;
    if (!isGone && optionalEnd.has(name)) closeLeftOpen(name);
    if (frames.length >= maxDepth && !isEmpty) {
      beyondByName.set(name, (beyondByName.get(name) ?? 0) + 1);
    } else if (isGone) {
      if (!blockElements.has(name) && hiddenDepth === 0) writer.startLine();
      push(name, 'skip', attributes, 0, true);
      hiddenDepth++;
    } else if (role === 'component') openComponent(token);
    else if (name === 'br') lineBreak();
    else if (name === 'img') writer.write(decodeAll(attributes.get('alt') ?? '').replace(/[[\]]/g, ''));
    else if (writer.isOneLine && role !== 'wrapped') {
      if (blockElements.has(name)) writer.write(' ');
    } else if (name === 'p' || name === 'hr' || isEmpty) {
      if (blockElements.has(name) || name === 'hr') writer.block();
    } else if (role === 'row') nearest('table')?.rows.push([]);
    else if (role === 'wrapped') {
      writer.startLine();
      push(name, role, attributes, 0, true);
    } else if (role === 'captured' && !isInPlace(name)) writer.block();
    else if (role === 'captured') {
      if (!writer.isAtLineStart) writer.block();
      push(name, role, attributes, 0, true);
      writer.block();
    } else if (role !== 'none') {
      const column = writer.column();
      writer.block();
      push(name, role, attributes, role === 'table' ? 0 : column, role === 'table');
    }
  }

  /** A cell without a table around it is a line. */
  function isInPlace(name: string): boolean {
    if (/^t[dh]$/.test(name)) return nearest('table') !== undefined;
    return !/^(?:li|d[dt])$/.test(name) || frames.some((frame) => frame.role === 'list' || frame.name === 'dl');
  }

  function lineBreak(): void {
    if (writer.isOneLine) writer.write('; ');
    else writer.text('\n');
  }

  /** A new item or cell ends the one before it. */
  function closeLeftOpen(name: string): void {
    const closes = /^(?:t[dhr]|tbody)$/.test(name) ? /^t[dh]$/ : /^d[dt]$/.test(name) ? /^d[dt]$/ : /^li$/;
    if (name !== 'p' && closes.test(frames.at(-1)?.name ?? '')) finish();
  }

  function close(name: string): void {
    const beyond = beyondByName.get(name) ?? 0;
    if (beyond > 0) beyondByName.set(name, beyond - 1);
    else if ((openByName.get(name) ?? 0) > 0) {
      while (frames.at(-1)?.name !== name) finish();
      finish();
    } else if (hiddenDepth === 0 && blockElements.has(name)) {
      if (writer.isOneLine) writer.write(name === 'li' ? '; ' : ' ');
      else writer.block();
    }
  }

  for (const token of tokens) {
    if (token.kind === 'open') open(token);
    else if (token.kind === 'close') close(token.name);
    else if (hiddenDepth > 0) continue;
    else if (token.kind === 'code') code(token.value, token.isBlock);
    else if (token.kind === 'text') writer.text(token.value);
    else writer.write(token.value.replace(/\n/g, ' '));
  }
  while (frames.length > 0) finish();
  return { markdown: writer.markdown(), codes };
}
