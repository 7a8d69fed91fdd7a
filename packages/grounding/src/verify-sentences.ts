/**
 * Verifies sentences that a caller gives, for `knowledge-agent/grounding`. Judges every word of
 * them: unread text is never supported.
 */
import { languageOf } from '../../shared/src/language/languages.ts';
import { toPlainPassage } from './plain-passage.ts';
import { asOneSentence, ReplyReader, type ReplySentence, saysNothing } from './reply-reader.ts';
import { createVerifier, type Reason, verdict } from './rules.ts';
import { checkCode, type EvidencePassage } from './sentence-check.ts';
import { isOpener } from './shown-sentence.ts';

/**
 * `text`: Markdown. `title` completes the evidence, but proves nothing. A reply may link to `url`.
 */
export type SourcePassage = Readonly<{
  text: string;
  title?: string | undefined;
  url?: string | undefined;
}>;

export interface SentenceVerdict {
  readonly supported: boolean;
  /** 0 to 1: how much of the sentence the passages state; 1 for verbatim sentences. */
  readonly score: number;
  readonly reason?: Reason;
  /**
   * Positions of the supporting passages, from 0: one, or two if each states a part; empty if
   * unsupported.
   */
  readonly passages: readonly number[];
}

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
function statementsIn(text: string): ReplySentence[] {
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
 * Checks for each text whether passages support all of its sentences. Local and deterministic; no
 * model is called.
 * @param sentences plain text or Markdown, each sentence of at most 1,200 characters; `[1]` cites
 * the first passage, and is optional
 * @returns a verdict for each text, in order: the one on its first unsupported sentence, or the
 * lowest score
 * @throws TypeError if an argument has the wrong type
 */
export function verifySentences(
  sentences: readonly string[],
  passages: readonly SourcePassage[],
): SentenceVerdict[] {
  insist(
    Array.isArray(sentences) && sentences.every((one) => typeof one === 'string'),
    'sentences must be an array of strings.',
  );
  const evidence = toEvidence(passages, sentences);
  const verify = createVerifier(evidence.flatMap(({ sections }) => sections));
  const verdictOn = (sentence: ReplySentence): SentenceVerdict => {
    const cited = sentence.numbers.map((number) => number - 1);
    const code = sentence.kind === 'code' ? checkCode(sentence, evidence) : undefined;
    const { reason, score, places } =
      typeof code === 'string' ? verdict(code) : (code ?? verify(sentence.text, cited));
    if (reason !== undefined) return { supported: false, score, reason, passages: [] };
    return { supported: true, score, passages: [...new Set(places.map(({ passage }) => passage))] };
  };
  return sentences.map((text) => {
    const verdicts = statementsIn(text).map(verdictOn);
    if (verdicts.length === 0) return { supported: false, score: 0, reason: 'empty', passages: [] };
    const cited = [...new Set(verdicts.flatMap((verdict) => verdict.passages))];
    const score = Math.min(...verdicts.map((verdict) => verdict.score));
    return (
      verdicts.find(({ supported }) => !supported) ?? { supported: true, score, passages: cited }
    );
  });
}
