/**
 * Detects messages that are only small talk, with kind and language. Strict, because mistaking a
 * question for small talk is worse than the reverse: the message must be short, consist of known
 * phrases, and contain nothing that looks like a figure or code.
 */
import { fold, type Language } from './languages.ts';
import { talkLexicon } from './lexicon/talk.ts';
import { groupsIn } from './lexicon.ts';
import { perLanguage } from './per-language.ts';

/** In order of priority, for phrases that several languages share. */
export const messageLanguages = [
  'en',
  'de',
  'fr',
  'es',
  'it',
  'pt',
  'nl',
  'ru',
  'ja',
  'zh',
  'ko',
] as const;
export type MessageLanguage = (typeof messageLanguages)[number];

/**
 * In rising priority: the last kind found in a message counts. `thanks` includes praise and assent;
 * `help` is a question about the assistant itself. `beside` phrases may accompany small talk, but
 * are not small talk.
 */
const kinds = ['beside', 'greeting', 'thanks', 'bye', 'help'] as const;

export interface SmallTalk {
  /** `called`: the message contains only the mention and perhaps punctuation. */
  readonly kind: Exclude<(typeof kinds)[number], 'beside'> | 'called';
  /** Undefined if the message has no words. */
  readonly language?: MessageLanguage;
}

/** Words; characters in Korean and scripts without spaces. */
const maxTokens = 40;
const maxPhraseTokens = 16;

const emoticon = /(?<!\S)(?:[:;=]['’-]?[()DPpOo3|*]{1,9}|<3|\+1|\^_?\^)(?!\S)/g;
const mention = /(?<!\S)@[\p{L}\p{N}_.-]{1,64}(?![\p{L}\p{N}_/-]|\.\p{L})/gu;
/** Figures, code, paths, options, addresses: never small talk. */
const content = /[\p{N}`{}[\]<>=\\#$%|/+]|\p{L}[(_:]\p{L}|\p{L}\(|-{2}\p{L}|\p{L}@\p{L}/u;
const token =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]|(?:(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}])[\p{L}\p{M}])+/gu;

/** `Thaaanks` is `thanks`. */
export const wordsOfTalk = (text: string): string[] =>
  fold(text.replace(/['’‘´ー〜～~]/g, ''))
    .replace(/(\p{L})\1{2,}/gu, '$1')
    .match(token) ?? [];

/** Folds each choice once, not each phrase: the phrases of a language are thousands. */
const expand = (pattern: string) =>
  pattern.split(' ').reduce<string[]>(
    (heads, part) => {
      const choices = part.split('/').map((choice) => wordsOfTalk(choice).join(' '));
      return heads.flatMap((head) => [
        ...(part.endsWith('?') ? [head] : []),
        ...choices.map((choice) => `${head} ${choice}`),
      ]);
    },
    [''],
  );

/** Phrases of a list, with the meaning of their group; undefined: skipped. */
export function readPhrases<Meaning>(
  language: Language,
  list: keyof typeof talkLexicon.all,
  meaningOf: (name: string) => Meaning | undefined,
) {
  const phrases = new Map<string, Meaning>();
  for (const { name, sides } of [
    ...groupsIn(talkLexicon, 'all', list),
    ...groupsIn(talkLexicon, language, list),
  ]) {
    const meaning = meaningOf(name);
    if (meaning !== undefined)
      for (const phrase of sides.flat().flatMap(expand)) phrases.set(phrase.trim(), meaning);
  }
  return phrases;
}

/**
 * Splits words greedily into phrases, and yields their meanings; undefined for a part that is not a
 * phrase, which is the last.
 */
export function* meaningsIn<Meaning>(
  words: readonly string[],
  phrases: ReadonlyMap<string, Meaning>,
): Generator<Meaning | undefined> {
  for (let from = 0; from < words.length; ) {
    let to = Math.min(words.length, from + maxPhraseTokens);
    while (to > from && !phrases.has(words.slice(from, to).join(' '))) to--;
    yield phrases.get(words.slice(from, to).join(' '));
    if (to === from) return;
    from = to;
  }
}

/** Phrase → priority of its kind. */
export const smallTalkIn = perLanguage((language) =>
  readPhrases(language, 'small-talk', (name) => kinds.findIndex((kind) => name.startsWith(kind))),
);

/** Returns undefined for a question. @param message without the mention of the agent */
export function smallTalkOf(message: string): SmallTalk | undefined {
  if (message.length > 400) return undefined;
  const text = message.replace(emoticon, '👍').replace(mention, ' ');
  if (content.test(text)) return undefined;
  const words = wordsOfTalk(text);
  if (words.length > maxTokens) return undefined;
  if (words.length === 0) {
    if (/👋/u.test(text)) return { kind: 'greeting' };
    return {
      kind: /\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(text) ? 'thanks' : 'called',
    };
  }
  for (const language of messageLanguages) {
    const priorities = [...meaningsIn(words, smallTalkIn(language))];
    const kind = priorities.includes(undefined)
      ? undefined
      : kinds[Math.max(...priorities.map(Number))];
    if (kind !== undefined && kind !== 'beside') return { kind, language };
  }
  return undefined;
}
