/**
 * Styles of a Word document: role of a paragraph (title, heading, code, table of contents) and
 * formatting of its text.
 */

import { pattern } from '../../../shared/src/language/pattern.ts';
import {
  type Attributes,
  elementsIn,
  findElement,
  isOn,
  readXml,
  valueAt,
  type XmlElement,
} from './xml.ts';

/** Formatting that affects visibility or meaning. Undefined: inherited. */
export type TextFormat = Readonly<{
  isVanished?: boolean;
  isBold?: boolean;
  isItalic?: boolean;
  isStruck?: boolean;
  /** RRGGBB, or `auto`. */
  color?: string;
  shade?: string;
  halfPoints?: number;
  font?: string;
  language?: string;
}>;

export type Numbering = Readonly<{
  numId: string;
  level: number | undefined;
}>;

export type ParagraphStyle = Readonly<{
  role: 'title' | 'heading' | 'contents' | 'code' | 'quote' | 'text';
  /** Heading level from 1; 0 for other roles. */
  level: number;
  numbering: Numbering | undefined;
  format: TextFormat;
}>;

const contents =
  /^(?:toc|contents|table of contents|table of figures|toa|index)(?: heading| \d|$)|^(?:inhaltsverzeichnis|verzeichnis) ?\d?$/i;
const title = /^(?:title|titel|titre|título|titolo|document title)$/i;
const headingName = /^(?:heading|überschrift|titre|título|titolo|rubrik|kop) ([1-9])$/i;
const code = new RegExp(
  pattern`
      ^(?:(?:source ?)?code|code ?block|codeblock|html ?preformatted|preformatted(?: text)?|
        listing|program listing|macro text|verbatim|verbatim char|console|terminal|snippet|
        inline ?code|html ?code|html ?sample|html ?typewriter|source ?text)$
    `,
  'i',
);
const quote = /^(?:quote|intense quote|block ?quote|block ?text|quotations|zitat)$/i;
const monospaced =
  /courier|consolas|menlo|monaco|mono(?:\b|space)|lucida console|source code|fira code|inconsolata|cascadia/i;

function isNear(one: string, other: string) {
  const channel = (color: string, at: number) => Number.parseInt(color.slice(at, at + 2), 16);
  // Maximum difference per colour channel (0 to 255) at which text is invisible.
  return [0, 2, 4].every((at) => Math.abs(channel(one, at) - channel(other, at)) < 16);
}

/**
 * Whether text is visible and holds: not switched off or struck, not in the colour of its
 * background, not too small.
 * @param formats inherited formatting, innermost last
 * @param background background colours, innermost last: RRGGBB, empty for none, `?` if unknown
 */
export function isVisibleText(
  formats: readonly TextFormat[],
  background: readonly string[],
): boolean {
  const {
    isVanished,
    isStruck,
    halfPoints,
    color = 'auto',
    shade = '',
  }: TextFormat = Object.assign({}, ...formats);
  if (isVanished || isStruck) return false;
  // Text of one point (two half points) looks like a line.
  if (halfPoints !== undefined && halfPoints <= 2) return false;
  if (!/^[0-9a-f]{6}$/i.test(color)) return true;
  const behind = [...background, shade].findLast((paint) => paint !== '') ?? 'FFFFFF';
  return behind === '?' || !isNear(color, behind);
}

export const isMonospaced = (font = ''): boolean => monospaced.test(font);

/** Formatting by property element. */
const formatReaders: Readonly<
  Record<string, (element: XmlElement, value: string | undefined) => TextFormat>
> = {
  'w:vanish': (element) => ({ isVanished: isOn(element) }),
  'w:b': (element) => ({ isBold: isOn(element) }),
  'w:i': (element) => ({ isItalic: isOn(element) }),
  'w:strike': (element) => ({ isStruck: isOn(element) }),
  'w:dstrike': (element) => ({ isStruck: isOn(element) }),
  'w:color': ({ attributes }, value) => ({
    color:
      value ??
      (/^(?:background1|light1)$/.test(attributes['w:themeColor'] ?? '') ? 'FFFFFF' : 'auto'),
  }),
  'w:shd': ({ attributes }) => ({ shade: shadeOf(attributes) }),
  'w:highlight': (_, value) =>
    value === 'none' ? {} : { shade: highlights[value?.toLowerCase() ?? ''] ?? '?' },
  'w:sz': (_, value) => ({ halfPoints: Number.parseFloat(value ?? '') }),
  'w:rFonts': ({ attributes }) => ({ font: attributes['w:ascii'] ?? attributes['w:hAnsi'] ?? '' }),
  'w:lang': (_, value) => (value ? { language: value } : {}),
};

/** @param properties `w:rPr` */
export const textFormatOf = (properties: XmlElement | undefined): TextFormat =>
  Object.assign(
    {},
    ...elementsIn(properties).map((element) =>
      formatReaders[element.name]?.(element, element.attributes['w:val']),
    ),
  );

const highlights: Readonly<Record<string, string>> = {
  black: '000000',
  blue: '0000FF',
  cyan: '00FFFF',
  green: '00FF00',
  magenta: 'FF00FF',
  red: 'FF0000',
  yellow: 'FFFF00',
  white: 'FFFFFF',
};

