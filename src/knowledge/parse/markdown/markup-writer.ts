/**
 * Where Markdown is written while markup is read: keeps track of lines and columns. What stands inside an element loses the indentation
 * that it has for the element's sake, so that it becomes neither a code block nor loses its headings.
 */
import { joinLines } from '../records/table-markdown.ts';

/** A stretch of the source whose content moves by the same number of columns. */
interface Place {
  /** Where its text goes; undefined: where that of the place around it goes. */
  readonly parts: string[] | undefined;
  /** Column at which its content stands in the result. */
  readonly target: number;
  /** Columns that its content loses; undefined until its first line is seen. */
  strip: number | undefined;
  /** Columns mean something below an item of a list; elsewhere inside an element they are its author's. */
  isInList: boolean;
  readonly isOneLineAround: boolean;
}

const startsBlock = /^(?:[-*+>]\s|[|#]|\d{1,9}[.)]\s|:::)/;
/** A line that a line break would end: a row of a table, a heading. */
const isOneLineOnly = /^(?:\||#{1,6}\s)/;
const listMarker = /^(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const widthOf = (white: string) => white.replaceAll('\t', '    ').length;

export interface MarkdownWriter {
  readonly isAtLineStart: boolean;
  readonly isOneLine: boolean;
  readonly isAfterLead: boolean;
  /** Column of what is written next. */
  column(): number;
  write(text: string): void;
  /** Begins the line if that is not done, for what is written later. */
  startLine(): void;
  /** Text of the source, with its line breaks and indentation. */
  text(value: string): void;
  /** Ends the paragraph. */
  block(): void;
  /** Lines of their own. */
  writeBlock(text: string): void;
  /** A line that what follows may join: with `glue` where it is text, as a paragraph of its own otherwise. */
  writeLead(line: string, glue: string): void;
  /** Puts a mark for whole lines of code; returns how many columns they move to the left. */
  placeCode(mark: string, code: string): number;
  enter(target: number, isCapture: boolean): void;
  /** What was written since `enter`, if that was a capture. */
  leave(): string;
  markdown(): string;
}

export function createMarkdownWriter(): MarkdownWriter {
  const root: Place = { parts: [], target: 0, strip: 0, isInList: true, isOneLineAround: false };
  const places: Place[] = [root];
  let parts = root.parts ?? [];
  /** Indentation of the line in the source while nothing of it is written; `own` where a tag began the line. */
  let indent: number | 'own' | undefined = 0;
  let isOneLine = false;
  /** Nothing but indentation stands on the line. */
  let isBlank = true;
  let glue: string | undefined;

  function column(): number {
    const place = places.at(-1) ?? root;
    if (indent === undefined || indent === 'own') return place.target;
    place.strip ??= indent - place.target;
    return place.isInList ? Math.max(0, indent - place.strip) : place.target;
  }

  function endLead(): void {
    if (glue !== undefined) parts.push('\n\n');
    if (glue !== undefined) indent ??= 'own';
    glue = undefined;
  }

  function startLine(): void {
    if (glue) {
      parts.push(glue);
      indent = undefined;
    } else endLead();
    glue = undefined;
    if (indent !== undefined) {
      parts.push(' '.repeat(column()));
      isOneLine = false;
      isBlank = true;
    }
    indent = undefined;
  }

  function write(text: string): void {
    if (text === '') return;
    if (glue && startsBlock.test(text)) endLead();
    startLine();
    // Where something is gone, the spaces around it are one.
    const isSeam = /[ \n]$/.test(parts.at(-1) ?? '\n');
    const said = isBlank || isSeam ? text.replace(/^ +/, '') : text;
    if (said === '') return;
    if (isBlank) {
      isOneLine = isOneLineOnly.test(said);
      const place = places.at(-1) ?? root;
      if (place !== root && (listMarker.test(said) || (parts.at(-1) ?? '').length <= place.target)) place.isInList = listMarker.test(said);
    }
    isBlank = false;
    parts.push(said);
  }

  function block(): void {
    if (glue !== undefined) return;
    if (isOneLine && indent === undefined) {
      parts.push(' ');
      return;
    }
    parts.push('\n\n');
    indent ??= 'own';
  }

  function writeBlock(text: string): void {
    if (text.trim() === '') {
      block();
      return;
    }
    if (isOneLine && indent === undefined) {
      parts.push(` ${joinLines(text)} `);
      return;
    }
    endLead();
    const white = ' '.repeat(column());
    parts.push('\n\n', text.replace(/^(?=[^\n])/gm, white), '\n\n');
    indent = 'own';
  }

  return {
    get isAtLineStart() {
      return indent !== undefined;
    },
    get isOneLine() {
      return isOneLine && indent === undefined;
    },
    get isAfterLead() {
      return glue !== undefined;
    },
    column,
    write,
    startLine,
    text(value) {
      value.split('\n').forEach((line, number) => {
        if (number > 0) {
          if (glue === undefined) parts.push('\n');
          indent = 0;
          isOneLine = false;
        }
        const content = indent === undefined ? line : line.trimStart();
        if (typeof indent === 'number') indent += widthOf(line.slice(0, line.length - content.length));
        write(content);
      });
    },
    block,
    writeBlock,
    writeLead(line, joint) {
      writeBlock(line);
      parts.pop();
      glue = joint;
    },
    placeCode(mark, code) {
      endLead();
      const found = widthOf(/^[ \t]*/.exec(code)?.[0] ?? '');
      parts.push(indent === undefined || indent === 'own' ? '\n\n' : '');
      if (indent !== 'own' && indent !== undefined) indent = found;
      else if (found > 0) indent = found;
      const lost = found - column();
      parts.push(mark);
      indent = undefined;
      isOneLine = false;
      return lost;
    },
    enter(target, isCapture) {
      places.push({ parts: isCapture ? [] : undefined, target, strip: undefined, isInList: false, isOneLineAround: isOneLine });
      if (isCapture) {
        parts = places.at(-1)?.parts ?? parts;
        isOneLine = isOneLine && indent === undefined;
      }
    },
    leave() {
      const place = places.length > 1 ? places.pop() : undefined;
      endLead();
      if (place?.parts === undefined) return '';
      parts = places.findLast((around) => around.parts !== undefined)?.parts ?? parts;
      isOneLine = place.isOneLineAround;
      return place.parts.join('');
    },
    markdown: () => root.parts?.join('') ?? '',
  };
}
