import { all } from './all.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { ko } from './ko.ts';
import { nl } from './nl.ts';
import { pt } from './pt.ts';
import { ru } from './ru.ts';
import { zh } from './zh.ts';

/** A language states every list: an empty text is a decision, and a missing list does not compile. */
type LanguageLists = Readonly<Record<keyof typeof en, string>>;

/** Words of an unknown language have no lists. */
const other = Object.fromEntries(Object.keys(en).map((list) => [list, ''])) as LanguageLists;
const own = { de, en, es, fr, it, ja, ko, nl, pt, ru, zh, other } satisfies Readonly<
  Record<string, LanguageLists>
>;
export const lexicon = { ...own, all };

export type ListedLanguage = keyof typeof own;
export type ListName = keyof LanguageLists;
