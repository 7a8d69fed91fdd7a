/**
 * Word lists as data, `lexicon/<language>/<list>.txt` (`all` for what languages share), in one notation: a line is a group of entries,
 * separated by commas; `name:` in front says what they stand for, `|` parts sides that exclude each other, `//` begins a comment. A
 * language without a list of a kind has an empty one.
 */
import { existsSync, readFileSync } from 'node:fs';

export interface LexiconGroup {
  /** What the entries stand for; `!` marks a group too. Empty where the line names nothing. */
  readonly name: string;
  /** One, or more that exclude each other. */
  readonly sides: readonly (readonly string[])[];
}

const read = new Map<string, readonly string[]>();

/** Lines without comments. */
function linesOf(language: string, list: string): readonly string[] {
  const path = `${language}/${list}.txt`;
  const known = read.get(path);
  if (known) return known;
  const url = new URL(`./lexicon/${path}`, import.meta.url);
  const text = existsSync(url) ? readFileSync(url, 'utf8') : '';
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('//'));
  read.set(path, lines);
  return lines;
}

const entriesOf = (side: string): string[] => side.split(',').flatMap((entry) => entry.trim() || []);

/** Groups of a list, in its order. */
export const lexiconGroups = (language: string, list: string): LexiconGroup[] =>
  linesOf(language, list).map((line) => {
    const [, name = '', entries = ''] = /^(!|[^:,|]+:(?= ))?(.*)$/.exec(line) ?? [];
    return { name: name.replace(/:$/, ''), sides: entries.split('|').map(entriesOf) };
  });

/** Entries of a list, whatever their group. */
export const lexiconEntries = (language: string, list: string): string[] =>
  linesOf(language, list).flatMap((line) => line.split('|').flatMap(entriesOf));

/** Entry → name of its group. */
export const lexiconNames = (language: string, list: string): ReadonlyMap<string, string> =>
  new Map(lexiconGroups(language, list).flatMap(({ name, sides }) => sides.flat().map((entry) => [entry, name] as const)));
