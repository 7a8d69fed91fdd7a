/**
 * Turns a streamed reply of a model into the answer. Checks each sentence against the passages,
 * repairs or removes unsupported ones, numbers the citations and appends `Sources:`. If no sentence
 * remains, the answer shows sections of the documents or a refusal.
 */

import type { Place } from '../../packages/grounding/src/judge.ts';
import { ReplyReader, type ReplySentence } from '../../packages/grounding/src/reply-reader.ts';
import {
  type CheckSentence,
  createSentenceCheck,
  type DroppedReason,
  type DroppedSentence,
  isSupportedSentence,
  type SentenceOutcome,
  type SupportedSentence,
  toShown,
} from '../../packages/grounding/src/sentence-check.ts';
import { cite, createLayout } from '../../packages/grounding/src/shown-sentence.ts';
import { maxItemChars } from '../../packages/shared/src/language/segments.ts';
import type { Passage } from '../documents/document.ts';
import type { QueryTerm } from '../search/search-engine.ts';
import {
  type Answer,
  type CheckedSentence,
  type Citation,
  citationAt,
  closest,
  handoffParagraph,
  type LeftOut,
  messageText,
  noAnswer,
  refusal,
  sectionLines,
  type Wording,
} from './answer.ts';
import { type CheckedPassage, toCheckedPassage } from './checked-passage.ts';
import { isAskedMissing, isFigureMissing, repairsFor, unitsLike } from './repair.ts';
import { quotedSections } from './section-reply.ts';
import { passageLabelOf, sourceLine } from './sources.ts';

export interface AnswerWriterOptions extends Partial<Wording> {
  readonly passages: readonly Passage[];
  readonly asked?: readonly QueryTerm[];
  readonly question?: string | undefined;
  readonly maxSentences?: number;
  readonly mayAsk?: boolean;
}

export interface UnsureClaim {
  readonly text: string;
  readonly passages: readonly { readonly label: string; readonly text: string }[];
}

export const defaultMaxSentences = 5;
const maxExaminedSentences = 60;

const maxDropped = 20;

/**
 * Maximum consecutive repairs from one passage. More would copy the passage instead of answering.
 */
const maxRepairsInRow = 2;

type Found = SentenceOutcome | DroppedReason;

interface QueuedSentence {
  readonly sentence: ReplySentence;
  found: Found;
}

type Span = Readonly<{ start: number; end: number }>;

const keyOf = ({ parts }: ReplySentence) => JSON.stringify(parts);
const isWaiting = (found: Found): found is SupportedSentence =>
  isSupportedSentence(found) && found.isUnsure;
const overlap = (a: Span, b: Span) => a.start < b.end && b.start < a.end;

export class AnswerWriter {
  readonly #options: AnswerWriterOptions;
  readonly #checked: readonly CheckedPassage[];
  readonly #check: CheckSentence;
  readonly #reader = new ReplyReader();
  readonly #render = createLayout();
  readonly #sentences: CheckedSentence[] = [];
  /**
   * Cited places in order of citation; close places are merged. The number of a citation is its
   * position + 1.
   */
  readonly #cited: Place[] = [];
  /** Sentences not shown yet. The first waits for a verdict; the others wait to keep the order. */
  readonly #queue: QueuedSentence[] = [];
  #body = '';
  #examined = 0;
  #earlyChecks = 0;
  #dropped = 0;
  #repaired = 0;
  #repairsInRow = { passage: -1, count: 0 };
  /**
   * Sentences counted toward the limit. `chars`: length of the last sentence, or of its whole list
   * item.
   */
  #counted = { sentences: 0, chars: 0 };
  readonly #droppedSentences: DroppedSentence[] = [];
  readonly #droppedTexts: string[] = [];
  #isFirstDropped = false;
  readonly #verbatim: Place[] = [];
  #previous: SupportedSentence | undefined;
  /** Result of the last sentence that was checked early, before the reader yielded it. */
  #checkedEarly: { readonly key: string; readonly found: SentenceOutcome } | undefined;

  constructor(options: AnswerWriterOptions) {
    this.#options = options;
    this.#checked = options.passages.map(toCheckedPassage);
    this.#check = createSentenceCheck(this.#checked, options.mayAsk);
  }

