/**
 * Word lists: a folder of `lexicon/` per language, a file per list; `all` for shared ones. The
 * English lists explain their purpose. Syntax: `;` or a line end ends a group, `,` separates
 * entries, `name:` names the group, `|` separates exclusive sides; `//` starts a line of comment.
 */
import { lexicon } from './lexicon/words.ts';

export const listedLanguages = [
  'de',
  'en',
  'es',
  'fr',
  'it',
  'ja',
  'ko',
  'nl',
  'pt',
  'ru',
  'zh',
] as const;
export type ListName = keyof (typeof lexicon)['en'];

interface LexiconGroup {
  /** Name of the group, or `!`; empty if it has none. */
  readonly name: string;
  readonly sides: readonly (readonly string[])[];
}

function toGroup(written: string): LexiconGroup {
  const [, name = '', entries = ''] = /^(!|[^:,|]+:(?= ))?(.*)$/.exec(written) ?? [];
  const sides = entries
    .split('|')
    .map((side) => side.split(',').flatMap((entry) => entry.trim() || []));
  return { name: name.replace(/:$/, ''), sides };
}

const read = new Map<string, readonly LexiconGroup[]>();

/**
 * @throws if the list is missing, because a check without its words would accept false sentences
 */
export function groupsIn<Table, Of extends keyof Table & string>(
  table: Table,
  language: Of,
  list: keyof Table[Of] & string,
) {
  const path = `${language}/${list}`;
  const known = read.get(path);
  if (known) return known;
  const text: unknown = table[language]?.[list];
  if (typeof text !== 'string')
    throw new Error(`The word list "${list}" of the language "${language}" is missing.`);
  const groups = text
    .split(/[\n;]/)
    .flatMap((group) => group.trim() || [])
    .map(toGroup);
  read.set(path, groups);
  return groups;
}

export const lexiconGroups = <Of extends keyof typeof lexicon>(
  language: Of,
  list: keyof (typeof lexicon)[Of] & string,
) => groupsIn(lexicon, language, list);

/** Entries of all groups of a list. */
export const lexiconEntries = <Of extends keyof typeof lexicon>(
  language: Of,
  list: keyof (typeof lexicon)[Of] & string,
): string[] => lexiconGroups(language, list).flatMap(({ sides }) => sides.flat());

/** Entries of the groups with a name. */
export const entriesNamed = (groups: readonly LexiconGroup[], wanted: string): string[] =>
  groups.flatMap(({ name, sides }) => (name === wanted ? sides.flat() : []));

/** A list of `reply-words`, as alternatives of a pattern. */
export const wordsOfReply = (list: string) =>
  entriesNamed(lexiconGroups('all', 'reply-words'), list).join('|');
export const yesWords = wordsOfReply('yes');
export const noWords = wordsOfReply('no');

/** Entry → name of its group. */
export const namesOf = (groups: readonly LexiconGroup[]): ReadonlyMap<string, string> =>
  new Map(groups.flatMap(({ name, sides }) => sides.flat().map((entry) => [entry, name] as const)));
