/** The styles of a Word document: what a paragraph is for a reader (title, heading, code, table of contents), and how its text looks. */
import { type Attributes, elementsIn, findElement, isOn, readXml, valueAt, type XmlElement } from './xml.ts';

/** Looks that decide whether text is seen, or what it means. Undefined: nothing is said. */
export interface Look {
  readonly isVanished?: boolean;
  readonly isBold?: boolean;
  readonly isItalic?: boolean;
  readonly isStruck?: boolean;
  /** RRGGBB, or `auto`. */
  readonly color?: string;
  readonly shade?: string;
  readonly halfPoints?: number;
  readonly font?: string;
  readonly language?: string;
}

export interface Numbering {
  readonly numId: string;
  readonly level: number | undefined;
}

export interface ParagraphStyle {
  readonly role: 'title' | 'heading' | 'contents' | 'code' | 'quote' | 'text';
  /** Of a heading, from 1. */
  readonly level: number;
  readonly numbering: Numbering | undefined;
  readonly look: Look;
}

const contents =
  /^(?:toc|contents|table of contents|table of figures|toa|index)(?: heading| \d|$)|^(?:inhaltsverzeichnis|verzeichnis) ?\d?$/i;
const title = /^(?:title|titel|titre|título|titolo|document title)$/i;
const headingName = /^(?:heading|überschrift|titre|título|titolo|rubrik|kop) ([1-9])$/i;
const code =
  /^(?:(?:source ?)?code|code ?block|codeblock|html ?preformatted|preformatted(?: text)?|listing|program listing|macro text|verbatim|verbatim char|console|terminal|snippet|inline ?code|html ?code|html ?sample|html ?typewriter|source ?text)$/i;
const quote = /^(?:quote|intense quote|block ?quote|block ?text|quotations|zitat)$/i;
const monospaced = /courier|consolas|menlo|monaco|mono(?:\b|space)|lucida console|source code|fira code|inconsolata|cascadia/i;
/** Styles based on styles: Word's own chains have four, and a circle has no end. */
const maxAncestors = 20;

/** Half points: text of one point is a line. */
const smallestHalfPoints = 2;
/** Of each channel of a colour, of 255. */
const nearness = 16;

function isNear(one: string, other: string): boolean {
  const channel = (color: string, at: number) => Number.parseInt(color.slice(at, at + 2), 16);
  return [0, 2, 4].every((at) => Math.abs(channel(one, at) - channel(other, at)) < nearness);
}

/**
 * Whether a reader sees a text: switched off, as light as its ground, or too small are the ways to hide one.
 * @param looks what is said of the text, the nearest last
 * @param ground colours behind it, the nearest last: RRGGBB, empty where nothing is painted, `?` where only Word knows
 */
export function isSeen(looks: readonly Look[], ground: readonly string[]): boolean {
  const { isVanished, halfPoints, color = 'auto', shade = '' }: Look = Object.assign({}, ...looks);
  if (isVanished === true) return false;
  if (halfPoints !== undefined && halfPoints <= smallestHalfPoints) return false;
  if (!/^[0-9a-f]{6}$/i.test(color)) return true;
  const behind = [...ground, shade].findLast((paint) => paint !== '') ?? 'FFFFFF';
  return behind === '?' || !isNear(color, behind);
}

export const isMonospaced = (font: string | undefined): boolean => font !== undefined && monospaced.test(font);

/** What an element of properties says of a text's look. */
const lookProperties: Readonly<Record<string, (element: XmlElement, value: string | undefined) => Look>> = {
  'w:vanish': (element) => ({ isVanished: isOn(element) }),
  'w:b': (element) => ({ isBold: isOn(element) }),
  'w:i': (element) => ({ isItalic: isOn(element) }),
  'w:strike': (element) => ({ isStruck: isOn(element) }),
  'w:dstrike': (element) => ({ isStruck: isOn(element) }),
  'w:color': ({ attributes }, value) => ({
    color: value ?? (/^(?:background1|light1)$/.test(attributes['w:themeColor'] ?? '') ? 'FFFFFF' : 'auto'),
  }),
  'w:shd': ({ attributes }) => ({ shade: shadeOf(attributes) }),
  'w:highlight': (_, value) => (value === 'none' ? {} : { shade: highlights[value?.toLowerCase() ?? ''] ?? '?' }),
  'w:sz': (_, value) => ({ halfPoints: Number.parseFloat(value ?? '') }),
  'w:rFonts': ({ attributes }) => ({ font: attributes['w:ascii'] ?? attributes['w:hAnsi'] ?? '' }),
  'w:lang': (_, value) => (value ? { language: value } : {}),
};

