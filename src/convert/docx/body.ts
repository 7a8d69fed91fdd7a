/**
 * Main part of a Word document → visible paragraphs and tables. Drops hidden text, deletions, tables of contents, comments and pictures.
 * Computed numbers become text, notes follow their reference, and text boxes follow their paragraph.
 */
import { hex as symbolOf } from 'dingbat-to-unicode';
import { withoutInvisible } from '../../language/invisible.ts';
import { raised } from '../markdown/markup-elements.ts';
import { Fields, isLinkTarget } from './fields.ts';
import {
  type DocxBlock,
  type DocxCell,
  type DocxParagraph,
  type DocxRun,
  type DocxTable,
  docxTextOf,
  labelText,
  paragraphsIn,
} from './html.ts';
import type { Label, Numberings } from './numberings.ts';
import { isMonospaced, isSeen, type Look, lookOf, type ParagraphStyle, type Styles, shadeIn } from './styles.ts';
import { elementsIn, findElement, isOn, readXml, textOfXml, valueAt, type XmlElement } from './xml.ts';

export interface DocxParts {
  readonly styles: Styles;
  readonly numberings: Numberings;
  /** Targets by relationship id. */
  readonly links: ReadonlyMap<string, string>;
  /** Text of notes by key: `footnote 3`. */
  readonly notes: ReadonlyMap<string, string>;
}

interface OpenParagraph {
  readonly style: ParagraphStyle;
  readonly styleId: string | undefined;
  readonly properties: XmlElement | undefined;
  readonly runs: DocxRun[];
  /** Text boxes anchored in the paragraph. */
  readonly after: DocxBlock[];
}

interface OpenRun {
  text: string;
  href: string | undefined;
}

/** Where the current element is. */
interface Place {
  /** Receives paragraphs and tables. */
  readonly blocks: DocxBlock[];
  /** Inside a cell, a note or a text box. */
  readonly isApart: boolean;
  /** Levels of the enclosing list items. */
  levels: number[];
  /** Background colours, innermost last; `?` if a shape decides it. */
  readonly ground: readonly string[];
  readonly paragraph: OpenParagraph | undefined;
  readonly run: OpenRun | undefined;
  readonly href: string | undefined;
}

/** In characters. A longer text is not a heading, however it is formatted. */
const longestHeading = 300;
/** Word's outline levels; the next one means body text. */
const deepestOutline = 9;
/** Markdown viewers show deeper lists badly. */
const maxListDepth = 6;

/** Properties are looked up when needed; the other elements contain no current text. */
const skipped = /^(?:w:(?:pPr|rPr|tblPr|trPr|tcPr|tblGrid|sectPr|del|moveFrom|delText|delInstrText|rt|ffData|object)|m:(?:rPr|ctrlPr))$/;
/** Signs between the parts of a formula. */
const mathMarks: Readonly<Record<string, string>> = { 'm:num': '(', 'm:den': ')/(', 'm:sup': '^', 'm:sub': '_', 'm:rad': '√' };

const nowhere = { isApart: false, ground: [], paragraph: undefined, run: undefined, href: undefined };

class BodyReader {
  readonly #parts: DocxParts;
  readonly blocks: DocxBlock[] = [];
  hasHeadings = false;
  /** The first paragraph of the style Title. */
  title = '';
  /** Text by kind and number, if the part contains notes. */
  readonly notes = new Map<string, string>();
  /** Characters by language. */
  readonly languages = new Map<string, number>();
  readonly #fields = new Fields();

  #place: Place = { ...nowhere, blocks: this.blocks, levels: [] };

  constructor(parts: DocxParts) {
    this.#parts = parts;
  }

