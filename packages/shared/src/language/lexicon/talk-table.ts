/** Lists that only the service needs, apart from those of the check, so that a bundle of the check lacks them. */
import { allTalk as all } from './all.ts';
import { deTalk as de } from './de.ts';
import { enTalk as en } from './en.ts';
import { esTalk as es } from './es.ts';
import { frTalk as fr } from './fr.ts';
import { itTalk as it } from './it.ts';
import { jaTalk as ja } from './ja.ts';
import { koTalk as ko } from './ko.ts';
import { nlTalk as nl } from './nl.ts';
import { ptTalk as pt } from './pt.ts';
import { ruTalk as ru } from './ru.ts';
import { zhTalk as zh } from './zh.ts';

type TalkLists = Readonly<Record<keyof typeof en, string>>;

/** Words of an unknown language have no lists. */
const other: TalkLists = { 'small-talk': '', 'person-request': '', suggestions: '' };

const own = { de, en, es, fr, it, ja, ko, nl, pt, ru, zh, other } satisfies Readonly<Record<string, TalkLists>>;
export const talkLexicon = { ...own, all };

/** Lists of phrases that every language may have in addition to its own. */
export type TalkListName = keyof TalkLists & keyof typeof all;
