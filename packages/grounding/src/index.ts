/**
 * `@knowledge-agent/grounding`: checks replies against passages, without a model. Needs ECMAScript
 * 2025 and web streams, not Node.
 */

import { type Judge, type Judged, type SourcePassage, settle, verdictsOf } from './judge.ts';
import { ReplyReader, type ReplySentence, replyUnits } from './reply-reader.ts';
import type { Reason } from './rules.ts';
import { createSentenceCheck, isSupportedSentence, toShown } from './sentence-check.ts';
import { cite, createLayout, isOpener, type Place } from './shown-sentence.ts';
import { insist, toEvidence } from './verify-sentences.ts';

export { type SentenceVerdict, verifySentences } from './verify-sentences.ts';
export type { Judge, Reason, SourcePassage };

/**
 * `language`: BCP 47 tag of passages that are too short to show their language; default `en`.
 * `judge`: decides what the rules for letters and figures let pass; default: the rules for words.
 */
export type ReplyOptions = Readonly<{ language?: string | undefined; judge?: Judge | undefined }>;
type Unjudged = ReplyOptions & { readonly judge?: undefined };
type JudgedBy = ReplyOptions & { readonly judge: Judge };
type Passages = readonly SourcePassage[];

type ReplySpan = Readonly<{ start: number; end: number }>;
type ReplyVerdict = Partial<ReplySpan> & {
  text: string;
  supported: boolean;
  score: number;
  reason?: Reason | 'judge';
  citations: readonly number[];
};

export type CheckedReply = Readonly<{
  /** The supported sentences; empty if all are unsupported. */
  text: string;
  /** Whether the reply has a supported sentence and no unsupported one, and was read to its end. */
  supported: boolean;
  /**
   * `text`: without marks; as the model wrote it if unsupported. `score`: 0 to 1; 1 is verbatim.
   * `citations`: indexes. Offsets are UTF-16 units of the reply; they are absent behind the tags of
   * a model's reasoning.
   */
  sentences: readonly Readonly<ReplyVerdict>[];
  /**
   * `index`: from 1, as in the marks. `passage`: position, from 0. `quote`: exactly
   * `passages[passage].text.slice(start, end)`.
   */
  citations: readonly (ReplySpan & Readonly<{ index: number; passage: number; quote: string }>)[];
}>;

/** Checks a reply that arrives in parts of any size. @throws as `checkReply` */
export class ReplyCheck {
  readonly #passages;
  readonly #evidence;
  readonly #check;
  readonly #judge;
  readonly #reader = new ReplyReader();
  readonly #render = createLayout();
  readonly #cited: Place[] = [];
  readonly #sentences: ReplyVerdict[] = [];
  #text = '';
  /** Whether a paragraph began since the last shown sentence. */
  #isNewParagraph = false;
  #isShown = false;

  constructor(passages: Passages, { language, judge }: ReplyOptions = {}) {
    insist(judge === undefined || typeof judge === 'function', 'judge must be a function.');
    this.#evidence = toEvidence(passages, undefined, language);
    this.#passages = [...passages];
    this.#judge = judge;
    this.#check = createSentenceCheck(this.#evidence, judge !== undefined);
  }

  /** @returns further text to show, by the rules only; empty while no sentence is complete */
  push(text: string): string {
    return this.#show(this.#read(text, false));
  }

  /** @returns the rest of the text to show, by the rules only */
  end(): string {
    return this.#show(this.#read(undefined, true));
  }

  /** As `push`, or without a text as `end`, but the judge decides. Wait for it before the next. */
  async judged(text?: string, isEnd = text === undefined): Promise<string> {
    const checked = this.#read(text, isEnd);
    return this.#show(checked, await verdictsOf(this.#judge, checked, this.#passages));
  }

