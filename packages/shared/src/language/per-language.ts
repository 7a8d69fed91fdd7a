import { detachString } from '../markdown/detach-string.ts';
import type { Language } from './languages.ts';

/** Caches a value per language, computed at the first use. */
export function perLanguage<T>(make: (language: Language) => T): (language: Language) => T {
  const made = new Map<Language, T>();
  return (language) => {
    const found = made.get(language) ?? make(language);
    made.set(language, found);
    return found;
  };
}

/** Longer words are not cached. */
const maxCachedChars = 64;
/** Beyond this number of words the cache is cleared. */
const maxCached = 20_000;

/** Caches a value per word. */
export function perWord<T>(make: (word: string) => T): (word: string) => T {
  const made = new Map<string, T>();
  return (word) => {
    let found = made.get(word);
    if (found !== undefined) return found;
    found = make(word);
    if (made.size >= maxCached) made.clear();
    if (word.length <= maxCachedChars) made.set(detachString(word), found);
    return found;
  };
}
