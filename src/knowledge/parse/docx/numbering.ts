/**
 * The numbers that Word shows before paragraphs ("4.2", "(b)", bullets). They stand nowhere in the text, but other clauses refer to them,
 * so they are counted here as Word counts them (ECMA-376 17.9).
 */
import type { Numbering } from './styles.ts';
import { isOn, walkXml } from './xml.ts';

/** What stands before a paragraph: a bullet, a plain number of a list, or words of its own. */
export type Label =
  | { readonly kind: 'bullet' }
  | { readonly kind: 'number'; readonly value: number; readonly text: string }
  | { readonly kind: 'text'; readonly text: string };

interface Level {
  format: string;
  text: string;
  start: number;
  isDecimal: boolean;
  style?: string;
}

interface Abstract {
  readonly levels: Map<number, Level>;
  link?: string;
}

interface Instance {
  abstract: string;
  readonly starts: Map<number, number>;
  readonly levels: Map<number, Level>;
}

export interface Numberings {
  /** The label of the next paragraph of a list; undefined where nothing is shown. */
  next(numbering: Numbering, styleId: string | undefined): { readonly label: Label; readonly level: number } | undefined;
}

const maxLevels = 9;
const romans: readonly (readonly [number, string])[] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

function roman(value: number): string {
  let left = value;
  let text = '';
  for (const [size, sign] of romans) {
    while (left >= size && text.length < 20) {
      text += sign;
      left -= size;
    }
  }
  return text;
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

export function readNumberings(xml: string | undefined, numIdOfStyle: (styleId: string) => string | undefined): Numberings {
  const abstracts = new Map<string, Abstract>();
  const instances = new Map<string, Instance>();
  let abstract: Abstract | undefined;
  let instance: Instance | undefined;
  let level: Level | undefined;
  let override = 0;
  walkXml(xml ?? '', {
    open(name, attributes) {
      const value = attributes['w:val'];
      if (name === 'w:abstractNum') {
        abstract = { levels: new Map() };
        abstracts.set(attributes['w:abstractNumId'] ?? '', abstract);
      } else if (name === 'w:num') {
        instance = { abstract: '', starts: new Map(), levels: new Map() };
        instances.set(attributes['w:numId'] ?? '', instance);
      } else if (name === 'w:abstractNumId' && instance) instance.abstract = value ?? '';
      else if (name === 'w:lvlOverride') override = numberOf(attributes['w:ilvl'], 0);
      else if (name === 'w:startOverride') instance?.starts.set(override, numberOf(value, 1));
      else if (name === 'w:lvl') {
        level = { format: 'decimal', text: '', start: 1, isDecimal: false };
        (instance ?? abstract)?.levels.set(numberOf(attributes['w:ilvl'], 0), level);
      } else if (name === 'w:numStyleLink' && abstract) abstract.link = value ?? '';
      else if (level === undefined) return;
      else if (name === 'w:numFmt') level.format = value ?? 'decimal';
      else if (name === 'w:lvlText') level.text = (value ?? '').slice(0, 100);
      else if (name === 'w:start') level.start = numberOf(value, 1);
      else if (name === 'w:isLgl') level.isDecimal = isOn(attributes);
      else if (name === 'w:pStyle' && value) level.style = value;
    },
    close(name) {
      if (name === 'w:lvl') level = undefined;
      if (name === 'w:num') instance = undefined;
      if (name === 'w:abstractNum') abstract = undefined;
    },
  });

  /** The list that numbers, after a link to a style of lists. */
  function resolved(
    numId: string,
  ): { readonly id: string; readonly found: Instance; readonly levels: ReadonlyMap<number, Level> } | undefined {
    let id = numId;
    for (let links = 0; links < maxLevels; links++) {
      const found = instances.get(id);
      const target = found && abstracts.get(found.abstract);
      if (!found || !target) return undefined;
      if (target.link === undefined) return { id, found, levels: new Map([...target.levels, ...found.levels]) };
      id = numIdOfStyle(target.link) ?? '';
    }
    return undefined;
  }

  /** Shared by all instances of one definition, as Word continues them. */
  const counters = new Map<string, (number | undefined)[]>();
  const started = new Set<string>();
  const remembered = new Map<string, ReturnType<typeof resolved>>();

  return {
    next(numbering, styleId) {
      if (!remembered.has(numbering.numId)) remembered.set(numbering.numId, resolved(numbering.numId));
      const list = remembered.get(numbering.numId);
      if (list === undefined) return undefined;
      const byStyle = [...list.levels].find(([, found]) => styleId !== undefined && found.style === styleId)?.[0];
      const at = Math.min(Math.max(numbering.level ?? byStyle ?? 0, 0), maxLevels - 1);
      const definition = list.levels.get(at);
      if (definition === undefined) return undefined;
      const counts = counters.get(list.found.abstract) ?? [];
      counters.set(list.found.abstract, counts);
      const restart = list.found.starts.get(at);
      if (restart !== undefined && !started.has(`${list.id} ${at}`)) {
        started.add(`${list.id} ${at}`);
        counts[at] = restart;
      } else counts[at] = (counts[at] ?? definition.start - 1) + 1;
      counts.length = at + 1;
      if (definition.format === 'bullet') return { label: { kind: 'bullet' }, level: at };
      const text = definition.text
        .replace(/%([1-9])/g, (_, digit: string) => {
          const place = Number(digit) - 1;
          const source = list.levels.get(place);
          return formatted(counts[place] ?? source?.start ?? 1, definition.isDecimal ? 'decimal' : (source?.format ?? 'decimal'));
        })
        .trim();
      if (text === '') return undefined;
      const value = counts[at] ?? 1;
      return { label: new RegExp(`^${value}[.)]?$`).test(text) ? { kind: 'number', value, text } : { kind: 'text', text }, level: at };
    },
  };
}
