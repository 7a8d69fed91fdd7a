/**
 * Main part of a Word document → visible paragraphs and tables. Drops hidden and struck text,
 * deletions, tables of contents, comments and pictures. Computed numbers become text, notes follow their
 * reference, and text boxes follow their paragraph.
 */
import { hex as symbolOf } from 'dingbat-to-unicode';
import { withoutInvisible } from '../../../shared/src/language/invisible.ts';
import {
  fractionOf,
  indexOf,
  powerOf,
  raisedText,
  rootOf,
  superOrSubscript,
} from '../markdown/small-text.ts';
import { Fields, isLinkTarget, type Label, type NumberParagraph } from './computed-text.ts';
import {
  type DocxBlock,
  type DocxParagraph,
  type DocxRun,
  type DocxTable,
  docxTextOf,
  isFrame,
  labelText,
  paragraphsIn,
  textOfRuns,
} from './html.ts';
import {
  isMonospaced,
  isVisibleText,
  type ParagraphStyle,
  type Styles,
  shadeIn,
  type TextFormat,
  textFormatOf,
} from './styles.ts';
import {
  elementsIn,
  findElement,
  isOn,
  readXml,
  textOfXml,
  valueAt,
  type XmlElement,
} from './xml.ts';

type DocxParts = Readonly<{
  styles: Styles;
  numberOf: NumberParagraph;
  /** Targets by relationship id. */
  links: ReadonlyMap<string, string>;
  /** Text of notes by key. */
  notes: ReadonlyMap<string, string>;
  /** HTML of imported parts by relationship id. */
  imports?: ReadonlyMap<string, string>;
}>;

type OpenParagraph = Readonly<{
  style: ParagraphStyle;
  styleId: string | undefined;
  properties: XmlElement | undefined;
  runs: DocxRun[];
  /** Text boxes anchored in the paragraph. */
  after: DocxBlock[];
}>;

interface OpenRun {
  text: string;
  href: string | undefined;
}

/** Position of the current element in the document. */
type ReadContext = Readonly<{
  /** Receives paragraphs and tables. */
  blocks: DocxBlock[];
  /** Inside a note or a text box. */
  isSeparate: boolean;
  /** Background colours, innermost last; `?` if a shape decides it. */
  background: readonly string[];
  paragraph: OpenParagraph | undefined;
  run: OpenRun | undefined;
  href: string | undefined;
}> & {
  /** Levels of the enclosing list items. */
  levels: number[];
};

/** Properties, which are looked up when needed, and elements without current text. */
const skipped =
  /^(?:w:(?:pPr|rPr|tblPr|trPr|tcPr|tblGrid|sectPr|del|moveFrom|delText|delInstrText|rt|ffData|object)|m:(?:rPr|ctrlPr))$/;
const emptyContext = { paragraph: undefined, run: undefined, href: undefined };

class BodyReader {
  readonly #parts: DocxParts;
  readonly blocks: DocxBlock[] = [];
  hasHeadings = false;
  /** The first paragraph of the style Title. */
  title = '';
  /** Text by key, if the part contains notes. */
  readonly notes = new Map<string, string>();
  /** Number of characters per language. */
  readonly languages = new Map<string, number>();
  readonly #fields = new Fields();

