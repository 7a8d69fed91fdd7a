/** Makes questions from headings, by word lists and templates (`lexicon/<language>/suggestions.txt`; the English one explains them). */
import { asksForInstructions, isAddressedToModel } from './addressed-to-model.ts';
import { withoutInvisible } from './invisible.ts';
import { fold, isPaired, type Language, languageOf } from './languages.ts';
import { lexiconGroups } from './lexicon.ts';
import { perLanguage } from './per-language.ts';
import { smallTalkOf } from './small-talk.ts';
import { contentWords, rawWords } from './tokens.ts';

export interface HeadingQuestion {
  readonly question: string;
  /** 0: the heading is a question; 1: how to do something; 2: a subject. Lower ranks read better. */
  readonly rank: number;
}

const maxChars = 100;
const maxWords = 14;
const maxTopicWords = 6;
const minTopicChars = 4;
/** Shorter headings are in the language of their document. */
const minDetectedWords = 4;

/** `set` gives `seting` and `setting`: only real words occur in headings. */
const gerunds = (verb: string): string[] => [`${verb.replace(/e$/, '')}ing`, `${verb}${verb.at(-1)}ing`];

const formsIn = perLanguage((language) => {
  const groups = lexiconGroups(language, 'suggestions');
  const list = (wanted: string) => groups.flatMap(({ name, sides }) => (name === wanted ? sides.flat() : []));
  const folded = (wanted: string) => list(wanted).map(fold);
  const [topic, steps, how, open = ''] = ['topic', 'steps', 'how', 'open'].map((name) => list(name)[0]);
  return {
    topic,
    steps,
    how,
    open,
    isVerbLast: list('last').length > 0,
    asking: folded('asking'),
    /** Form → verb. */
    verbs: new Map(
      folded('verbs')
        .concat(list('verbs'))
        .flatMap((verb) => [verb, ...(language === 'en' ? gerunds(verb) : [])].map((form) => [form, verb])),
    ),
    generic: new Set(folded('generic')),
    clause: new Set(folded('clause')),
    nouns: new Set(folded('nouns')),
    objects: new Set(folded('objects')),
    pointing: new Set(folded('pointing')),
    mine: new Map(list('mine').map((pair) => [pair.split('=')[0], pair.split('=')[1]])),
  };
});

/** Numbers of sections and questions, and the mark of a question. */
const numbering =
  /^(?:(?:q|f|p|d|question|frage|pregunta|domanda|pergunta|vraag|вопрос|問|问|질문)\s*\d{0,3}\s*[.:：)]|\d{1,3}(?:\.\d{1,3}){0,4}[.):]?(?=\s))\s*/iu;