  /** @returns text to append to the shown answer */
  push(reply: string): string {
    return this.#addAll(
      this.#reader.push(reply, (sentence) => this.#isCompleteAtCitation(sentence)),
    );
  }

  /**
   * Ends the reply; the caller can still `resolve` waiting sentences. @returns text to append to
   * the shown answer
   */
  close(): string {
    return this.#addAll(this.#reader.end());
  }

  /** Sentences that wait for a verdict, in order. */
  get waiting(): readonly UnsureClaim[] {
    return this.#queue.flatMap(({ found }) => (isWaiting(found) ? [this.#claim(found)] : []));
  }

  /**
   * @param verdicts in the order of `waiting`; undefined: the check decides @returns text to append
   * to the shown answer
   */
  resolve(verdicts: readonly (boolean | undefined)[]): string {
    const remaining = [...verdicts];
    for (const one of this.#queue) {
      const { found } = one;
      if (!isWaiting(found)) continue;
      const verdict = remaining.shift();
      if (verdict ?? found.reason === undefined)
        one.found = { ...found, isUnsure: false, reason: undefined };
      else one.found = verdict === false ? 'model' : (found.reason ?? 'score');
    }
    return this.#takeQueued();
  }

  /**
   * Ends the answer; the check decides sentences that still wait. @returns the text not shown yet,
   * and the answer
   */
  end(): { readonly rest: string; readonly answer: Answer } {
    const shown = this.close() + this.resolve([]);
    // Dropped sentences suggest related passages, so the answer shows their sections.
    // Otherwise, as after NO_ANSWER, it is a refusal.
    if (this.#body === '')
      return this.#dropped > 0 ? this.unsure() : this.#unanswered(this.#refusal);
    const added = this.#completed();
    const [more, reason] =
      added === undefined ? [this.#sections(), 'closest' as const] : [added, 'answered' as const];
    this.#body += more;
    const citations = this.#citations();
    const sources = `\n\nSources:\n${citations.map(({ index, passage }) => sourceLine(index, passage)).join('\n')}`;
    const answer = {
      text: `${this.#body}${sources}`,
      citations,
      sentences: this.#sentences,
      ...this.#leftOut,
    };
    return { rest: `${shown}${more}${sources}`, answer: { reason, ...answer } };
  }

  /**
   * Adds the fact that the question asks for, if it was dropped. @returns undefined if no passage
   * states it
   */
  #completed(): string | undefined {
    const { question, asked = [] } = this.#options;
    if (
      question === undefined ||
      asked.length === 0 ||
      this.#droppedTexts.length + this.#repaired === 0
    )
      return '';
    const shown = this.#sentences.map(({ text }) => text);
    const remaining = { shown, dropped: this.#droppedTexts, isFirstDropped: this.#isFirstDropped };
    if (!isAskedMissing(remaining)) return '';
    const isFigureAsked = isFigureMissing(remaining);
    const found = unitsLike(question, [...this.#checked.keys()], this.#checked, undefined).find(
      ({ text }) => !isFigureAsked || /\p{N}/u.test(text),
    );
    if (found && this.#isShown(found.place)) return '';
    const unit = found && this.#verbatimUnit(found.text, found.kind, found.place);
    return unit && this.#show(toShown(unit, undefined, this.#checked));
  }

  get #quoted() {
    const { passages, asked = [], question = '' } = this.#options;
    return quotedSections(passages, asked, question, (place) => this.#holds(place));
  }

  /** Sections for the unanswered part of the question. */
  #sections(): string {
    const sections = this.#quoted;
    if (sections.length === 0)
      return `\n\n${messageText('refusal', this.#wording)}${handoffParagraph(this.#wording)}`;
    const numbered = sections.map(({ place, text }) => ({ text, index: this.#cite(place) }));
    return `\n\n${messageText('closest', this.#wording)}\n\n${sectionLines(numbered)}`;
  }

  unsure(): { readonly rest: string; readonly answer: Answer } {
    const sections = this.#quoted;
    return this.#unanswered(
      sections.length > 0
        ? closest(sections, this.#options.passages, this.#wording, this.#leftOut)
        : this.#refusal,
    );
  }

  get #refusal(): Answer {
    return refusal(this.#wording, this.#leftOut);
  }

  get #leftOut(): LeftOut {
    return {
      dropped: this.#dropped,
      repaired: this.#repaired,
      droppedSentences: this.#droppedSentences,
    };
  }

  #unanswered(answer: Answer): { readonly rest: string; readonly answer: Answer } {
    return { rest: answer.text, answer };
  }

  get #wording(): Wording {
    const { language = 'en', own, isHandedOff = false } = this.#options;
    return { language, own, isHandedOff };
  }

  get #limitLeft(): number {
    return (this.#options.maxSentences ?? defaultMaxSentences) - this.#counted.sentences;
  }

  #citations(): Citation[] {
    return this.#cited.flatMap((place, order) => this.#citation(place, order + 1));
  }

  #citation(place: Place, index: number): Citation[] {
    const passage = this.#options.passages[place.passage];
    return passage ? [citationAt(passage, place, index)] : [];
  }

  #claim({ text, places }: SupportedSentence): UnsureClaim {
    const passages = places.flatMap(({ passage }) => this.#checked[passage] ?? []);
    return {
      text,
      passages: passages.map(({ passage, plain }) => ({
        label: passageLabelOf(passage),
        text: plain.text,
      })),
    };
  }

  #addAll(sentences: readonly ReplySentence[]): string {
    return sentences.map((sentence) => this.#enqueue(sentence)).join('');
  }

  #enqueue(sentence: ReplySentence): string {
    if (
      (this.#limitLeft <= 0 && !this.#fitsItem(sentence)) ||
      this.#examined >= maxExaminedSentences
    )
      return this.#drop(sentence, 'limit');
    this.#examined++;
    const found =
      this.#checkedEarly?.key === keyOf(sentence)
        ? this.#checkedEarly.found
        : this.#check(sentence);
    this.#checkedEarly = undefined;
    this.#queue.push({ sentence, found });
    return this.#takeQueued();
  }

  #takeQueued(): string {
    const firstWaiting = this.#queue.findIndex(({ found }) => isWaiting(found));
    const added = this.#queue
      .splice(0, firstWaiting < 0 ? this.#queue.length : firstWaiting)
      .map((one) => this.#take(one));
    this.#body += added.join('');
    return added.join('');
  }

  /**
   * Whether a sentence can be shown at its first citation. If that passage does not support it, a
   * later citation may.
   */
  #isCompleteAtCitation(sentence: ReplySentence): boolean {
    if (this.#limitLeft <= 0 || this.#earlyChecks >= maxExaminedSentences) return false;
    this.#earlyChecks++;
    this.#checkedEarly = { key: keyOf(sentence), found: this.#check(sentence) };
    return isSupportedSentence(this.#checkedEarly.found) && this.#checkedEarly.found.isAsNumbered;
  }

  /** Records a dropped sentence, except empty ones and NO_ANSWER. */
  #drop({ text }: ReplySentence, reason: Exclude<Found, SupportedSentence>): '' {
    if (reason === 'empty' || text.includes(noAnswer)) return '';
    if (reason !== 'limit') this.#noteLost(text);
    this.#noteDropped(text, reason);
    return '';
  }

  #noteLost(text: string): void {
    if (this.#droppedTexts.length === 0 && this.#sentences.length === 0)
      this.#isFirstDropped = true;
    this.#droppedTexts.push(text);
  }

  #noteDropped(text: string, reason: DroppedReason): void {
    if (reason !== 'limit') this.#dropped++;
    if (this.#droppedSentences.length < maxDropped) this.#droppedSentences.push({ text, reason });
  }

  /** Whether the sentence continues a short list item, which counts as one sentence. */
  #fitsItem({ continuesItem = false, text }: ReplySentence): boolean {
    return (
      continuesItem &&
      this.#previous !== undefined &&
      this.#counted.chars + text.length <= maxItemChars
    );
  }

  #take({ sentence, found: own }: QueuedSentence): string {
    if (this.#limitLeft <= 0 && !this.#fitsItem(sentence)) return this.#drop(sentence, 'limit');
    const found = isSupportedSentence(own) ? own : (this.#repair(sentence, own) ?? own);
    const previous = this.#previous;
    this.#previous = isSupportedSentence(found) ? found : undefined;
    if (!isSupportedSentence(found)) return this.#drop(sentence, found);
    if (!found.repaired) this.#repairsInRow = { passage: -1, count: 0 };
    const shown = toShown(found, previous, this.#checked);
    return this.#sentences.some(({ text }) => text === shown.text) ? '' : this.#show(shown);
  }

  /**
   * Returns the unit of a cited passage that replaces an unsupported sentence, unless it was shown.
   */
  #repair(sentence: ReplySentence, reason: DroppedReason | 'empty'): SupportedSentence | undefined {
    if (reason === 'empty' || reason === 'limit' || sentence.text.includes(noAnswer))
      return undefined;
    const cited = new Set(
      sentence.parts.flatMap(({ numbers }) => numbers.map((number) => number - 1)),
    );
    for (const unit of repairsFor(sentence, [...cited], this.#checked)) {
      // If the best unit is already shown, the next ones do not match the sentence.
      if (this.#isShown(unit.place)) return undefined;
      const shown = this.#verbatimUnit(unit.text, unit.kind, unit.place);
      if (!shown || this.#hasMaxRepairs(unit.place)) continue;
      const { passage } = unit.place;
      this.#repairsInRow = {
        passage,
        count: this.#repairsInRow.passage === passage ? this.#repairsInRow.count + 1 : 1,
      };
      this.#repaired++;
      const isItem = sentence.kind === 'item' && shown.kind === 'sentence';
      const as = isItem ? { kind: sentence.kind, marker: sentence.marker } : {};
      return { ...shown, ...as, repaired: { text: sentence.text, reason } };
    }
    return undefined;
  }

  #hasMaxRepairs({ passage }: Place): boolean {
    return this.#repairsInRow.passage === passage && this.#repairsInRow.count >= maxRepairsInRow;
  }

  /**
   * Returns a passage's unit as a sentence of the answer; undefined if it was shown or is not
   * supported. List items become sentences.
   */
  #verbatimUnit(
    text: string,
    kind: ReplySentence['kind'],
    place: Place,
  ): SupportedSentence | undefined {
    if (this.#isShown(place)) return undefined;
    const found = this.#check({
      text,
      parts: [{ text, numbers: [place.passage + 1] }],
      kind,
      marker: undefined,
    });
    if (!isSupportedSentence(found) || found.score < 1) return undefined;
    return { ...found, kind: kind === 'item' ? 'sentence' : kind, places: [place] };
  }

  #isShown(place: Place): boolean {
    return this.#verbatim.some((shown) => shown.passage === place.passage && overlap(shown, place));
  }

  /** Whether a shown sentence is all of the place. */
  #holds({ passage, start, end }: Place): boolean {
    return this.#verbatim.some(
      (shown) => shown.passage === passage && shown.start <= start && end <= shown.end,
    );
  }

  #show({ text, score, places, kind, marker, continuesItem, repaired }: SupportedSentence): string {
    const indexes = [...new Set(places.map((place) => this.#cite(place)))];
    if (score === 1) this.#verbatim.push(...places);
    this.#sentences.push({ text, score, index: indexes[0] ?? 0, ...(repaired && { repaired }) });
    const continued =
      continuesItem && this.#counted.chars + text.length <= maxItemChars
        ? this.#counted
        : undefined;
    this.#counted = {
      sentences: this.#counted.sentences + (continued ? 0 : 1),
      chars: (continued?.chars ?? 0) + text.length,
    };
    return this.#render({
      text,
      indexes,
      kind,
      marker,
      continuesItem,
      passage: this.#checked[places[0]?.passage ?? 0]?.plain.text ?? '',
    });
  }

  #cite(place: Place): number {
    return cite(this.#cited, place, (one) => this.#sectionOf(one));
  }

  #sectionOf({ passage, start }: Place): number | undefined {
    return this.#checked[passage]?.sections.findLast(
      ({ section }) => (section?.start ?? 0) <= start,
    )?.section?.start;
  }
}

/**
 * Processes a sample reply at startup, because compiling the code would block the first reply for
 * 0.1 s.
 */
export function warmUpReplies(): void {
  const document = {
    id: '',
    namespace: '',
    file: '',
    title: 'Warm up',
    source: '',
    kind: 'text',
    revision: '',
    bytes: 0,
  } as const;
  const text = 'It takes 5 minutes to warm up.';
  const place = {
    chunkId: '',
    start: 0,
    end: text.length,
    headingPath: [],
    anchor: null,
    page: null,
    score: 1,
  };
  const writer = new AnswerWriter({
    passages: [{ ...place, text, document: { ...document, textLanguage: 'en' } }],
  });
  writer.push(
    'According to passage 1, warming up takes five minutes. [1] It takes 5 minutes to warm up. [1]',
  );
  writer.end();
}
