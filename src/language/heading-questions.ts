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
  readonly rank: 0 | 1 | 2;
}

const maxChars = 100;
const maxWords = 14;
const maxTopicWords = 6;
const minTopicChars = 4;

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
    verbs: new Map(folded('verbs').flatMap((verb) => [verb, ...(language === 'en' ? gerunds(verb) : [])].map((form) => [form, verb]))),
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
  const { open = '' } = formsIn(language);
  const mark = isUnspaced(language) ? '？' : language === 'fr' ? ' ?' : '?';
  return `${text.startsWith(open) ? '' : open}${text.replace(/[\s?？]+$/, '')}${mark}`;
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

/** `Reset your password`, `Resetting your password`, `How to reset your password`, `Passwort zurücksetzen`. */
function stepsQuestion(text: string, language: Language): string | undefined {
  const { steps, how, verbs, nouns, objects, isVerbLast, mine } = formsIn(language);
  const isHow = how !== undefined && fold(text).startsWith(`${how} `);
  const task = isHow ? text.slice(how.length + 1) : text;
  const words = task.split(' ');
  const isNoun = nouns.has(fold(words[0] ?? '')) && !isHow && !objects.has(fold(words[1] ?? ''));
  const verb = isNoun
    ? undefined
    : (verbs.get(fold((isVerbLast ? words.at(-1) : words[0]) ?? '')) ?? (isHow ? fold(words[0] ?? '') : undefined));
  if (!steps || verb === undefined || words.length < 2 || !isComplete(task, language)) return undefined;
  const own = isVerbLast ? task : [isHow || language === 'en' ? verb : (words[0] ?? '').toLowerCase(), ...words.slice(1)].join(' ');
  return steps.replace('{}', () => own.replace(/\p{L}+/gu, (word) => mine.get(word) ?? word));
}

function topicQuestion(text: string, language: Language): string | undefined {
  const { topic, clause } = formsIn(language);
  const words = rawWords(text);
  const isClause = isUnspaced(language) ? [...clause].some((word) => text.includes(word)) : words.some((word) => clause.has(fold(word)));
  const isLong = isUnspaced(language) ? text.length > 4 * maxTopicWords : words.length > maxTopicWords || words.length < 2;
  if (!topic || isClause || isLong || text.length < minTopicChars || /[.!:;,，。！：；、]|(?<!\p{L})\p{Ll}+\p{Lu}/u.test(text))
    return undefined;
  return topic.replace('{}', () => text);
}

/** @param heading plain text @param textLanguage language of its document @returns undefined for headings from which no good question can be made */
export function headingQuestion(heading: string, textLanguage: Language): HeadingQuestion | undefined {
  const text = heading
    .replace(numbering, '')
    .replace(/\s*[:：]$/, '')
    .trim();
  if (text.length > maxChars || unwanted.test(text) || withoutInvisible(heading) !== heading) return undefined;
  const language = isPaired(textLanguage) ? textLanguage : languageOf(text, textLanguage);
  const forms = formsIn(language);
  if (language === 'en' && /[^\P{L}\p{Script=Latin}]/u.test(text)) return undefined;
  if (isAddressedToModel(text) || asksForInstructions(text) || smallTalkOf(text) || rawWords(text).length > maxWords) return undefined;
  if (forms.generic.has(fold(text.replace(/[?？!.]+$/, '')))) return undefined;
  const isAsking = forms.asking.some((words) => fold(text).startsWith(isUnspaced(language) ? words : `${words} `));
  const steps = stepsQuestion(text, language);
  if (asks.test(text) || (isAsking && !steps))
    return isComplete(text, language) && rawWords(text).length > (isUnspaced(language) ? 0 : 2)
      ? { question: asQuestion(text, language), rank: 0 }
      : undefined;
  if (steps) return { question: steps, rank: 1 };
  const topic = topicQuestion(text, language);
  return topic === undefined ? undefined : { question: topic, rank: 2 };
}
