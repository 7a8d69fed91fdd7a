/**
 * What a caller may do: the words that keys, tokens and operations share. Which operation takes which right is said where the operations
 * are (`http/operations.ts`), nowhere else.
 */

/**
 * `read`: search, ask, read documents, conversations and answers. `write`: ingest, refresh, delete, and jobs. `calls`: calls of the calling
 * service. `admin`: what was asked and answered, whoever asked.
 */
export const rights = ['read', 'write', 'calls', 'admin'] as const;
export type Right = (typeof rights)[number];

const isRight = (word: string): word is Right => rights.some((right) => right === word);

/** Undefined where one of the words is no right, or there is none. */
export function readRights(words: readonly string[]): Right[] | undefined {
  return words.length > 0 && words.every(isRight) ? [...new Set(words)] : undefined;
}

/** Those among the words; others mean nothing here. */
export const rightsAmong = (words: readonly string[]): Right[] => words.filter(isRight);

/** Of a credential that says nothing of rights. Questions and answers of all namespaces are not for one that is kept to some. */
export const usualRights = (isLimited: boolean): Right[] => rights.filter((right) => right !== 'admin' || !isLimited);
