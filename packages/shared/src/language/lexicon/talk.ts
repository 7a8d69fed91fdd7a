/** Phrases of messages and headings. They are apart from the other lists because a check of sentences does not need them. */
import { allTalk } from './all.ts';
import { deTalk } from './de.ts';
import { enTalk } from './en.ts';
import { esTalk } from './es.ts';
import { frTalk } from './fr.ts';
import { itTalk } from './it.ts';
import { jaTalk } from './ja.ts';
import { koTalk } from './ko.ts';
import { nlTalk } from './nl.ts';
import { ptTalk } from './pt.ts';
import { ruTalk } from './ru.ts';
import { zhTalk } from './zh.ts';

type TalkLists = Readonly<Record<keyof typeof enTalk, string>>;

const other = Object.fromEntries(Object.keys(enTalk).map((list) => [list, ''])) as TalkLists;
const own = {
  de: deTalk,
  en: enTalk,
  es: esTalk,
  fr: frTalk,
  it: itTalk,
  ja: jaTalk,
  ko: koTalk,
  nl: nlTalk,
  pt: ptTalk,
  ru: ruTalk,
  zh: zhTalk,
  other,
} satisfies Readonly<Record<string, TalkLists>>;
export const talkLexicon = { ...own, all: allTalk };

/** Lists of phrases that all languages share in part. */
export type TalkListName = keyof typeof allTalk;
