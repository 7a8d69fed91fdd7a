/**
 * The numbers that Word shows before paragraphs ("4.2", "(b)", bullets). They stand nowhere in the text, but other clauses refer to them,
 * so they are counted here as Word counts them (ECMA-376 17.9).
 */
import type { Numbering } from './styles.ts';
import { elementsIn, findElement, isOn, readXml, valueAt, type XmlElement } from './xml.ts';

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
