/**
 * Reads word lists: a folder for each language, a file for each list. An empty file is a decision:
 * the language has no such words. `npm run build` replaces the modules that call this by their
 * values, so a package reads no file.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const languages = ['de', 'en', 'es', 'fr', 'it', 'ja', 'ko', 'nl', 'pt', 'ru', 'zh'] as const;

const comment = /^\/\/.*\n?/gm;
const read = (language: string, list: string) =>
  readFileSync(join(import.meta.dirname, language, `${list}.txt`), 'utf8').replace(comment, '');

const record = <Key extends string, Value>(keys: readonly Key[], make: (key: Key) => Value) =>
  Object.fromEntries(keys.map((key) => [key, make(key)])) as Readonly<Record<Key, Value>>;

/**
 * @param lists of every language; an unknown one (`other`) has empty ones
 * @param shared lists of `all` languages
 * @throws if a file is missing
 */
export const readLists = <List extends string, Shared extends string>(
  lists: readonly List[],
  shared: readonly Shared[],
) => ({
  ...record(languages, (language) => record(lists, (list) => read(language, list))),
  other: record(lists, () => ''),
  all: record(shared, (list) => read('all', list)),
});