  #put(text: string): void {
    const { run, href } = this.#place;
    const { isShown, address } = this.#fields.here;
    if (!run || !isShown) return;
    run.text += text;
    run.href = href ?? address;
  }

  /** Reads the children of an element with changes to the context. */
  #readIn(place: Partial<Place>, element: XmlElement): void {
    const around = this.#place;
    this.#place = { ...around, ...place };
    this.readAll(elementsIn(element));
    this.#place = around;
  }

  /** Reads content that is separate from the surrounding text. @param ground its background */
  #readApart(blocks: DocxBlock[], ground: string, element: XmlElement): void {
    this.#readIn({ ...nowhere, blocks, levels: [], isApart: true, ground: [...this.#place.ground, ground] }, element);
  }

  readAll(elements: readonly XmlElement[]): void {
    for (const element of elements) this.read(element);
  }

  read(element: XmlElement): void {
    const { name } = element;
    if (skipped.test(name)) return;
    const mark = mathMarks[name];
    if (mark !== undefined) this.#place.paragraph?.runs.push({ text: mark, tags: [] });
    const reader = this.#readers[name];
    if (reader) reader(element);
    else this.readAll(elementsIn(element));
    if (name === 'm:f') this.#place.paragraph?.runs.push({ text: ')', tags: [] });
  }

  readonly #readers: Readonly<Record<string, (element: XmlElement) => void>> = {
    'w:p': (element) => this.#readParagraph(element),
    'w:r': (element) => this.#readRun(element),
    'm:r': (element) => this.#readRun(element),
    'w:tbl': (element) => this.#readTable(element),
    'w:txbxContent': (element) => this.#readApart(this.#place.paragraph?.after ?? this.#place.blocks, '?', element),
    'w:footnote': (element) => this.#readNote('footnote', element),
    'w:endnote': (element) => this.#readNote('endnote', element),
    'w:footnoteReference': ({ attributes }) => this.#putNote(`footnote ${attributes['w:id']}`),
    'w:endnoteReference': ({ attributes }) => this.#putNote(`endnote ${attributes['w:id']}`),
    'w:hyperlink': (element) => this.#readLink(element),
    'w:sdt': (element) => this.#readControl(element),
    // Alternatives of the same content; only the first is read.
    'mc:AlternateContent': (element) => this.readAll(elementsIn(elementsIn(element)[0])),
    'w:t': (element) => this.#put(withoutInvisible(textOfXml(element))),
    'm:t': (element) => this.#put(withoutInvisible(textOfXml(element))),
    'w:tab': () => this.#put('\t'),
    'w:br': ({ attributes }) => this.#put(/^(?:page|column)$/.test(attributes['w:type'] ?? '') ? '' : '\n'),
    'w:cr': () => this.#put('\n'),
    'w:noBreakHyphen': () => this.#put('-'),
    'w:sym': (element) => this.#putSymbol(element),
    'w:instrText': (element) => this.#fields.code(textOfXml(element)),
    'w:fldChar': ({ attributes }) => this.#fields.mark(attributes['w:fldCharType']),
    'w:fldSimple': (element) => this.#readSimpleField(element),
  };

  #putNote(key: string): void {
    const note = this.#parts.notes.get(key);
    if (note !== undefined) this.#put(` (${note})`);
  }

  #putSymbol({ attributes: { 'w:font': font = '', 'w:char': code = '' } }: XmlElement): void {
    // Office programs put symbols in the private use area (F000–F0FF).
    this.#put((symbolOf(font, code) ?? symbolOf(font, code.replace(/^F0(?=..$)/i, '')))?.string ?? '');
  }

  #readSimpleField(element: XmlElement): void {
    this.#fields.mark('begin');
    this.#fields.code(element.attributes['w:instr'] ?? '');
    this.#fields.mark('separate');
    this.readAll(elementsIn(element));
    this.#fields.mark('end');
  }

  #readLink(element: XmlElement): void {
    const target = this.#parts.links.get(element.attributes['r:id'] ?? '') ?? '';
    this.#readIn(isLinkTarget(target) ? { href: target } : {}, element);
  }

  /** Reads a content control, except tables of contents and placeholders. */
  #readControl(element: XmlElement): void {
    const properties = findElement(element, 'w:sdtPr');
    const gallery = valueAt(properties, 'w:docPartObj', 'w:docPartGallery') ?? '';
    if (/table of contents/i.test(gallery) || isOn(findElement(properties, 'w:showingPlcHdr'))) return;
    this.readAll(elementsIn(findElement(element, 'w:sdtContent')));
  }

  #readRun(element: XmlElement): void {
    const { paragraph } = this.#place;
    const run: OpenRun = { text: '', href: undefined };
    this.#readIn({ run }, element);
    if (paragraph && run.text !== '') this.#addRun(run, element, paragraph);
  }

  #addRun({ text, href }: OpenRun, element: XmlElement, paragraph: OpenParagraph): void {
    const { styles } = this.#parts;
    const { style, runs } = paragraph;
    const properties = findElement(element, 'w:rPr');
    const look = lookOf(properties);
    const character = styles.character(valueAt(properties, 'w:rStyle'));
    const ground = [...this.#place.ground, style.look.shade ?? '', shadeIn(paragraph.properties)];
    if (!isSeen([styles.defaults, style.look, character.look, look], ground)) return;
    const language = look.language ?? styles.defaults.language ?? '';
    this.languages.set(language, (this.languages.get(language) ?? 0) + text.length);
    // Mathematical variables are italic by convention.
    const isPlain = element.name === 'm:r' || style.role === 'heading' || style.role === 'title' || style.role === 'code';
    const tags = [
      ...(href === undefined ? [] : [`a href="${href.replaceAll('&', '&amp;')}"`]),
      ...(isPlain ? [] : emphasisOf({ ...character.look, ...look }, character.isCode)),
      ...(look.isStruck ? ['s'] : []),
    ];
    const raise = valueAt(properties, 'w:vertAlign');
    const shown = raise === 'superscript' || raise === 'subscript' ? raised(text, raise === 'superscript' ? 'sup' : 'sub') : text;
    // Word starts a new run at every edit.
    const last = runs.at(-1);
    if (last?.tags.join() === tags.join()) runs[runs.length - 1] = { text: last.text + shown, tags: last.tags };
    else runs.push({ text: shown, tags });
  }

  #readParagraph(element: XmlElement): void {
    const properties = findElement(element, 'w:pPr');
    const styleId = valueAt(properties, 'w:pStyle');
    const paragraph: OpenParagraph = { style: this.#parts.styles.paragraph(styleId), styleId, properties, runs: [], after: [] };
    this.#readIn({ paragraph }, element);
    const { blocks } = this.#place;
    const isBlank = paragraph.runs.every(({ text }) => text.trim() === '');
    if (paragraph.style.role !== 'contents' && !isBlank) blocks.push(this.#blockOf(paragraph));
    for (const block of paragraph.after) blocks.push(block);
  }

  #blockOf(paragraph: OpenParagraph): DocxParagraph {
    const { runs } = paragraph;
    const { role: styleRole } = paragraph.style;
    const numbered = this.#labelOf(paragraph);
    const level = this.#place.isApart ? 0 : this.#headingLevel(paragraph);
    if (!numbered || level > 0) this.#place.levels = [];
    if (level > 0) {
      this.hasHeadings = true;
      const label = labelText(numbered?.label);
      return paragraphOf('heading', label === '' ? runs : [{ text: label, tags: [] }, ...runs], level);
    }
    if (numbered) return paragraphOf('item', runs, numbered.depth, numbered.label);
    const isCode = styleRole === 'code' || runs.every((run) => run.text.trim() === '' || run.tags.includes('code'));
    return paragraphOf(isCode ? 'code' : styleRole === 'quote' ? 'quote' : 'text', runs);
  }

  /** Heading level from 1; 0 for other text. Below a title, headings move down one level. */
  #headingLevel({ style, properties, runs }: OpenParagraph): number {
    const text = runs.map((run) => run.text).join('');
    const outline = valueAt(properties, 'w:outlineLvl');
    const stated = outline === undefined ? undefined : Number.parseInt(outline, 10) + 1;
    if (text.length > longestHeading || (stated !== undefined && !(stated <= deepestOutline))) return 0;
    const level = stated ?? (style.role === 'title' ? 1 : style.level);
    if (level > 0 && style.role === 'title') this.title ||= text.trim();
    else if (level > 0 && this.title !== '') return level + 1;
    return level;
  }

  /** Returns a paragraph's label and its nesting depth. */
  #labelOf({ style, styleId, properties }: OpenParagraph): { readonly label: Label; readonly depth: number } | undefined {
    const own = valueAt(properties, 'w:numPr', 'w:numId');
    const numId = own ?? style.numbering?.numId;
    if (numId === undefined || numId === '0') return undefined;
    const stated = Number.parseInt(valueAt(properties, 'w:numPr', 'w:ilvl') ?? '', 10);
    const level = Number.isNaN(stated) ? (own === undefined ? style.numbering?.level : undefined) : stated;
    const found = this.#parts.numberings.next({ numId, level }, styleId);
    if (found === undefined) return undefined;
    const { levels } = this.#place;
    while ((levels.at(-1) ?? -1) >= found.level) levels.pop();
    levels.push(found.level);
    return { label: found.label, depth: Math.min(levels.length, maxListDepth) - 1 };
  }

  #readNote(kind: string, element: XmlElement): void {
    const blocks: DocxBlock[] = [];
    this.#readApart(blocks, '', element);
    const text = paragraphsIn(blocks).map(docxTextOf).join(' ').replace(/\s+/g, ' ').trim();
    if (text !== '') this.notes.set(`${kind} ${element.attributes['w:id']}`, text);
  }

  #readTable(element: XmlElement): void {
    const properties = findElement(element, 'w:tblPr');
    const isPainted = this.#parts.styles.isShaded(valueAt(properties, 'w:tblStyle'));
    const table: DocxTable = { kind: 'table', rows: [] };
    const ground = shadeIn(properties) || (isPainted ? '?' : '');
    this.#place.levels = [];
    for (const row of rowsIn(element, 'w:tr')) {
      const rowProperties = findElement(row, 'w:trPr');
      if (findElement(rowProperties, 'w:del')) continue;
      const cells = rowsIn(row, 'w:tc').map((cell) => this.#readCell(cell, ground, table.rows.length === 0));
      table.rows.push({ isHeader: isOn(findElement(rowProperties, 'w:tblHeader')), cells });
    }
    this.#place.blocks.push(table);
  }

  #readCell(element: XmlElement, ground: string, isFirstRow: boolean): DocxCell {
    const properties = findElement(element, 'w:tcPr');
    const merge = valueAt(properties, 'w:vMerge');
    const isContinued = merge !== undefined && merge !== 'restart';
    const blocks: DocxBlock[] = [];
    // Word shows the first of vertically merged cells.
    if (!isContinued || isFirstRow) this.#readApart(blocks, shadeIn(properties) || ground, element);
    return { columns: Math.max(1, Number.parseInt(valueAt(properties, 'w:gridSpan') ?? '1', 10) || 1), isContinued, blocks };
  }
}

const paragraphOf = (role: DocxParagraph['role'], runs: readonly DocxRun[], level = 0, label?: Label) =>
  ({ kind: 'paragraph', role, level, label, runs }) satisfies DocxParagraph;

const emphasisOf = ({ font, isBold, isItalic }: Look, isCode: boolean): string[] =>
  isCode || isMonospaced(font) ? ['code'] : [...(isBold ? ['strong'] : []), ...(isItalic ? ['em'] : [])];

/** Rows of a table or cells of a row, including those in content controls and insertions. */
const rowsIn = (element: XmlElement, name: string): XmlElement[] =>
  elementsIn(element).flatMap((child) =>
    child.name === name ? [child] : /^w:(?:sdt|sdtContent|customXml|ins|moveTo)$/.test(child.name) ? rowsIn(child, name) : [],
  );

/**
 * Reads a part of the document: paragraphs and tables in order, or notes.
 * @param depth of the elements to read: 2 in the main part, 1 in notes
 */
export function readBody(xml: string, depth: number, parts: DocxParts): BodyReader {
  const reader = new BodyReader(parts);
  readXml(xml, depth, (element) => reader.read(element));
  return reader;
}