/** @param properties `w:rPr` */
export const lookOf = (properties: XmlElement | undefined): Look =>
  Object.assign({}, ...elementsIn(properties).map((element) => lookProperties[element.name]?.(element, element.attributes['w:val'])));

const highlights: Readonly<Record<string, string>> = {
  ...{ black: '000000', blue: '0000FF', cyan: '00FFFF', green: '00FF00' },
  ...{ magenta: 'FF00FF', red: 'FF0000', yellow: 'FFFF00', white: 'FFFFFF' },
};

/** The colour behind text that properties state. */
export function shadeIn(properties: XmlElement | undefined): string {
  const shade = findElement(properties, 'w:shd');
  return shade ? shadeOf(shade.attributes) : '';
}

/** The colour behind text, `?` where a theme or pattern decides it; empty for none. */
function shadeOf(attributes: Attributes): string {
  if (attributes['w:themeFill'] !== undefined && attributes['w:fill'] === undefined) return '?';
  const fill = attributes['w:fill'] ?? 'auto';
  if (/^[0-9a-f]{6}$/i.test(fill)) return fill.toUpperCase();
  return /^(?:clear|nil|)$/.test(attributes['w:val'] ?? '') ? '' : '?';
}

/** Whether a style of tables paints what is behind text, also where only in its first row or the like. */
const isPainted = (style: XmlElement): boolean =>
  elementsIn(style).some((part) => {
    if (part.name === 'w:tblStylePr') return isPainted(part);
    return /^w:(?:tblPr|tcPr)$/.test(part.name) && shadeIn(part) !== '';
  });

const numberIn = (value: string | undefined, fallback: number) =>
  value === undefined ? undefined : Number.parseInt(value || String(fallback), 10);

function readStyle(style: XmlElement) {
  const shade = findElement(style, 'w:pPr', 'w:shd');
  return {
    name: valueAt(style, 'w:name') ?? '',
    basedOn: valueAt(style, 'w:basedOn'),
    isShaded: isPainted(style),
    outline: numberIn(valueAt(style, 'w:pPr', 'w:outlineLvl'), 9),
    numId: valueAt(style, 'w:pPr', 'w:numPr', 'w:numId'),
    numLevel: numberIn(valueAt(style, 'w:pPr', 'w:numPr', 'w:ilvl'), 0),
    look: { ...(shade && { shade: shadeOf(shade.attributes) }), ...lookOf(findElement(style, 'w:rPr')) } satisfies Look,
  };
}

type RawStyle = ReturnType<typeof readStyle>;

const first = <Value>(chain: readonly RawStyle[], pick: (style: RawStyle) => Value | undefined) =>
  chain.map(pick).find((value) => value !== undefined);
const lookOfChain = (chain: readonly RawStyle[]): Look => Object.assign({}, ...chain.toReversed().map(({ look }) => look));

function roleOf(chain: readonly RawStyle[], level: number): ParagraphStyle['role'] {
  const isNamed = (pattern: RegExp) => chain.some(({ name }) => pattern.test(name));
  if (isNamed(contents)) return 'contents';
  if (title.test(chain[0]?.name ?? '') || (isNamed(title) && level === 0)) return 'title';
  if (level > 0) return 'heading';
  if (isNamed(code)) return 'code';
  return isNamed(quote) ? 'quote' : 'text';
}

function paragraphStyleOf(chain: readonly RawStyle[]): ParagraphStyle {
  const numId = first(chain, (style) => style.numId);
  const outline = first(chain, (style) => style.outline);
  const byName = first(chain, (style) => headingName.exec(style.name)?.[1]);
  const level = outline === undefined ? Number(byName ?? 0) : outline < 9 ? outline + 1 : 0;
  return {
    role: roleOf(chain, level),
    level,
    numbering: numId === undefined ? undefined : { numId, level: first(chain, (style) => style.numLevel) },
    look: lookOfChain(chain),
  };
}

export type Styles = ReturnType<typeof readDocxStyles>;

