/**
 * Verifies sentences that a caller gives, for `knowledge-agent/grounding`. Judges every word of
 * them: unread text is never supported.
 */
import { languageOf } from '../../shared/src/language/languages.ts';
import { type Judge, type Judged, type SourcePassage, settle, verdictsOf } from './judge.ts';
import { toPlainPassage } from './plain-passage.ts';
import { asOneSentence, ReplyReader, saysNothing } from './reply-reader.ts';
import type { Reason } from './rules.ts';
import {
  createSentenceCheck,
  type EvidencePassage,
  isSupportedSentence,
} from './sentence-check.ts';
import { isOpener } from './shown-sentence.ts';

export type SentenceVerdict = Readonly<{
  supported: boolean;
  /** 0 to 1: how much of the sentence the passages state; 1 for verbatim sentences. */
  score: number;
  reason?: Reason | 'judge';
  /**
   * Positions of the supporting passages, from 0: one, or two if each states a part; empty if
   * unsupported.
   */
  passages: readonly number[];
}>;

/** Minimum length at which a passage's own text determines its language. */
const minLanguageChars = 300;

/** @throws TypeError */
export function insist(isRight: boolean, message: string): void {
  if (!isRight) throw new TypeError(message);
}

/**
 * @param said texts that show the language of short passages @param declared BCP 47 tag, if no text
 * shows it
 */
export function toEvidence(
  passages: readonly SourcePassage[],
  said?: readonly string[],
  declared?: string,
): EvidencePassage[] {
  insist(Array.isArray(passages), 'passages must be an array.');
  for (const [at, one] of passages.entries())
    insist(
      [one?.text, one?.title ?? '', one?.url ?? ''].every((part) => typeof part === 'string'),
      `passages[${at}].text must be a string, like its title and url.`,
    );
  if (declared !== undefined && languageOf('', declared) === 'other')
    throw new RangeError(`The language "${declared}" has no word lists.`);
  const sample = (said ?? passages.map(({ text }) => text)).join('\n');
  const usual = languageOf(sample, declared);
  return passages.map(({ text, title, url }, passage) => {
    const plain = toPlainPassage(text);
    const language = languageOf(
      text.length < minLanguageChars ? `${sample}\n${text}` : text,
      usual,
    );
    return {
      plain,
      sections: [{ text: plain.text, context: title ?? '', language, passage }],
      url: url ?? undefined,
    };
  });
}

/** Marks of lists, quotes, headings and code blocks at the start of a line. */
const lineMarks =
  /^\s*(?:(?:`{3,}|~{3,}).*$|(?:>\s?)*(?:(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?|#{1,6}\s+)?)/;

/**
 * Sentences, then lines that the reader does not yield: headings, labels, headers of tables, lists
 * of sources, reasoning between tags.
 */
function statementsIn(text: string) {
  const reader = new ReplyReader();
  const sentences = [...reader.push(text), ...reader.end()];
  const ends = [0, ...sentences.map(({ span }) => span?.end ?? 0)];
  const gaps = ends.map((end, order) => text.slice(end, sentences[order]?.span?.start));
  const unread = gaps
    .flatMap((gap) => gap.split('\n'))
    .map((line) => asOneSentence(line.replace(lineMarks, '')));
  return [...sentences, ...unread].filter(({ text: own }) => !saysNothing(own) && !isOpener(own));
}

/**
 * Checks for each text whether passages support all of its sentences. Local and deterministic.
 * @param sentences plain text or Markdown, each sentence of at most 1,200 characters; `[1]` cites
 * the first passage, and is optional
 * @param options with a judge, the result is a promise
 * @returns a verdict for each text, in order: the one on its first unsupported sentence, or the
 * lowest score
 * @throws TypeError if an argument has the wrong type
 */
export function verifySentences(
  sentences: readonly string[],
  passages: readonly SourcePassage[],
  options?: { readonly judge?: undefined },
): SentenceVerdict[];
export function verifySentences(
  sentences: readonly string[],
  passages: readonly SourcePassage[],
  options: { readonly judge?: Judge | undefined },
): SentenceVerdict[] | Promise<SentenceVerdict[]>;
export function verifySentences(
  sentences: readonly string[],
  passages: readonly SourcePassage[],
  { judge }: { readonly judge?: Judge | undefined } = {},
): SentenceVerdict[] | Promise<SentenceVerdict[]> {
  insist(
    Array.isArray(sentences) && sentences.every((one) => typeof one === 'string'),
    'sentences must be an array of strings.',
  );
  const evidence = toEvidence(passages, sentences);
  const check = createSentenceCheck(evidence, judge !== undefined, true);
  const checked: readonly Judged[][] = sentences.map((text) => statementsIn(text).map(check));
  const all = checked.flat();
  const settled = (verdicts: readonly (boolean | undefined)[] = []) => {
    settle(all, evidence, verdicts);
    return checked.map(verdictOn);
  };
  return judge ? verdictsOf(judge, all, passages).then(settled) : settled();
}

/** The verdict on a text: of its first unsupported sentence, else with the lowest score. */
function verdictOn(checked: readonly Judged[]): SentenceVerdict {
  for (const { found, score } of checked)
    if (!isSupportedSentence(found))
      return { supported: false, score, reason: found, passages: [] };
  const found = checked.map((one) => one.found).filter(isSupportedSentence);
  if (found.length === 0) return { supported: false, score: 0, reason: 'empty', passages: [] };
  const cited = found.flatMap(({ places }) => places.map(({ passage }) => passage));
  const score = Math.min(...found.map((one) => one.score));
  return { supported: true, score, passages: [...new Set(cited)] };
}
