/**
 * Whether a whole message is small talk, of which kind and in which language, so that nothing has to be searched. Strict: short, and
 * every word of it belongs to a known phrase; one word more, a figure or anything that looks like code makes it a question for the
 * documents. A question taken for small talk is the error that counts.
 */
import { fold } from './languages.ts';
import { lexiconGroups } from './lexicon.ts';

/** In the order in which a phrase of several languages is understood. */
export const messageLanguages = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'ru', 'ja', 'zh', 'ko'] as const;
export type MessageLanguage = (typeof messageLanguages)[number];

/** `thanks` takes in praise and assent, `help` what asks about the assistant itself. */
type SmallTalkKind = 'greeting' | 'thanks' | 'bye' | 'help';

export interface SmallTalk {
  /** `called`: there was nothing but the mention, or a mark behind it. */
  readonly kind: SmallTalkKind | 'called';
  /** Undefined where there is no word to tell it by. */
  readonly language?: MessageLanguage;
}

/** Words; of scripts without spaces, and of Korean, characters. */
const maxTokens = 40;
const maxPhraseTokens = 16;
/** Of what is said together the last of these is answered; `beside` may stand beside small talk and is none alone. */
const kinds: readonly (SmallTalkKind | 'beside')[] = ['beside', 'greeting', 'thanks', 'bye', 'help'];

const emoticon = /(?<!\S)(?:[:;=]['’-]?[()DPpOo3|*]{1,9}|<3|\+1|\^_?\^)(?!\S)/g;
const mention = /(?<!\S)@[\p{L}\p{N}_.-]{1,64}(?![\p{L}\p{N}_/-]|\.\p{L})/gu;
/** Figures, code, paths, options, addresses: nobody greets with them. */
const content = /[\p{N}`{}[\]<>=\\#$%|/+]|\p{L}[(_:]\p{L}|\p{L}\(|-{2}\p{L}|\p{L}@\p{L}/u;
const token = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]|(?:(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}])[\p{L}\p{M}])+/gu;

/** `Thaaanks` is `thanks`. */
const tokensOf = (text: string): string[] =>
  fold(text.replace(/['’‘´ー〜～~]/g, ''))
    .replace(/(\p{L})\1{2,}/gu, '$1')
    .match(token) ?? [];

const expand = (pattern: string): string[] =>
  pattern.split(' ').reduce<string[]>(
    (heads, part) => {
      const choices = part.replace(/\?$/, '').split('/');
      return heads.flatMap((head) => [...(part.endsWith('?') ? [head] : []), ...choices.map((choice) => `${head} ${choice}`)]);
    },
    [''],
  );

const readPhrases = () =>
  messageLanguages.map((language) => {
    const phrases = new Map<string, number>();
    for (const { name, sides } of [...lexiconGroups('all', 'small-talk'), ...lexiconGroups(language, 'small-talk')]) {
      const strength = kinds.findIndex((kind) => name.startsWith(kind));
      for (const phrase of sides.flat().flatMap(expand)) phrases.set(tokensOf(phrase).join(' '), strength);
    }
    return { language, phrases };
  });
/** Read with the first message. */
let known: ReturnType<typeof readPhrases> | undefined;

/** The most telling kind of the phrases that words are made of, each the longest that begins where the one before ends; undefined where one is none. */
function strengthOf(words: readonly string[], phrases: ReadonlyMap<string, number>): number | undefined {
  let strength = 0;
  for (let from = 0; from < words.length; ) {
    let to = Math.min(words.length, from + maxPhraseTokens);
    while (to > from && !phrases.has(words.slice(from, to).join(' '))) to--;
    if (to === from) return undefined;
    strength = Math.max(strength, phrases.get(words.slice(from, to).join(' ')) ?? 0);
    from = to;
  }
  return strength;
}

/** Undefined for a question to the documents. @param message without the mention of the agent */
export function smallTalkOf(message: string): SmallTalk | undefined {
  if (message.length > 400) return undefined;
  const text = message.replace(emoticon, '👍').replace(mention, ' ');
  if (content.test(text)) return undefined;
  const words = tokensOf(text);
  if (words.length > maxTokens) return undefined;
  if (words.length === 0) {
    if (/👋/u.test(text)) return { kind: 'greeting' };
    return { kind: /\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(text) ? 'thanks' : 'called' };
  }
  known ??= readPhrases();
  for (const { language, phrases } of known) {
    const kind = kinds[strengthOf(words, phrases) ?? 0];
    if (kind !== undefined && kind !== 'beside') return { kind, language };
  }
  return undefined;
}