export function shadeIn(properties: XmlElement | undefined): string {
  const shade = findElement(properties, 'w:shd');
  return shade ? shadeOf(shade.attributes) : '';
}

/** Background colour: RRGGBB, `?` if a theme or pattern decides it, empty for none. */
function shadeOf(attributes: Attributes) {
  if (attributes['w:themeFill'] !== undefined && attributes['w:fill'] === undefined) return '?';
  const fill = attributes['w:fill'] ?? 'auto';
  if (/^[0-9a-f]{6}$/i.test(fill)) return fill.toUpperCase();
  return /^(?:clear|nil|)$/.test(attributes['w:val'] ?? '') ? '' : '?';
}

/** Whether a table style paints any background, for example of the first row. */
const isPainted = (style: XmlElement): boolean =>
  elementsIn(style).some((part) => {
    if (part.name === 'w:tblStylePr') return isPainted(part);
    return /^w:(?:tblPr|tcPr)$/.test(part.name) && shadeIn(part) !== '';
  });

const numberIn = (value: string | undefined, fallback: number) =>
  value === undefined ? undefined : Number.parseInt(value || String(fallback), 10);

type RawStyle = ReturnType<typeof readStyle>;

function readStyle(style: XmlElement) {
  const shade = findElement(style, 'w:pPr', 'w:shd');
  return {
    name: valueAt(style, 'w:name') ?? '',
    basedOn: valueAt(style, 'w:basedOn'),
    isShaded: isPainted(style),
    outline: numberIn(valueAt(style, 'w:pPr', 'w:outlineLvl'), 9),
    numId: valueAt(style, 'w:pPr', 'w:numPr', 'w:numId'),
    numLevel: numberIn(valueAt(style, 'w:pPr', 'w:numPr', 'w:ilvl'), 0),
    format: {
      ...(shade && { shade: shadeOf(shade.attributes) }),
      ...textFormatOf(findElement(style, 'w:rPr')),
    },
  };
}

const first = <Key extends keyof RawStyle>(chain: readonly RawStyle[], key: Key) =>
  chain.map((style) => style[key]).find((value) => value !== undefined);
const textFormatOfChain = (chain: readonly RawStyle[]): TextFormat =>
  Object.assign({}, ...chain.toReversed().map(({ format }) => format));

function roleOf(chain: readonly RawStyle[], level: number): ParagraphStyle['role'] {
  const isNamed = (pattern: RegExp) => chain.some(({ name }) => pattern.test(name));
  if (isNamed(contents)) return 'contents';
  if (title.test(chain[0]?.name ?? '') || (isNamed(title) && level === 0)) return 'title';
  if (level > 0) return 'heading';
  if (isNamed(code)) return 'code';
  return isNamed(quote) ? 'quote' : 'text';
}

function paragraphStyleOf(chain: readonly RawStyle[]) {
  const numId = first(chain, 'numId');
  const outline = first(chain, 'outline');
  const byName = chain.map(({ name }) => headingName.exec(name)?.[1]).find(Boolean);
  const level = outline === undefined ? Number(byName ?? 0) : outline < 9 ? outline + 1 : 0;
  return {
    role: roleOf(chain, level),
    level,
    numbering: numId ? { numId, level: first(chain, 'numLevel') } : undefined,
    format: textFormatOfChain(chain),
  };
}

export type Styles = ReturnType<typeof readDocxStyles>;

export function readDocxStyles(xml: string | undefined) {
  const raw = new Map<string, RawStyle>();
  let defaults: TextFormat = {};
  let defaultParagraph: string | undefined;
  readXml(xml, 1, (element) => {
    if (element.name === 'w:docDefaults')
      defaults = textFormatOf(findElement(element, 'w:rPrDefault', 'w:rPr'));
    if (element.name !== 'w:style') return;
    const { 'w:type': type, 'w:styleId': styleId, 'w:default': isDefault } = element.attributes;
    if (!raw.has(`${type} ${styleId}`)) raw.set(`${type} ${styleId}`, readStyle(element));
    if (type === 'paragraph' && isDefault === '1') defaultParagraph = styleId;
  });

  /** A style and its ancestors, nearest first. */
  const chainOf = (type: string, id: string | undefined) => {
    const chain: RawStyle[] = [];
    for (
      let style = raw.get(`${type} ${id}`);
      // Word's own chains have four styles; styles may form a cycle.
      style && chain.length < 20 && !chain.includes(style);
    ) {
      chain.push(style);
      style = raw.get(`${type} ${style.basedOn}`);
    }
    return chain;
  };
  const paragraphs = new Map<string | undefined, ParagraphStyle>();
  return {
    defaults,
    paragraph(id: string | undefined) {
      const found =
        paragraphs.get(id) ?? paragraphStyleOf(chainOf('paragraph', id ?? defaultParagraph));
      paragraphs.set(id, found);
      return found;
    },
    character(id: string | undefined) {
      const chain = chainOf('character', id);
      return {
        format: textFormatOfChain(chain),
        isCode: chain.some(({ name }) => code.test(name)),
      };
    },
    /** Returns the `numId` of a list style. */
    numbering: (id: string) => chainOf('numbering', id)[0]?.numId,
    /** Whether a table style may paint cells. */
    isShaded: (id: string | undefined) => chainOf('table', id).some((style) => style.isShaded),
  };
}