/** Markup, code, addresses, long figures, dates. */
const unwanted = /[<>{}[\]|\\^*_~`#@=$…]|\/\/|\bwww\.|\.{2}|\w\(|[\p{L}\d]\.[a-z]{2,4}\b|\d{5}|\b\d{4}-\d\d|^[\P{L}]*$/iu;
const asks = /[?？]$/;
const isUnspaced = (language: Language) => language === 'ja' || language === 'zh';

/** Ends with the question mark of the language; in French after a space. */
function asQuestion(text: string, language: Language): string {
  const { open } = formsIn(language);
  const mark = isUnspaced(language) ? '？' : language === 'fr' ? ' ?' : '?';
  return `${text.startsWith(open) ? '' : open}${text.charAt(0).toUpperCase()}${text.slice(1).replace(/[\s?？]+$/, '')}${mark}`;
}

/** A question that names its subject: not `How does it work?` */
function isComplete(text: string, language: Language): boolean {
  const { pointing } = formsIn(language);
  const contents = contentWords(text, language).length;
  const isPointing = isUnspaced(language)
    ? [...pointing].some((word) => text.includes(word))
    : rawWords(text).some((word) => pointing.has(fold(word)));
  return contents > (isPointing ? 2 : 0);
}

/** The base form of the verb that a heading begins or ends with. German writes nouns such as `Löschen` with a capital. */
function verbIn(words: readonly string[], language: Language): string | undefined {
  const { verbs, nouns, objects, isVerbLast } = formsIn(language);
  const [first = '', second = ''] = words;
  if (isVerbLast) return verbs.get(words.at(-1) ?? '');
  return nouns.has(fold(first)) && !objects.has(fold(second)) ? undefined : verbs.get(fold(first));
}

/** `Reset your password`, `Resetting your password`, `How to reset your password`, `Passwort zurücksetzen`. */
function stepsQuestion(text: string, language: Language): string | undefined {
  const { steps, how, isVerbLast, mine } = formsIn(language);
  const isHow = how !== undefined && fold(text).startsWith(`${how} `);
  const task = isHow ? text.slice(how.length + 1) : text;
  const [first = '', ...others] = task.split(' ');
  const verb = isHow ? first : verbIn([first, ...others], language);
  if (!steps || verb === undefined || others.length === 0 || !isComplete(task, language)) return undefined;
  const begin = isVerbLast ? first : language === 'en' ? verb : first.toLowerCase();
  return steps.replace('{}', () => [begin, ...others].join(' ').replace(/\p{L}+/gu, (word) => mine.get(word) ?? word));
}

function topicQuestion(text: string, language: Language): string | undefined {
  const { topic, clause } = formsIn(language);
  const words = rawWords(text);
  const isClause = isUnspaced(language) ? [...clause].some((word) => text.includes(word)) : words.some((word) => clause.has(fold(word)));
  const isLong = isUnspaced(language) ? text.length > 4 * maxTopicWords : words.length > maxTopicWords || words.length < 2;
  if (!topic || isClause || isLong || text.length < minTopicChars || /[.!:;,，。！：；、]| [-–—] |(?<!\p{L})\p{Ll}+\p{Lu}/u.test(text))
    return undefined;
  return topic.replace('{}', () => text);
}

/** Neither markup nor an instruction, and about something. */
function isUsable(text: string, language: Language): boolean {
  const { generic } = formsIn(language);
  const words = rawWords(text);
  const isNothing = generic.has(fold(text.replace(/[?？!.]+$/, ''))) || words.every((word) => generic.has(fold(word)));
  const isForeign = language === 'en' && /[^\P{L}\p{Script=Latin}]/u.test(text);
  return (
    !isNothing && !isForeign && words.length <= maxWords && !isAddressedToModel(text) && !asksForInstructions(text) && !smallTalkOf(text)
  );
}

function readyQuestion(text: string, language: Language): string | undefined {
  const isAsking = formsIn(language).asking.some((words) => fold(text).startsWith(isUnspaced(language) ? words : `${words} `));
  if (!asks.test(text) && !isAsking) return undefined;
  const isWhole = isComplete(text, language) && (isUnspaced(language) || rawWords(text).length > 2);
  return isWhole ? asQuestion(text, language) : undefined;
}

/** @param heading plain text @returns undefined if no good question can be made from it */
export function headingQuestion(heading: string, textLanguage: Language): HeadingQuestion | undefined {
  const text = heading
    .replace(numbering, '')
    .replace(/\s*[:：]$/, '')
    .trim();
  if (text.length > maxChars || unwanted.test(text) || withoutInvisible(heading) !== heading) return undefined;
  const isUnclear = isPaired(textLanguage) || rawWords(text).length < minDetectedWords;
  const language = isUnclear ? textLanguage : languageOf(text, textLanguage);
  if (!isUsable(text, language)) return undefined;
  const steps = asks.test(text) ? undefined : stepsQuestion(text, language);
  const ready = steps === undefined ? readyQuestion(text, language) : undefined;
  const made = [ready, steps, asks.test(text) ? undefined : topicQuestion(text, language)];
  const rank = made.findIndex((question) => question !== undefined);
  return rank < 0 ? undefined : { question: made[rank] as string, rank };
}