  #read(text: string | undefined, isEnd: boolean): Judged[] {
    insist(text === undefined ? isEnd : typeof text === 'string', 'text must be a string.');
    const read = [...this.#reader.push(text ?? ''), ...(isEnd ? this.#reader.end() : [])];
    return read.map(this.#check);
  }

  #show(checked: readonly Judged[], verdicts: readonly (boolean | undefined)[] = []) {
    settle(checked, this.#evidence, verdicts);
    return checked.map(this.#take, this).join('');
  }

  get result(): CheckedReply {
    const citations = this.#cited.map(({ passage, ...place }, order) => {
      const span = this.#evidence[passage]?.plain.storedSpan(place.start, place.end) ?? place;
      const quote = this.#passages[passage]?.text.slice(span.start, span.end) ?? '';
      return { index: order + 1, passage, quote, ...span };
    });
    const isClean = this.#sentences.every(({ supported, text }) => supported || isOpener(text));
    const supported = this.#text !== '' && isClean && !this.#reader.isCut;
    return { text: this.#text, sentences: [...this.#sentences], citations, supported };
  }

  #take({ sentence, found, score }: Judged) {
    this.#isNewParagraph ||= sentence.startsParagraph === true;
    const follows = this.#isShown;
    this.#isShown = isSupportedSentence(found);
    if (!isSupportedSentence(found)) {
      const said = { text: sentence.text, supported: false, score, reason: found };
      this.#sentences.push({ ...said, ...sentence.span, citations: [] });
      return '';
    }
    const shown = toShown(found, follows);
    const citations = [...new Set(shown.places.map((place) => cite(this.#cited, place)))];
    const said = { text: shown.text, supported: true, score: found.score };
    this.#sentences.push({ ...said, ...sentence.span, citations });
    const startsParagraph = this.#isNewParagraph;
    this.#isNewParagraph = false;
    const passage = this.#evidence[shown.places[0]?.passage ?? 0]?.plain.text ?? '';
    const added = this.#render({ ...shown, indexes: citations, startsParagraph, passage });
    this.#text += added;
    return added;
  }
}

/**
 * Removes the sentences of a reply that no passage supports, and cites the passages of the others.
 * @param text reply in Markdown, at most 20,000 characters; `[1]` cites the first passage, and is
 * optional
 * @param options with a judge, the result is a promise
 * @throws TypeError if an argument has the wrong type @throws RangeError if `language` has no word
 * lists
 */
export function checkReply(text: string, passages: Passages, options?: Unjudged): CheckedReply;
export function checkReply(
  text: string,
  passages: Passages,
  options: JudgedBy,
): Promise<CheckedReply>;
export function checkReply(text: string, passages: Passages, options?: ReplyOptions) {
  const check = new ReplyCheck(passages, options);
  if (options?.judge) return check.judged(text, true).then(() => check.result);
  check.push(text);
  check.end();
  return check.result;
}

/**
 * Emits the text of `checkReply` while the reply streams in, also with a judge. `result` settles
 * when the stream ends; it rejects if the stream fails or is cancelled. @throws as `checkReply`
 */
export function createReplyStream(
  passages: Passages,
  options?: ReplyOptions,
): TransformStream<string, string> & { readonly result: Promise<CheckedReply> } {
  const check = new ReplyCheck(passages, options);
  const { promise: result, resolve, reject } = Promise.withResolvers<CheckedReply>();
  // A caller that reads only the text must not get an unhandled rejection.
  result.catch(() => undefined);
  type Shown = TransformStreamDefaultController<string>;
  async function show(shown: Shown, isEnd: boolean, chunk?: string) {
    const text = await check.judged(chunk, isEnd).catch((error: unknown) => {
      reject(error);
      throw error;
    });
    if (text !== '') shown.enqueue(text);
  }
  const stream = new TransformStream<string, string>({
    transform: (chunk, shown) => show(shown, false, chunk),
    flush: (shown) => show(shown, true).then(() => resolve(check.result)),
    cancel: reject,
  });
  return Object.assign(stream, { result });
}

/**
 * Splits Markdown into sentences, list items, table rows and code, each exactly `text.slice(start,
 * end)`. @throws TypeError
 */
export function splitSentences(
  text: string,
): { text: string; start: number; end: number; kind: ReplySentence['kind'] }[] {
  insist(typeof text === 'string', 'text must be a string.');
  return replyUnits(text).map((unit) => {
    const written = text.slice(unit.start, unit.end);
    const start = unit.start + written.length - written.trimStart().length;
    return { text: written.trim(), start, end: start + written.trim().length, kind: unit.kind };
  });
}
