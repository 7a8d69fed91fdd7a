/**
 * Makes questions from headings, by word lists and templates (`suggestions` in `lexicon/`; the
 * English list explains them).
 */
import {
  asksForInstructions,
  isAddressedToModel,
} from '../../packages/shared/src/language/addressed-to-model.ts';
import { withoutInvisible } from '../../packages/shared/src/language/invisible.ts';
import { fold, type Language } from '../../packages/shared/src/language/languages.ts';
import { talkLexicon } from '../../packages/shared/src/language/lexicon/talk.ts';
import { entriesNamed, groupsIn } from '../../packages/shared/src/language/lexicon.ts';
import { perLanguage } from '../../packages/shared/src/language/per-language.ts';
import { smallTalkOf } from '../../packages/shared/src/language/small-talk.ts';
import { contentWords, rawWords } from '../../packages/shared/src/language/tokens.ts';

const maxChars = 100;
const maxWords = 14;

const formsIn = perLanguage((language) => {
  const groups = groupsIn(talkLexicon, language, 'suggestions');
  const list = (name: string) => entriesNamed(groups, name);
  const [steps, how, open = ''] = ['steps', 'how', 'open'].map((name) => list(name)[0]);
  const foldedSet = (name: string) => new Set(list(name).map(fold));
  // `set` gives `seting` and `setting`: only real words occur in headings.
  const formsOf = (verb: string) =>
    language === 'en'
      ? [verb, `${verb.replace(/e$/, '')}ing`, `${verb}${verb.at(-1)}ing`]
      : [verb, fold(verb)];
  return {
    steps,
    how,
    open,
    isVerbLast: list('last').length > 0,
    asking: list('asking').map(fold),
    /** Form → verb. */
    verbs: new Map(list('verbs').flatMap((verb) => formsOf(verb).map((form) => [form, verb]))),
    generic: foldedSet('generic'),
    nouns: foldedSet('nouns'),
    objects: foldedSet('objects'),
    pointing: foldedSet('pointing'),
    mine: new Map(list('mine').map((pair) => [pair.split('=')[0], pair.split('=')[1]])),
  };
});

/** Numbers of sections and questions, and the mark of a question. */
const numbering =
  /^(?:(?:q|f|p|d|question|frage|pregunta|domanda|pergunta|vraag|вопрос|問|问|질문)\s*\d{0,3}\s*[.:：)]|\d{1,3}(?:\.\d{1,3}){0,4}[.):]?(?=\s))\s*/iu;
/** Markup, code, addresses, long figures, dates. */
const unwanted =
  /[<>{}[\]|\\^*_~`#@=$…]|\/\/|\bwww\.|\.{2}|\w\(|[\p{L}\d]\.[a-z]{2,4}\b|\d{5}|\b\d{4}-\d\d|^[\P{L}]*$/iu;
const asks = /[?？]$/;
const isUnspaced = (language: Language) => language === 'ja' || language === 'zh';

/** Ends with the question mark of the language; in French after a space. */
function asQuestion(text: string, language: Language) {
  const { open } = formsIn(language);
  const mark = isUnspaced(language) ? '？' : language === 'fr' ? ' ?' : '?';
  return `${text.startsWith(open) ? '' : open}${text.charAt(0).toUpperCase()}${text.slice(1).replace(/[\s?？]+$/, '')}${mark}`;
}

const holdsWordOf = (text: string, words: ReadonlySet<string>, language: Language) =>
  isUnspaced(language)
    ? [...words].some((word) => text.includes(word))
    : rawWords(text).some((word) => words.has(fold(word)));

/** A question that names its subject: not `How does it work?` */
const isComplete = (text: string, language: Language) =>
  contentWords(text, language).length >
  (holdsWordOf(text, formsIn(language).pointing, language) ? 2 : 0);

/**
 * The base form of the verb that a heading begins or ends with. German writes nouns such as
 * `Löschen` with a capital.
 */
function verbIn(words: readonly string[], language: Language) {
  const { verbs, nouns, objects, isVerbLast } = formsIn(language);
  const [first = '', second = ''] = words;
  if (isVerbLast) return verbs.get(words.at(-1) ?? '');
  return nouns.has(fold(first)) && !objects.has(fold(second)) ? undefined : verbs.get(fold(first));
}

/**
 * `Reset your password`, `Resetting your password`, `How to reset your password`, `Passwort
 * zurücksetzen`.
 */
function stepsQuestion(text: string, language: Language) {
  const { steps, how, isVerbLast, mine } = formsIn(language);
  const isHow = how !== undefined && fold(text).startsWith(`${how} `);
  const task = isHow ? text.slice(how.length + 1) : text;
  const [first = '', ...others] = task.split(' ');
  const verb = isHow ? first : verbIn([first, ...others], language);
  if (!steps || verb === undefined || others.length === 0 || !isComplete(task, language))
    return undefined;
  const begin = isVerbLast ? first : language === 'en' ? verb : first.toLowerCase();
  return steps.replace('{}', () =>
    [begin, ...others].join(' ').replace(/\p{L}+/gu, (word) => mine.get(word) ?? word),
  );
}

/** Neither markup nor an instruction, and about something. */
function isUsable(text: string, language: Language) {
  const { generic } = formsIn(language);
  const words = rawWords(text);
  const isNothing = generic.has(fold(text)) || words.every((word) => generic.has(fold(word)));
  return (
    !isNothing &&
    words.length <= maxWords &&
    !isAddressedToModel(text) &&
    !asksForInstructions(text) &&
    !smallTalkOf(text)
  );
}

function readyQuestion(text: string, language: Language) {
  const isAsking = formsIn(language).asking.some((words) =>
    fold(text).startsWith(isUnspaced(language) ? words : `${words} `),
  );
  const isWhole = isComplete(text, language) && (isUnspaced(language) || rawWords(text).length > 2);
  return (asks.test(text) || isAsking) && isWhole ? asQuestion(text, language) : undefined;
}

/**
 * @param heading plain text @returns undefined if no good question can be made from it; `rank`: 0
 * if the heading is a question, 1 for how to do something; lower ranks read better
 */
export function headingQuestion(
  heading: string,
  language: Language,
): Readonly<{ question: string; rank: number }> | undefined {
  const text = heading
    .replace(numbering, '')
    .replace(/\s*[:：]$/, '')
    .trim();
  if (
    text.length > maxChars ||
    unwanted.test(text) ||
    withoutInvisible(heading) !== heading ||
    !isUsable(text, language)
  )
    return undefined;
  const ready = readyQuestion(text, language);
  if (ready !== undefined) return { question: ready, rank: 0 };
  const steps = asks.test(text) ? undefined : stepsQuestion(text, language);
  return steps ? { question: steps, rank: 1 } : undefined;
}
