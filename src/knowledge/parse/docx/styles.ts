/** The styles of a Word document: what a paragraph is for a reader (title, heading, code, table of contents), and how its text looks. */
import { type Attributes, isOn, walkXml } from './xml.ts';

/** Looks that decide whether text is seen, or what it means. Undefined: nothing is said. */
export interface Look {
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

export interface Styles {
  paragraph(id: string | undefined): ParagraphStyle;
  /** Of characters: its look, and whether it is code. */
  character(id: string | undefined): { readonly look: Look; readonly isCode: boolean };
  /** Whether a style of tables may paint cells. */
  isShaded(id: string | undefined): boolean;
  /** The list that a style of lists stands for. */
  numbering(id: string): string | undefined;
  readonly defaults: Look;
}

interface RawStyle {
  name: string;
  basedOn?: string;
  isShaded: boolean;
  outline?: number;
  numId?: string;
  numLevel?: number;
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
const maxAncestors = 20;

export const isMonospaced = (font: string | undefined): boolean => font !== undefined && monospaced.test(font);

/** Reads one property of text into a look. */
export function readLook(look: Look, name: string, attributes: Attributes): void {
  const value = attributes['w:val'];
  if (name === 'w:vanish') look.isVanished = isOn(attributes);
  else if (name === 'w:b') look.isBold = isOn(attributes);
  else if (name === 'w:i') look.isItalic = isOn(attributes);
  else if (name === 'w:strike' || name === 'w:dstrike') look.isStruck = isOn(attributes);
  else if (name === 'w:color')
    look.color = value ?? (/^(?:background1|light1)$/.test(attributes['w:themeColor'] ?? '') ? 'FFFFFF' : 'auto');
  else if (name === 'w:shd') look.shade = shadeOf(attributes);
  else if (name === 'w:highlight' && value !== 'none') look.shade = highlights[value?.toLowerCase() ?? ''] ?? '?';
  else if (name === 'w:sz') look.halfPoints = Number.parseFloat(value ?? '');
  else if (name === 'w:rFonts') look.font = attributes['w:ascii'] ?? attributes['w:hAnsi'] ?? '';
  else if (name === 'w:lang' && value) look.language = value;
}

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

/** The colour behind text, `?` where a theme or pattern decides it; empty for none. */
export function shadeOf(attributes: Attributes): string {
  if (attributes['w:themeFill'] !== undefined && attributes['w:fill'] === undefined) return '?';
  const fill = attributes['w:fill'] ?? 'auto';
  if (/^[0-9a-f]{6}$/i.test(fill)) return fill.toUpperCase();
  return /^(?:clear|nil|)$/.test(attributes['w:val'] ?? '') ? '' : '?';
}

export function readStyles(xml: string | undefined): Styles {
  const raw = new Map<string, RawStyle>();
  const defaults: Look = {};
  let current: RawStyle | undefined;
  let isDefault = false;
  let defaultParagraph: string | undefined;
  const path: string[] = [];
  walkXml(xml ?? '', {
    open(name, attributes) {
      const parent = path.at(-1);
      path.push(name);
      if (name === 'w:docDefaults') isDefault = true;
      else if (name === 'w:style') {
        current = { name: '', isShaded: false, look: {} };
        const id = `${attributes['w:type']} ${attributes['w:styleId']}`;
        if (!raw.has(id)) raw.set(id, current);
        if (attributes['w:type'] === 'paragraph' && attributes['w:default'] === '1') defaultParagraph = attributes['w:styleId'];
      } else if (isDefault) readLook(defaults, name, attributes);
      else if (current === undefined) return;
      else if (name === 'w:shd' && path.some((step) => /^w:(?:tblStylePr|tcPr|tblPr)$/.test(step)))
        current.isShaded ||= shadeOf(attributes) !== '';
      else if (path.includes('w:tblStylePr')) return;
      else if (name === 'w:name') current.name = attributes['w:val'] ?? '';
      else if (name === 'w:basedOn') current.basedOn = attributes['w:val'] ?? '';
      else if (name === 'w:outlineLvl') current.outline = Number.parseInt(attributes['w:val'] ?? '9', 10);
      else if (name === 'w:numId') current.numId = attributes['w:val'] ?? '';
      else if (name === 'w:ilvl') current.numLevel = Number.parseInt(attributes['w:val'] ?? '0', 10);
      else if (parent === 'w:rPr' || (parent === 'w:pPr' && name === 'w:shd')) readLook(current.look, name, attributes);
    },
    close(name) {
      path.pop();
      if (name === 'w:docDefaults') isDefault = false;
      if (name === 'w:style') current = undefined;
    },
  });

  /** A style and those it is based on, nearest first. */
  const chainOf = (type: string, id: string | undefined): RawStyle[] => {
    const chain: RawStyle[] = [];
    for (let next = id; next !== undefined && chain.length < maxAncestors; ) {
      const style = raw.get(`${type} ${next}`);
      if (style === undefined || chain.includes(style)) break;
      chain.push(style);
      next = style.basedOn;
    }
    return chain;
  };
  const lookOf = (chain: readonly RawStyle[]): Look => Object.assign({}, ...chain.toReversed().map((style) => style.look));
  const first = <Value>(chain: readonly RawStyle[], pick: (style: RawStyle) => Value | undefined) =>
    chain.map(pick).find((value) => value !== undefined);

  function paragraphStyle(id: string | undefined): ParagraphStyle {
    const chain = chainOf('paragraph', id ?? defaultParagraph);
    const numId = first(chain, (style) => style.numId);
    const named = (pattern: RegExp) => chain.some((style) => pattern.test(style.name));
    const outline = first(chain, (style) => style.outline);
    const byName = first(chain, (style) => headingName.exec(style.name)?.[1]);
    const level = outline === undefined ? Number(byName ?? 0) : outline < 9 ? outline + 1 : 0;
    const role = named(contents)
      ? 'contents'
      : title.test(chain[0]?.name ?? '') || (named(title) && level === 0)
        ? 'title'
        : level > 0
          ? 'heading'
          : named(code)
            ? 'code'
            : named(quote)
              ? 'quote'
              : 'text';
    return {
      role,
      level,
      numbering: numId === undefined ? undefined : { numId, level: first(chain, (style) => style.numLevel) },
      look: lookOf(chain),
    };
  }

  const paragraphs = new Map<string | undefined, ParagraphStyle>();
  const characters = new Map<string | undefined, { readonly look: Look; readonly isCode: boolean }>();
  return {
    defaults,
    paragraph(id) {
      const found = paragraphs.get(id) ?? paragraphStyle(id);
      paragraphs.set(id, found);
      return found;
    },
    character(id) {
      const chain = chainOf('character', id);
      const found = characters.get(id) ?? { look: lookOf(chain), isCode: chain.some((style) => code.test(style.name)) };
      characters.set(id, found);
      return found;
    },
    numbering: (id) => chainOf('numbering', id)[0]?.numId,
    isShaded: (id) => chainOf('table', id).some((style) => style.isShaded),
  };
}
