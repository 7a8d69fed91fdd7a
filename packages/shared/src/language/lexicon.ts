/**
 * Word lists in `lexicon/<language>/<list>.txt`; `all` for shared ones. A missing list is empty. The English list explains the purpose.
 * Syntax: `;` or a line end ends a group, `,` separates entries, `name:` names the group, `|` separates exclusive sides, `//` comments.
 */
import { existsSync, readFileSync } from 'node:fs';

export interface LexiconGroup {
  /** Name of the group, or `!`; empty if it has none. */
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

/** Entries of all groups of a list. */
export const lexiconEntries = (language: string, list: string): string[] =>
  lexiconGroups(language, list).flatMap(({ sides }) => sides.flat());

/** Entry → name of its group. */
export const lexiconNames = (language: string, list: string): ReadonlyMap<string, string> =>
  new Map(lexiconGroups(language, list).flatMap(({ name, sides }) => sides.flat().map((entry) => [entry, name] as const)));
