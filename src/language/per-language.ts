import { detachString } from '../markdown/detach-string.ts';
import type { Language } from './languages.ts';

/** What is worked out once for each language, when it is first asked for. */
export function perLanguage<T>(make: (language: Language) => T): (language: Language) => T {
  const made = new Map<Language, T>();
  return (language) => {
    const found = made.get(language) ?? make(language);
    made.set(language, found);
    return found;
  };
}

/** A longer word is worked out each time it comes. Characters. */
const maxRememberedChars = 64;

/** Words repeat: what was made of one is remembered. @param max words; when there are more, all are forgotten */
export function perWord<T>(max: number, make: (word: string) => T): (word: string) => T {
  const made = new Map<string, T>();
  return (word) => {
    let found = made.get(word);
    if (found !== undefined) return found;
    found = make(word);
    if (made.size >= max) made.clear();
    if (word.length <= maxRememberedChars) made.set(detachString(word), found);
    return found;
  };
}