  #context: ReadContext = {
    ...emptyContext,
    blocks: this.blocks,
    isSeparate: false,
    levels: [],
    background: [],
  };

  constructor(parts: DocxParts) {
    this.#parts = parts;
  }

  #addText(text: string) {
    const { run, href } = this.#context;
    const { isShown, address } = this.#fields.current;
    if (!run || !isShown) return;
    run.text += text;
    run.href = href ?? address;
  }

  /** Reads the children of an element with changes to the context. */
  #readIn(place: Partial<ReadContext>, element: XmlElement) {
    const around = this.#context;
    this.#context = { ...around, ...place };
    this.readAll(element);
    this.#context = around;
  }

  /** Reads content that is separate from the surrounding text. @param background its background */
  #readSeparate(blocks: DocxBlock[], background: string, element: XmlElement, isSeparate = true) {
    this.#readIn(
      {
        ...emptyContext,
        blocks,
        levels: [],
        isSeparate,
        background: [...this.#context.background, background],
      },
      element,
    );
  }

  /** Reads the children of an element. */
  readAll(element: XmlElement | undefined) {
    for (const child of elementsIn(element)) this.read(child);
  }

  read(element: XmlElement) {
    const { name } = element;
    if (skipped.test(name)) return;
    (this.#readers[name] ?? this.readAll).call(this, element);
  }

  readonly #readers: Readonly<Record<string, (element: XmlElement) => void>> = {
    'w:p': this.#readParagraph,
    'w:r': this.#readRun,
    'm:r': this.#readRun,
    'w:tbl': this.#readTable,
    'w:txbxContent': (element) =>
      this.#readSeparate(this.#context.paragraph?.after ?? this.#context.blocks, '?', element),
    'w:footnote': this.#readNote,
    'w:endnote': this.#readNote,
    'w:footnoteReference': this.#addNote,
    'w:endnoteReference': this.#addNote,
    'w:hyperlink': this.#readLink,
    'w:sdt': this.#readControl,
    // Alternatives of the same content; only the first is read.
    'mc:AlternateContent': (element) => this.readAll(elementsIn(element)[0]),
    'w:t': this.#readText,
    'm:t': this.#readText,
    'w:tab': () => this.#addText('\t'),
    'w:br': ({ attributes }) =>
      this.#addText(/^(?:page|column)$/.test(attributes['w:type'] ?? '') ? '' : '\n'),
    'w:cr': () => this.#addText('\n'),
    'w:noBreakHyphen': () => this.#addText('-'),
    'w:sym': this.#addSymbol,
    'w:instrText': (element) => this.#fields.code(textOfXml(element)),
    'w:fldChar': this.#readFieldMark,
    'w:altChunk': ({ attributes }) => {
      const html = this.#parts.imports?.get(attributes['r:id'] ?? '');
      if (html !== undefined) this.#context.blocks.push({ kind: 'import', html });
    },
    'm:f': (element) =>
      this.#addMath(
        fractionOf(
          this.#mathIn(element, 'm:num'),
          this.#mathIn(element, 'm:den'),
          this.#context.paragraph?.runs.at(-1)?.text ?? '',
        ),
      ),
    'm:rad': (element) =>
      this.#addMath(rootOf(this.#mathIn(element, 'm:e'), this.#mathIn(element, 'm:deg'))),
    'm:sup': (element) => this.#addMath(powerOf(this.#mathOf(element))),
    'm:sub': (element) => this.#addMath(indexOf(this.#mathOf(element))),
    'm:fName': (element) => this.#addMath(`${this.#mathOf(element)} `),
    'm:d': this.#readDelimited,
    'm:nary': (element) => {
      this.#addMath(valueOfMath(findElement(element, 'm:naryPr', 'm:chr')) ?? '∫');
      this.readAll(element);
    },
    'w:fldSimple': this.#readSimpleField,
  };

  #readText(element: XmlElement) {
    this.#addText(withoutInvisible(textOfXml(element)));
  }

  #addMath(text: string) {
    if (text) this.#context.paragraph?.runs.push({ text, tags: [] });
  }

  /** Text of a part of a formula. */
  #mathOf(element: XmlElement | undefined) {
    const { paragraph } = this.#context;
    const runs: DocxRun[] = [];
    if (paragraph && element) this.#readIn({ paragraph: { ...paragraph, runs } }, element);
    return textOfRuns(runs).trim();
  }

  #mathIn(element: XmlElement, name: string) {
    return this.#mathOf(findElement(element, name));
  }

  /** Reads brackets with the text between them. */
  #readDelimited(element: XmlElement) {
    const properties = findElement(element, 'm:dPr');
    const signAt = (name: string) => valueOfMath(findElement(properties, name));
    const parts = elementsIn(element).filter(({ name }) => name === 'm:e');
    this.#addMath(
      (signAt('m:begChr') ?? '(') +
        parts.map((part) => this.#mathOf(part)).join(signAt('m:sepChr') ?? '|') +
        (signAt('m:endChr') ?? ')'),
    );
  }

  #readFieldMark(element: XmlElement) {
    const box = findElement(element, 'w:ffData', 'w:checkBox');
    const isChecked = findElement(box, 'w:checked') ?? findElement(box, 'w:default');
    if (box) this.#addText(isOn(isChecked) ? '☒' : '☐');
    this.#fields.mark(element.attributes['w:fldCharType']);
  }

  #addNote(reference: XmlElement) {
    const note = this.#parts.notes.get(noteKey(reference));
    if (note) this.#addText(` (${note})`);
  }

  #addSymbol({ attributes: { 'w:font': font = '', 'w:char': code = '' } }: XmlElement) {
    // Office programs put symbols in the private use area (F000–F0FF).
    this.#addText(
      (symbolOf(font, code) ?? symbolOf(font, code.replace(/^F0(?=..$)/i, '')))?.string ?? '',
    );
  }

  #readSimpleField(element: XmlElement) {
    this.#fields.mark('begin');
    this.#fields.code(element.attributes['w:instr'] ?? '');
    this.#fields.mark('separate');
    this.readAll(element);
    this.#fields.mark('end');
  }

  #readLink(element: XmlElement) {
    const target = this.#parts.links.get(element.attributes['r:id'] ?? '') ?? '';
    this.#readIn(isLinkTarget(target) ? { href: target } : {}, element);
  }

  /** Reads a content control, except tables of contents and placeholders. */
  #readControl(element: XmlElement) {
    const properties = findElement(element, 'w:sdtPr');
    const gallery = valueAt(properties, 'w:docPartObj', 'w:docPartGallery') ?? '';
    if (/table of contents/i.test(gallery) || isOn(findElement(properties, 'w:showingPlcHdr')))
      return;
    this.readAll(findElement(element, 'w:sdtContent'));
  }

  #readRun(element: XmlElement) {
    const { paragraph } = this.#context;
    const run: OpenRun = { text: '', href: undefined };
    this.#readIn({ run }, element);
    const { text, href } = run;
    if (!paragraph || text === '') return;
    const { styles } = this.#parts;
    const { style, runs } = paragraph;
    const properties = findElement(element, 'w:rPr');
    const format = textFormatOf(properties);
    const character = styles.character(valueAt(properties, 'w:rStyle'));
    const background = [
      ...this.#context.background,
      style.format.shade ?? '',
      shadeIn(paragraph.properties),
    ];
    const formats = [styles.defaults, style.format, character.format, format];
    if (!isVisibleText(formats, background)) return;
    const language = format.language ?? styles.defaults.language ?? '';
    this.languages.set(language, (this.languages.get(language) ?? 0) + text.length);
    // Mathematical variables are italic by convention.
    const isPlain = element.name === 'm:r' || /^(?:heading|title|code)$/.test(style.role);
    const tags = isPlain ? [] : emphasisOf({ ...character.format, ...format }, character.isCode);
    if (href) tags.unshift(`a href="${href.replaceAll('&', '&amp;')}"`);
    const raise = valueAt(properties, 'w:vertAlign');
    const last = runs.at(-1);
    const lowered = raise === 'subscript' ? superOrSubscript(text, 'sub') : text;
    const shown = raise === 'superscript' ? raisedText(text, last?.text ?? '') : lowered;
    // Word starts a new run at every edit.
    if (last?.tags.join() === tags.join()) runs.splice(-1, 1, { text: last.text + shown, tags });
    else runs.push({ text: shown, tags });
  }

  #readParagraph(element: XmlElement) {
    const properties = findElement(element, 'w:pPr');
    const styleId = valueAt(properties, 'w:pStyle');
    const paragraph: OpenParagraph = {
      style: this.#parts.styles.paragraph(styleId),
      styleId,
      properties,
      runs: [],
      after: [],
    };
    this.#readIn({ paragraph }, element);
    const { blocks } = this.#context;
    if (paragraph.style.role !== 'contents' && textOfRuns(paragraph.runs).trim())
      blocks.push(this.#blockOf(paragraph));
    for (const block of paragraph.after) blocks.push(block);
  }

  #blockOf(paragraph: OpenParagraph) {
    const { runs, style } = paragraph;
    const numbered = this.#labelOf(paragraph);
    const level = this.#context.isSeparate ? 0 : this.#headingLevel(paragraph);
    if (!numbered || level > 0) this.#context.levels = [];
    if (level > 0) {
      this.hasHeadings = true;
      const label = { text: labelText(numbered?.label), tags: [] };
      return paragraphOf('heading', [label, ...runs], level);
    }
    if (numbered) return paragraphOf('item', runs, numbered.depth, numbered.label);
    const isCode =
      style.role === 'code' ||
      runs.every((run) => run.text.trim() === '' || run.tags.includes('code'));
    return paragraphOf(isCode ? 'code' : style.role === 'quote' ? 'quote' : 'text', runs);
  }

  /** Heading level from 1; 0 for other text. Below a title, headings move down one level. */
  #headingLevel({ style, properties, runs }: OpenParagraph) {
    const text = textOfRuns(runs);
    const outline = valueAt(properties, 'w:outlineLvl');
    const stated = outline === undefined ? undefined : Number.parseInt(outline, 10) + 1;
    // A longer text is not a heading, however it is formatted.
    // A level higher than the nine of Word means body text.
    if (text.length > 300 || (stated !== undefined && !(stated <= 9))) return 0;
    const level = stated ?? (style.role === 'title' ? 1 : style.level);
    if (level > 0 && style.role === 'title') this.title ||= text.trim();
    else if (level > 0 && this.title !== '') return level + 1;
    return level;
  }

  /** Returns a paragraph's label and its nesting depth. */
  #labelOf({ style, styleId, properties }: OpenParagraph) {
    const own = valueAt(properties, 'w:numPr', 'w:numId');
    const numId = own ?? style.numbering?.numId;
    if (!numId || numId === '0') return undefined;
    const stated = Number.parseInt(valueAt(properties, 'w:numPr', 'w:ilvl') ?? '', 10);
    const inherited = own === undefined ? style.numbering?.level : undefined;
    const level = Number.isNaN(stated) ? inherited : stated;
    const found = this.#parts.numberOf({ numId, level }, styleId);
    if (!found) return undefined;
    const { levels } = this.#context;
    while ((levels.at(-1) ?? -1) >= found.level) levels.pop();
    levels.push(found.level);
    // Markdown viewers show deeper lists badly.
    return { label: found.label, depth: Math.min(levels.length, 6) - 1 };
  }

  #readNote(element: XmlElement) {
    const blocks: DocxBlock[] = [];
    this.#readSeparate(blocks, '', element);
    const text = paragraphsIn(blocks).map(docxTextOf).join(' ').replace(/\s+/g, ' ').trim();
    if (text) this.notes.set(noteKey(element), text);
  }

  #readTable(element: XmlElement) {
    const properties = findElement(element, 'w:tblPr');
    const isPainted = this.#parts.styles.isShaded(valueAt(properties, 'w:tblStyle'));
    const table: DocxTable = { kind: 'table', rows: [] };
    const { hasHeadings, title } = this;
    const background = shadeIn(properties) || (isPainted ? '?' : '');
    this.#context.levels = [];
    for (const row of rowsIn(element, 'w:tr')) {
      const rowProperties = findElement(row, 'w:trPr');
      if (findElement(rowProperties, 'w:del')) continue;
      const cells = rowsIn(row, 'w:tc').map((cell) =>
        this.#readCell(cell, background, table.rows.length === 0),
      );
      table.rows.push({ isHeader: isOn(findElement(rowProperties, 'w:tblHeader')), cells });
    }
    // Only frames keep their headings.
    if (!isFrame(table.rows)) Object.assign(this, { hasHeadings, title });
    this.#context.blocks.push(table);
  }

  #readCell(element: XmlElement, background: string, isFirstRow: boolean) {
    const properties = findElement(element, 'w:tcPr');
    const merge = valueAt(properties, 'w:vMerge');
    const isContinued = merge !== undefined && merge !== 'restart';
    const blocks: DocxBlock[] = [];
    // Word shows the first of vertically merged cells.
    if (!isContinued || isFirstRow)
      this.#readSeparate(
        blocks,
        shadeIn(properties) || background,
        element,
        this.#context.isSeparate,
      );
    return {
      columns: Math.max(1, Number.parseInt(valueAt(properties, 'w:gridSpan') ?? '1', 10) || 1),
      isContinued,
      blocks,
    };
  }
}