export function readDocxStyles(xml: string | undefined) {
  const raw = new Map<string, RawStyle>();
  let defaults: Look = {};
  let defaultParagraph: string | undefined;
  readXml(xml, 1, (element) => {
    if (element.name === 'w:docDefaults') defaults = lookOf(findElement(element, 'w:rPrDefault', 'w:rPr'));
    if (element.name !== 'w:style') return;
    const { 'w:type': type, 'w:styleId': styleId, 'w:default': isDefault } = element.attributes;
    if (!raw.has(`${type} ${styleId}`)) raw.set(`${type} ${styleId}`, readStyle(element));
    if (type === 'paragraph' && isDefault === '1') defaultParagraph = styleId;
  });

  /** A style and those it is based on, nearest first. */
  const chainOf = (type: string, id: string | undefined): RawStyle[] => {
    const chain: RawStyle[] = [];
    for (let style = raw.get(`${type} ${id}`); style && chain.length < maxAncestors && !chain.includes(style); ) {
      chain.push(style);
      style = raw.get(`${type} ${style.basedOn}`);
    }
    return chain;
  };
  const paragraphs = new Map<string | undefined, ParagraphStyle>();
  return {
    defaults,
    paragraph(id: string | undefined): ParagraphStyle {
      const found = paragraphs.get(id) ?? paragraphStyleOf(chainOf('paragraph', id ?? defaultParagraph));
      paragraphs.set(id, found);
      return found;
    },
    /** Of characters: its look, and whether it is code. */
    character(id: string | undefined): { readonly look: Look; readonly isCode: boolean } {
      const chain = chainOf('character', id);
      return { look: lookOfChain(chain), isCode: chain.some(({ name }) => code.test(name)) };
    },
    /** The list that a style of lists stands for. */
    numbering: (id: string): string | undefined => chainOf('numbering', id)[0]?.numId,
    /** Whether a style of tables may paint cells. */
    isShaded: (id: string | undefined): boolean => chainOf('table', id).some((style) => style.isShaded),
  };
}

/*
 * The numbers that Word shows before paragraphs ("4.2", "(b)", bullets). They stand nowhere in the text, but other clauses refer to them,
 * so they are counted here as Word counts them (ECMA-376 17.9).
 */

/** What stands before a paragraph: a bullet, a plain number of a list, or words of its own. */
export type Label =
  | { readonly kind: 'bullet' }
  | { readonly kind: 'number'; readonly value: number; readonly text: string }
  | { readonly kind: 'text'; readonly text: string };

/** As Word has them (ECMA-376 17.9.6). */
const maxLevels = 9;
/** In characters of the pattern; nine numbers with words between them take less. */
const longestLabel = 100;
const romanFigures = Object.entries({ m: 1000, cm: 900, d: 500, cd: 400, c: 100, xc: 90, l: 50, xl: 40, x: 10, ix: 9, v: 5, iv: 4, i: 1 });

/** Up to 3,999, as far as they go. */
function roman(value: number): string {
  if (value < 1 || value > 3_999) return String(value);
  let rest = value;
  return romanFigures.reduce((text, [figure, worth]) => {
    const count = Math.floor(rest / worth);
    rest -= count * worth;
    return text + figure.repeat(count);
  }, '');
}

function formatted(value: number, format: string): string {
  if (format === 'lowerLetter' || format === 'upperLetter') {
    const letter = String.fromCharCode(97 + ((value - 1) % 26)).repeat(Math.min(Math.floor((value - 1) / 26) + 1, 5));
    return format === 'upperLetter' ? letter.toUpperCase() : letter;
  }
  if (format === 'lowerRoman') return roman(value);
  if (format === 'upperRoman') return roman(value).toUpperCase();
  if (format === 'decimalZero') return String(value).padStart(2, '0');
  return format === 'none' ? '' : String(value);
}

const numberOf = (value: string | undefined, fallback: number) => {
  const number = Number.parseInt(value ?? '', 10);
  return Number.isSafeInteger(number) && Math.abs(number) < 1_000_000 ? number : fallback;
};

const levelAt = (element: XmlElement) => numberOf(element.attributes['w:ilvl'], 0);

const readLevel = (level: XmlElement) => ({
  format: valueAt(level, 'w:numFmt') || 'decimal',
  text: (valueAt(level, 'w:lvlText') ?? '').slice(0, longestLabel),
  start: numberOf(valueAt(level, 'w:start'), 1),
  isDecimal: isOn(findElement(level, 'w:isLgl')),
  style: valueAt(level, 'w:pStyle') || undefined,
});
type Level = ReturnType<typeof readLevel>;

