/** Text that Word computes: numbers of paragraphs and results of fields. */
import { listLabel } from '../list-label.ts';
import type { Numbering } from './styles.ts';
import { elementsIn, findElement, isOn, readXml, valueAt, type XmlElement } from './xml.ts';

// Numbers of paragraphs ("4.2", "(b)", bullets), counted as Word does (ECMA-376 17.9), because
// other text refers to them.

/** Precedes a paragraph. `number` is a plain list number; `text` is any other label. */
export type Label =
  | { readonly kind: 'bullet' }
  | Readonly<{ kind: 'number'; value: number; text: string }>
  | Readonly<{ kind: 'text'; text: string }>;

/** ECMA-376 17.9.6. */
const maxLevels = 9;
function formatted(value: number, format: string) {
  if (format === 'decimalZero') return String(value).padStart(2, '0');
  return format === 'none' ? '' : listLabel(value, format);
}

const numberOf = (value: string | undefined, fallback: number) => {
  const number = Number.parseInt(value ?? '', 10);
  return Number.isSafeInteger(number) && Math.abs(number) < 1_000_000 ? number : fallback;
};

const levelAt = (element: XmlElement) => numberOf(element.attributes['w:ilvl'], 0);

type Level = ReturnType<typeof readLevel>;

const readLevel = (level: XmlElement) => ({
  format: valueAt(level, 'w:numFmt') || 'decimal',
  text: (valueAt(level, 'w:lvlText') ?? '').slice(0, 100),
  start: numberOf(valueAt(level, 'w:start'), 1),
  isDecimal: isOn(findElement(level, 'w:isLgl')),
  style: valueAt(level, 'w:pStyle') || undefined,
});

const readLevels = (parents: readonly XmlElement[]) =>
  new Map(
    parents
      .flatMap((parent) => elementsIn(parent))
      .filter(({ name }) => name === 'w:lvl')
      .map((level) => [levelAt(level), readLevel(level)]),
  );

/** Fills in a label's pattern: `%1.%2` with the numbers of its levels. */
const labelOf = (
  { text, isDecimal }: Level,
  levels: ReadonlyMap<number, Level>,
  counts: readonly (number | undefined)[],
) =>
  text
    .replace(/%([1-9])/g, (_, digit: string) => {
      const at = Number(digit) - 1;
      const level = levels.get(at);
      return formatted(
        counts[at] ?? level?.start ?? 1,
        isDecimal ? 'decimal' : (level?.format ?? 'decimal'),
      );
    })
    .trim();

/** Counts a paragraph of a list and returns its label; undefined if Word shows none. */
export type NumberParagraph = (
  numbering: Numbering,
  styleId: string | undefined,
) => { readonly label: Label; readonly level: number } | undefined;

export function readNumberings(
  xml: string | undefined,
  numIdOfStyle: (styleId: string) => string | undefined,
): NumberParagraph {
  const abstracts = new Map<string, XmlElement>();
  const instances = new Map<string, XmlElement>();
  readXml(xml, 1, (element) => {
    const { 'w:abstractNumId': abstractId = '', 'w:numId': id = '' } = element.attributes;
    if (element.name === 'w:abstractNum') abstracts.set(abstractId, element);
    else if (element.name === 'w:num') instances.set(id, element);
  });
  const counters = new Map<string, (number | undefined)[]>();
  const started = new Set<string>();
  const lists = new Map<string, List | undefined>();
  type List = NonNullable<ReturnType<typeof resolve>>;

  /** Follows links to list styles, which define the levels instead. */
  function resolve(numId: string) {
    let id = numId;
    for (let links = 0; links < maxLevels; links++) {
      const instance = instances.get(id);
      const abstract = valueAt(instance, 'w:abstractNumId') ?? '';
      const definition = abstracts.get(abstract);
      if (!instance || !definition) return undefined;
      const link = valueAt(definition, 'w:numStyleLink');
      if (link === undefined) {
        const overrides = elementsIn(instance).filter(({ name }) => name === 'w:lvlOverride');
        const starts = overrides.flatMap((override) => {
          const start = valueAt(override, 'w:startOverride');
          return start === undefined ? [] : [[levelAt(override), numberOf(start, 1)] as const];
        });
        const levels = readLevels([definition, ...overrides]);
        // All lists of one definition (`abstract`) share a counter. `starts` override it by level.
        return { id, abstract, starts: new Map(starts), levels };
      }
      id = numIdOfStyle(link) ?? '';
    }
    return undefined;
  }

  function count({ id, abstract, starts }: List, at: number, { start }: Level) {
    const counts = counters.get(abstract) ?? [];
    counters.set(abstract, counts);
    const restart = starts.get(at);
    const restarts = restart !== undefined && !started.has(`${id} ${at}`);
    if (restarts) started.add(`${id} ${at}`);
    counts[at] = restarts ? restart : (counts[at] ?? start - 1) + 1;
    counts.length = at + 1;
    return counts;
  }

  return ({ numId, level: stated }, styleId) => {
    if (!lists.has(numId)) lists.set(numId, resolve(numId));
    const list = lists.get(numId);
    const byStyle = list?.levels
      .entries()
      .find(([, { style }]) => styleId !== undefined && style === styleId)?.[0];
    const level = Math.min(Math.max(stated ?? byStyle ?? 0, 0), maxLevels - 1);
    const definition = list?.levels.get(level);
    if (!list || !definition) return undefined;
    const counts = count(list, level, definition);
    if (definition.format === 'bullet') return { label: { kind: 'bullet' }, level };
    const text = labelOf(definition, list.levels, counts);
    if (!text) return undefined;
    const value = counts[level] ?? 1;
    const isPlain = new RegExp(`^${value}[.)]?$`).test(text);
    return { label: isPlain ? { kind: 'number', value, text } : { kind: 'text', text }, level };
  };
}

// Fields (links, tables of contents, page numbers): their visible results and link targets.

interface Field {
  code: string;
  /** Whether the result part has begun. */
  isResult: boolean;
  isShown: boolean;
  address: string | undefined;
}

const link = /^\s*HYPERLINK\s+(?:"([^"]{1,2000})"|([^\s"\\]{1,2000}))/i;

export const isLinkTarget = (target: string): boolean =>
  /^(?:https?:\/\/|mailto:)[^\s<>"]+$/i.test(target) && URL.canParse(target);

export class Fields {
  readonly #open: Field[] = [];

  /** @param type of `w:fldChar` */
  mark(type: string | undefined) {
    const field = this.#open.at(-1);
    if (type === 'begin')
      this.#open.push({ code: '', isResult: false, isShown: false, address: this.current.address });
    else if (type === 'end') this.#open.pop();
    else if (type === 'separate' && field) {
      field.isResult = true;
      // Results that repeat text of the document are not shown.
      field.isShown =
        !/^\s*(?:TOC|INDEX|TOA|RD|TC|XE)\b/i.test(field.code) &&
        (this.#open.at(-2)?.isShown ?? true);
      const [, quoted, bare] = link.exec(field.code) ?? [];
      const target = quoted ?? bare ?? '';
      if (isLinkTarget(target)) field.address = target;
    }
  }

  code(text: string) {
    const field = this.#open.at(-1);
    // Maximum characters of code that are read: link targets have at most 2,000, and later code has
    // no effect.
    if (field && !field.isResult && field.code.length < 4_000) field.code += text;
  }

  /** State of the innermost field. */
  get current() {
    return this.#open.at(-1) ?? { isShown: true, address: undefined };
  }
}
