/**
 * Detects messages that ask for a person instead of the assistant. Strict: every word of a sentence
 * must belong to such a request.
 */
import { perLanguage } from './per-language.ts';
import {
  type MessageLanguage,
  meaningsIn,
  messageLanguages,
  readPhrases,
  wordsOfTalk,
} from './small-talk.ts';

/** Parts of a request, see `lexicon/en/person-request.txt`. Small talk may surround them. */
type Part = 'beside' | 'want' | 'contact' | 'near' | 'person' | 'whole' | 'about';

/** Longer sentences tell a story or describe a case. */
const maxWords = 30;
const sentenceEnd = /[.!?;:\n。！？；：…]+/u;
const clauseEnd = /[,，、–—]|\s-+\s/u;
/** Quoted words are not the user's, and figures belong to another question. */
const notARequest = /["“”„«»「」『』`\p{N}@/\\]/u;

export const personPhrasesIn = perLanguage((language) => {
  const talk = readPhrases(language, 'small-talk', (name): Part | undefined =>
    name.startsWith('help') ? undefined : 'beside',
  );
  return new Map([...talk, ...readPhrases(language, 'person-request', (name) => name as Part)]);
});

const isComplete = (found: ReadonlySet<Part>) =>
  found.has('whole') || (found.has('person') && (found.has('contact') || found.has('want')));

function isRequest(words: readonly string[], phrases: ReadonlyMap<string, Part>) {
  const found = new Set<Part>();
  let isNear = false;
  for (const part of meaningsIn(words, phrases)) {
    if (part === undefined || (isNear && !['near', 'person', 'whole'].includes(part))) return false;
    if (part === 'about') return isComplete(found);
    found.add(part);
    isNear = part === 'near';
  }
  return !isNear && isComplete(found);
}

/** A request is a whole sentence, or its last clause. */
function asksIn(sentence: string, phrases: ReadonlyMap<string, Part>) {
  const clauses = sentence
    .split(clauseEnd)
    .map(wordsOfTalk)
    .filter(({ length }) => length > 0);
  const words = clauses.flat();
  return (
    words.length <= maxWords &&
    (isRequest(words, phrases) || isRequest(clauses.at(-1) ?? [], phrases))
  );
}

/**
 * Returns the language of the request; undefined if the message asks something else. @param message
 * without the mention of the agent
 */
export function personRequestIn(message: string): MessageLanguage | undefined {
  if (message.length > 1_000 || notARequest.test(message)) return undefined;
  const sentences = message.split(sentenceEnd);
  return messageLanguages.find((language) =>
    sentences.some((sentence) => asksIn(sentence, personPhrasesIn(language))),
  );
}
