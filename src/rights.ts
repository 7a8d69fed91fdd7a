/** Rights of keys and tokens. `http/operations.ts` defines which operation requires which right. */

/**
 * `ask`: ask the agent and rate its answers. `search`: search documents. `read`: both, and read
 * documents, own conversations and answers. `write`: ingest, refresh, delete, and jobs. `calls`:
 * calls of the calling service. `admin`: questions and answers of all callers.
 */
export const rights = ['ask', 'search', 'read', 'write', 'calls', 'admin'] as const;
export type Right = (typeof rights)[number];

const partsOfRead: ReadonlySet<Right> = new Set(['ask', 'search']);

export const withParts = (given: readonly Right[]): ReadonlySet<Right> =>
  new Set(given.includes('read') ? [...partsOfRead, ...given] : given);

/** The rights without those that `read` includes. */
export const withoutParts = (given: readonly Right[]): Right[] =>
  given.includes('read') ? given.filter((right) => !partsOfRead.has(right)) : [...given];

const isRight = (word: string): word is Right => rights.some((right) => right === word);

/** Undefined if the list is empty or a word is not a right. */
export function readRights(words: readonly string[]): Right[] | undefined {
  return words.length > 0 && words.every(isRight) ? [...new Set(words)] : undefined;
}

/** The rights among the words; other words are ignored. */
export const rightsAmong = (words: readonly string[]): Right[] => words.filter(isRight);

/**
 * Rights of a credential that lists none. `admin` shows questions of all namespaces, so limited
 * credentials do not get it.
 */
export const defaultRights = (isLimited: boolean): Right[] =>
  withoutParts(rights.filter((right) => right !== 'admin' || !isLimited));
