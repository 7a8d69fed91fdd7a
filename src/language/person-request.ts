/** Detects messages that ask for a person instead of the assistant. Strict: every word of a sentence must belong to such a request. */
import { type MessageLanguage, messageLanguages, readPhrases, wordsOfTalk } from './small-talk.ts';

/** Parts of a request, see `lexicon/en/person-request.txt`. Small talk may surround them. */
const parts = ['beside', 'want', 'contact', 'near', 'person', 'whole', 'about'] as const;
type Part = (typeof parts)[number];
type Phrases = ReadonlyMap<string, Part>;

const maxPhraseWords = 16;
/** Longer sentences tell a story or describe a case. */
const maxWords = 30;
const sentenceEnd = /[.!?;:\n。！？；：…]+/u;
const clauseEnd = /[,，、–—]|\s-+\s/u;
/** Quoted words are not the user's, and figures belong to another question. */
const notARequest = /["“”„«»「」『』`\p{N}@/\\]/u;

const afterNear: ReadonlySet<Part> = new Set(['near', 'person', 'whole']);

let known: readonly (readonly [MessageLanguage, Phrases])[] | undefined;

const readAll = () =>
  messageLanguages.map((language) => {
    const talk = readPhrases(language, 'small-talk', (name): Part | undefined => (name.startsWith('help') ? undefined : 'beside'));
    const asked = readPhrases(language, 'person-request', (name) => parts.find((part) => part === name));
    return [language, new Map([...talk, ...asked])] as const;
  });

/** Splits words into the longest known phrases, as far as possible. */
function partsOf(words: readonly string[], phrases: Phrases): { readonly found: ReadonlySet<Part>; readonly isAll: boolean } {
  const found = new Set<Part>();
  let last: Part | undefined;
  for (let from = 0; from < words.length; ) {
    let to = Math.min(words.length, from + maxPhraseWords);
    while (to > from && !phrases.has(words.slice(from, to).join(' '))) to--;
    const part = phrases.get(words.slice(from, to).join(' '));
    if (part === undefined || (last === 'near' && !afterNear.has(part))) return { found, isAll: false };
    if (part === 'about' && isRequest(found)) break;
    found.add(part);
    last = part;
    from = to;
  }
  return { found, isAll: last !== 'near' };
}

const isRequest = (found: ReadonlySet<Part>): boolean =>
  found.has('whole') || (found.has('person') && (found.has('contact') || found.has('want')));

/** A request is a whole sentence, its last clause, or its first clause before small talk. */
function asksIn(sentence: string, phrases: Phrases): boolean {
  const clauses = sentence
    .split(clauseEnd)
    .map(wordsOfTalk)
    .filter(({ length }) => length > 0);
  if (clauses.flat().length > maxWords) return false;
  const read = [clauses.flat(), clauses.at(-1) ?? []].map((words) => partsOf(words, phrases));
  return read.some(({ found, isAll }) => isAll && !found.has('about') && isRequest(found));
}

/** Returns the language of the request; undefined if the message asks something else. @param message without the mention of the agent */
export function personRequestIn(message: string): MessageLanguage | undefined {
  if (message.length > 1_000 || notARequest.test(message)) return undefined;
  known ??= readAll();
  const sentences = message.split(sentenceEnd);
  return known.find(([, phrases]) => sentences.some((sentence) => asksIn(sentence, phrases)))?.[0];
}
