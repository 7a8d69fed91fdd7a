/**
 * Word lists as data, `lexicon/<language>/<list>.txt` (`all` for what languages share), in one notation: `;` or the end of a line ends a
 * group, `,` parts its entries; `name:` in front says what they stand for, `|` parts sides that exclude each other, a line with `//` in
 * front is a comment. What a list is for stands in the English one. A language without a list of a kind has an empty one.
 */
import { existsSync, readFileSync } from 'node:fs';

export interface LexiconGroup {
  /** What the entries stand for; `!` marks a group too. Empty where nothing is named. */
  readonly name: string;
  readonly sides: readonly (readonly string[])[];
}

const entriesOf = (side: string): string[] => side.split(',').flatMap((entry) => entry.trim() || []);

function toGroup(written: string): LexiconGroup {
  const [, name = '', entries = ''] = /^(!|[^:,|]+:(?= ))?(.*)$/.exec(written) ?? [];
  return { name: name.replace(/:$/, ''), sides: entries.split('|').map(entriesOf) };
}

const read = new Map<string, readonly LexiconGroup[]>();

export function lexiconGroups(language: string, list: string): readonly LexiconGroup[] {
  const path = `${language}/${list}.txt`;
  const known = read.get(path);
  if (known) return known;
  const url = new URL(`./lexicon/${path}`, import.meta.url);
  const lines = existsSync(url) ? readFileSync(url, 'utf8').split('\n') : [];
  const written = lines.filter((line) => !line.startsWith('//')).flatMap((line) => line.split(';').flatMap((group) => group.trim() || []));
  const groups = written.map(toGroup);
  read.set(path, groups);
  return groups;
}

/** Entries of a list, whatever their group. */
export const lexiconEntries = (language: string, list: string): string[] =>
  lexiconGroups(language, list).flatMap(({ sides }) => sides.flat());

export const lexiconNames = (language: string, list: string): ReadonlyMap<string, string> =>
  new Map(lexiconGroups(language, list).flatMap(({ name, sides }) => sides.flat().map((entry) => [entry, name] as const)));