/** The same for a note and for its references. */
const noteKey = ({ name, attributes }: XmlElement) =>
  `${name.replace('Reference', '')} ${attributes['w:id']}`;

const valueOfMath = (element: XmlElement | undefined) =>
  element && (element.attributes['m:val'] ?? '');

const paragraphOf = (
  role: DocxParagraph['role'],
  runs: readonly DocxRun[],
  level = 0,
  label?: Label,
) => ({ kind: 'paragraph', role, level, label, runs }) satisfies DocxParagraph;

const emphasisOf = ({ font, isBold, isItalic }: TextFormat, isCode: boolean) =>
  isCode || isMonospaced(font)
    ? ['code']
    : [...(isBold ? ['strong'] : []), ...(isItalic ? ['em'] : [])];

/** Rows of a table or cells of a row, including those in content controls and insertions. */
const rowsIn = (element: XmlElement, name: string): XmlElement[] =>
  elementsIn(element).flatMap((child) =>
    child.name === name
      ? [child]
      : /^w:(?:sdt|sdtContent|customXml|ins|moveTo)$/.test(child.name)
        ? rowsIn(child, name)
        : [],
  );

/**
 * Reads paragraphs and tables, or notes. @param depth of the elements to read: 2 in the main part,
 * 1 in notes
 */
export function readBody(xml: string, depth: number, parts: DocxParts): BodyReader {
  const reader = new BodyReader(parts);
  readXml(xml, depth, (element) => reader.read(element));
  return reader;
}