const readLevels = (parents: readonly XmlElement[]): ReadonlyMap<number, Level> =>
  new Map(
    parents.flatMap((parent) =>
      elementsIn(parent).flatMap((child) => (child.name === 'w:lvl' ? [[levelAt(child), readLevel(child)]] : [])),
    ),
  );

/** A list that counts by a definition, and where its levels begin to count, once. */
function readInstance(element: XmlElement) {
  const overrides = elementsIn(element).filter(({ name }) => name === 'w:lvlOverride');
  const starts = overrides.flatMap((override) => {
    const start = valueAt(override, 'w:startOverride');
    return start === undefined ? [] : [[levelAt(override), numberOf(start, 1)] as const];
  });
  return { abstract: valueAt(element, 'w:abstractNumId') ?? '', starts: new Map(starts), levels: readLevels(overrides) };
}

/** The text of a label: `%1.%2` with the numbers of its levels. */
const labelOf = ({ text, isDecimal }: Level, levels: ReadonlyMap<number, Level>, counts: readonly (number | undefined)[]): string =>
  text
    .replace(/%([1-9])/g, (_, digit: string) => {
      const at = Number(digit) - 1;
      const level = levels.get(at);
      return formatted(counts[at] ?? level?.start ?? 1, isDecimal ? 'decimal' : (level?.format ?? 'decimal'));
    })
    .trim();

export type Numberings = ReturnType<typeof readNumberings>;

export function readNumberings(xml: string | undefined, numIdOfStyle: (styleId: string) => string | undefined) {
  /** Definitions; `link` is the style of lists that defines one instead. */
  const abstracts = new Map<string, { readonly levels: ReadonlyMap<number, Level>; readonly link: string | undefined }>();
  const instances = new Map<string, ReturnType<typeof readInstance>>();
  readXml(xml, 1, (element) => {
    const { 'w:abstractNumId': abstractId = '', 'w:numId': id = '' } = element.attributes;
    if (element.name === 'w:abstractNum')
      abstracts.set(abstractId, { levels: readLevels([element]), link: valueAt(element, 'w:numStyleLink') });
    else if (element.name === 'w:num') instances.set(id, readInstance(element));
  });
  /** Shared by all instances of one definition, as Word continues them. */
  const counters = new Map<string, (number | undefined)[]>();
  const started = new Set<string>();
  const lists = new Map<string, ReturnType<typeof resolve>>();

  /** The list that a number stands for, after links to styles of lists. */
  function resolve(numId: string) {
    let id = numId;
    for (let links = 0; links < maxLevels; links++) {
      const instance = instances.get(id);
      const abstract = instance && abstracts.get(instance.abstract);
      if (!abstract) return undefined;
      if (abstract.link === undefined) return { id, instance, levels: new Map([...abstract.levels, ...instance.levels]) };
      id = numIdOfStyle(abstract.link) ?? '';
    }
    return undefined;
  }

  function count({ id, instance }: NonNullable<ReturnType<typeof resolve>>, at: number, { start }: Level): (number | undefined)[] {
    const counts = counters.get(instance.abstract) ?? [];
    counters.set(instance.abstract, counts);
    const restart = instance.starts.get(at);
    const restarts = restart !== undefined && !started.has(`${id} ${at}`);
    if (restarts) started.add(`${id} ${at}`);
    counts[at] = restarts ? restart : (counts[at] ?? start - 1) + 1;
    counts.length = at + 1;
    return counts;
  }

  return {
    /** The label of the next paragraph of a list; undefined where nothing is shown. */
    next({ numId, level: stated }: Numbering, styleId: string | undefined): { readonly label: Label; readonly level: number } | undefined {
      if (!lists.has(numId)) lists.set(numId, resolve(numId));
      const list = lists.get(numId);
      if (list === undefined) return undefined;
      const byStyle = [...list.levels].find(([, { style }]) => styleId !== undefined && style === styleId)?.[0];
      const level = Math.min(Math.max(stated ?? byStyle ?? 0, 0), maxLevels - 1);
      const definition = list.levels.get(level);
      if (definition === undefined) return undefined;
      const counts = count(list, level, definition);
      if (definition.format === 'bullet') return { label: { kind: 'bullet' }, level };
      const text = labelOf(definition, list.levels, counts);
      if (text === '') return undefined;
      const value = counts[level] ?? 1;
      return { label: new RegExp(`^${value}[.)]?$`).test(text) ? { kind: 'number', value, text } : { kind: 'text', text }, level };
    },
  };
}
