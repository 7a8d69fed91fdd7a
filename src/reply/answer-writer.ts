/**
 * A model's reply → the answer that a caller reads, while it comes in: each sentence is checked against the passages of this request and
 * given on when it is supported, citations are numbered in the order of the text, `Sources:` is written at the end. What no passage
 * supports is left out; if nothing remains, the places that come closest stand for it, or the documents do not hold the answer.
 */
import type { Passage } from '../documents/document.ts';
import { areOne, type Place } from '../grounding/judge.ts';
import { maxItemChars } from '../language/segments.ts';
import type { QueryTerm } from '../search/search-engine.ts';
import {
  type Answer,
  type CheckedSentence,
  type Citation,
  closest,
  type DroppedReason,
  type DroppedSentence,
  excerptLines,
  type LeftOut,
  noAnswer,
  refusal,
  say,
  type Wording,
} from './answer.ts';
import { type CheckedPassage, toCheckedPassage } from './checked-passage.ts';
import { citationAt, closestPlaces } from './closest.ts';
import { askedUnit, isAskedMissing, repairsFor } from './repair.ts';
import { ReplyReader, type ReplySentence } from './reply-reader.ts';
import { asRead, type CheckSentence, createSentenceCheck, isSupportedSentence, type SupportedSentence } from './sentence-check.ts';
import { createLayout } from './shown-sentence.ts';
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

/** More repairs from one passage, one after the other, would be the passage instead of an answer. */
const maxRepairsInRow = 2;

type Found = ReturnType<CheckSentence> | DroppedReason;

interface QueuedSentence {
  readonly sentence: ReplySentence;
  found: Found;
}

type Span = Readonly<{ start: number; end: number }>;

const keyOf = ({ parts }: ReplySentence) => JSON.stringify(parts);
const isWaiting = (found: Found): found is SupportedSentence => isSupportedSentence(found) && found.isUnsure;
const overlap = (a: Span, b: Span) => a.start < b.end && b.start < a.end;

export class AnswerWriter {
  readonly #options: AnswerWriterOptions;
  readonly #checked: readonly CheckedPassage[];
  readonly #check: CheckSentence;
  readonly #reader = new ReplyReader();
  readonly #layOut = createLayout();
  readonly #sentences: CheckedSentence[] = [];
  /** Places in the order of the text; what follows one closely is part of it. The number of one is its position and 1. */
  readonly #cited: Place[] = [];
  /** Begins with one that waits, or is empty. */
  readonly #queue: QueuedSentence[] = [];
  #body = '';
  #examined = 0;
  #earlyLooks = 0;
  #dropped = 0;
  #repaired = 0;
  /** Repairs that follow one another, from one passage. */
  #repairs = { passage: -1, count: 0 };
  /** Sentences that count for the limit, and the characters of the last of them with what continues its list item. */
  #counted = { sentences: 0, chars: 0 };
  readonly #droppedSentences: DroppedSentence[] = [];
  readonly #lost: string[] = [];
  #isFirstLost = false;
  readonly #verbatim: Place[] = [];
  #previous: SupportedSentence | undefined;
  /** The last sentence that was looked at before the reader gave it out. */
  #early: { readonly key: string; readonly found: ReturnType<CheckSentence> } | undefined;

  constructor(options: AnswerWriterOptions) {
    this.#options = options;
    this.#checked = options.passages.map(toCheckedPassage);
    this.#check = createSentenceCheck(this.#checked, options.mayAsk);
  }

  /** @returns what can be shown now, to be put behind what was returned before */
  push(reply: string): string {
    return this.#takeAll(this.#reader.push(reply, (sentence) => this.#isWhole(sentence)));
  }

  /** The reply is over; what waits may still be decided. @returns what can be shown now */
  close(): string {
    return this.#takeAll(this.#reader.end());
  }

  /** Sentences that wait to be decided, in their order. */
  get waiting(): readonly UnsureClaim[] {
    return this.#queue.flatMap(({ found }) => (isWaiting(found) ? [this.#claim(found)] : []));
  }

  /** Decides what waits. @param verdicts in the order of `waiting`; without one the check decides @returns what can be shown now */
  resolve(verdicts: readonly (boolean | undefined)[]): string {
    const given = [...verdicts];
    for (const one of this.#queue) {
      const { found } = one;
      if (!isWaiting(found)) continue;
      const verdict = given.shift();
      if (verdict ?? found.reason === undefined) one.found = { ...found, isUnsure: false, reason: undefined };
      else one.found = verdict === false ? 'model' : (found.reason ?? 'score');
    }
    return this.#takeQueued();
  }

  /** The rest, and the whole. Without a verdict the check alone decides what still waits. */
  end(): { readonly rest: string; readonly answer: Answer } {
    const shown = this.close() + this.resolve([]);
    // A reply of which nothing is supported was about something in the passages; one that says that there is no answer was not.
    if (this.#body === '') return this.#dropped > 0 ? this.unsure() : this.#unanswered(this.#refusal);
    const added = this.#completed();
    const [more, reason] = added === undefined ? [this.#excerpts(), 'closest' as const] : [added, 'answered' as const];
    this.#body += more;
    const citations = this.#citations();
    const sources = `\n\nSources:\n${citations.map(({ index, passage }) => sourceLine(index, passage)).join('\n')}`;
    const answer = { text: `${this.#body}${sources}`, citations, sentences: this.#sentences, ...this.#leftOut };
    return { rest: `${shown}${more}${sources}`, answer: { reason, ...answer } };
  }

  /** What the asked fact adds if sentences were lost and it with them; undefined if no passage says it. */
  #completed(): string | undefined {
    const { question, asked = [] } = this.#options;
    if (question === undefined || asked.length === 0 || this.#lost.length + this.#repaired === 0) return '';
    const shown = this.#sentences.map(({ text }) => text);
    const remaining = { shown, dropped: this.#lost, isFirstDropped: this.#isFirstLost };
    if (!isAskedMissing({ text: question, asked }, remaining)) return '';
    const found = askedUnit(this.#checked, { text: question, asked }, remaining, (place) => this.#isShown(place));
    if (!found) return undefined;
    const { text, segment } = found.unit;
    const unit = this.#verbatimUnit(text, segment.kind, found.place);
    return unit && this.#show(asRead(unit, undefined, this.#checked));
  }

  /** Below what is shown: what comes closest to the part of the question that is not answered. */
  #excerpts(): string {
    const { asked = [], question } = this.#options;
    const places = closestPlaces(this.#checked, asked, question).filter((place) => !this.#isShown(place));
    const citations = places.flatMap((place) => this.#citation(place, this.#cite(place)));
    const told = citations.length === 0 ? say('refusal', this.#wording) : `${say('closest', this.#wording)}\n\n${excerptLines(citations)}`;
    return `\n\n${told}`;
  }

  /** In place of an answer: where the passages come closest to the question. */
  unsure(): { readonly rest: string; readonly answer: Answer } {
    const places = closestPlaces(this.#checked, this.#options.asked ?? [], this.#options.question);
    const citations = places.flatMap((place, order) => this.#citation(place, order + 1));
    return this.#unanswered(citations.length > 0 ? closest(citations, this.#wording, this.#leftOut) : this.#refusal);
  }

  get #refusal(): Answer {
    return refusal(this.#wording, this.#leftOut);
  }

  get #leftOut(): LeftOut {
    return { dropped: this.#dropped, repaired: this.#repaired, droppedSentences: this.#droppedSentences };
  }

  #unanswered(answer: Answer): { readonly rest: string; readonly answer: Answer } {
    return { rest: answer.text, answer };
  }

  get #wording(): Wording {
    const { language = 'en', own } = this.#options;
    return { language, own };
  }

  get #left(): number {
    return (this.#options.maxSentences ?? defaultMaxSentences) - this.#counted.sentences;
  }

  #citations(): Citation[] {
    return this.#cited.flatMap((place, order) => this.#citation(place, order + 1));
  }

  #citation(place: Place, index: number): Citation[] {
    const found = this.#checked[place.passage];
    return found ? [citationAt(found, place, index)] : [];
  }

  #claim({ text, places }: SupportedSentence): UnsureClaim {
    const passages = places.flatMap(({ passage }) => this.#checked[passage] ?? []);
    return { text, passages: passages.map(({ passage, plain }) => ({ label: passageLabelOf(passage), text: plain.text })) };
  }

  #takeAll(sentences: readonly ReplySentence[]): string {
    return sentences.map((sentence) => this.#enqueue(sentence)).join('');
  }

  #enqueue(sentence: ReplySentence): string {
    if ((this.#left <= 0 && !this.#fitsItem(sentence)) || this.#examined >= maxExaminedSentences) return this.#drop(sentence, 'limit');
    this.#examined++;
    const found = this.#early?.key === keyOf(sentence) ? this.#early.found : this.#check(sentence);
    this.#early = undefined;
    this.#queue.push({ sentence, found });
    return this.#takeQueued();
  }

  #takeQueued(): string {
    const until = this.#queue.findIndex(({ found }) => isWaiting(found));
    const added = this.#queue.splice(0, until < 0 ? this.#queue.length : until).map((one) => this.#take(one));
    this.#body += added.join('');
    return added.join('');
  }

  /** One that its passage does not support may still get the number of one that does. */
  #isWhole(sentence: ReplySentence): boolean {
    if (this.#left <= 0 || this.#earlyLooks >= maxExaminedSentences) return false;
    this.#earlyLooks++;
    this.#early = { key: keyOf(sentence), found: this.#check(sentence) };
    return isSupportedSentence(this.#early.found) && this.#early.found.isAsNumbered;
  }

  /** What tells nothing, and what says that there is no answer, is no sentence of one. */
  #drop({ text }: ReplySentence, reason: Exclude<Found, SupportedSentence>): '' {
    if (reason === 'empty' || text.includes(noAnswer)) return '';
    if (reason !== 'limit') this.#lose(text);
    this.#noteDropped(text, reason);
    return '';
  }

  #lose(text: string): void {
    if (this.#lost.length === 0 && this.#sentences.length === 0) this.#isFirstLost = true;
    this.#lost.push(text);
  }

  #noteDropped(text: string, reason: DroppedReason): void {
    if (reason !== 'limit') this.#dropped++;
    if (this.#droppedSentences.length < maxDropped) this.#droppedSentences.push({ text, reason });
  }

  /** A short list item counts as one sentence. */
  #fitsItem({ continuesItem = false, text }: ReplySentence): boolean {
    return continuesItem && this.#previous !== undefined && this.#counted.chars + text.length <= maxItemChars;
  }

  #take({ sentence, found: own }: QueuedSentence): string {
    if (this.#left <= 0 && !this.#fitsItem(sentence)) return this.#drop(sentence, 'limit');
    const found = isSupportedSentence(own) ? own : (this.#repair(sentence, own) ?? own);
    const previous = this.#previous;
    this.#previous = isSupportedSentence(found) ? found : undefined;
    if (!isSupportedSentence(found)) return this.#drop(sentence, found);
    if (!found.repaired) this.#repairs = { passage: -1, count: 0 };
    const shown = asRead(found, previous, this.#checked);
    return this.#sentences.some(({ text }) => text === shown.text) ? '' : this.#show(shown);
  }

  /** The unit of a cited passage that says what an unsupported sentence is about, if it was not shown yet. */
  #repair(sentence: ReplySentence, reason: DroppedReason | 'empty'): SupportedSentence | undefined {
    if (reason === 'empty' || reason === 'limit' || sentence.text.includes(noAnswer)) return undefined;
    const cited = new Set(sentence.parts.flatMap(({ numbers }) => numbers.map((number) => number - 1)));
    for (const unit of repairsFor(sentence, [...cited], this.#checked)) {
      // Another unit would be about something else.
      if (this.#isShown(unit.place)) return undefined;
      const shown = this.#verbatimUnit(unit.text, unit.kind, unit.place);
      if (!shown || this.#isRepairedEnough(unit.place)) continue;
      const { passage } = unit.place;
      this.#repairs = { passage, count: this.#repairs.passage === passage ? this.#repairs.count + 1 : 1 };
      this.#repaired++;
      const isItem = sentence.kind === 'item' && shown.kind === 'sentence';
      const as = isItem ? { kind: sentence.kind, marker: sentence.marker } : {};
      return { ...shown, ...as, repaired: { text: sentence.text, reason } };
    }
    return undefined;
  }

  #isRepairedEnough({ passage }: Place): boolean {
    return this.#repairs.passage === passage && this.#repairs.count >= maxRepairsInRow;
  }

  /** A unit of a passage as it may be shown, if it was not shown yet; an item is a sentence by itself. */
  #verbatimUnit(text: string, kind: ReplySentence['kind'], place: Place): SupportedSentence | undefined {
    if (this.#isShown(place)) return undefined;
    const found = this.#check({ text, parts: [{ text, numbers: [place.passage + 1] }], kind, marker: undefined });
    if (!isSupportedSentence(found) || found.score < 1) return undefined;
    return { ...found, kind: kind === 'item' ? 'sentence' : kind, places: [place] };
  }

  #isShown(place: Place): boolean {
    return this.#verbatim.some((shown) => shown.passage === place.passage && overlap(shown, place));
  }

  #show({ text, score, places, kind, marker, continuesItem, repaired }: SupportedSentence): string {
    const indexes = [...new Set(places.map((place) => this.#cite(place)))];
    if (score === 1) this.#verbatim.push(...places);
    this.#sentences.push({ text, score, index: indexes[0] ?? 0, ...(repaired && { repaired }) });
    const continued = continuesItem && this.#counted.chars + text.length <= maxItemChars ? this.#counted : undefined;
    this.#counted = {
      sentences: this.#counted.sentences + (continued ? 0 : 1),
      chars: (continued?.chars ?? 0) + text.length,
    };
    return this.#layOut({ text, indexes, kind, marker, continuesItem, passage: this.#checked[places[0]?.passage ?? 0]?.plain.text ?? '' });
  }

  /** @returns the number of the place, which may become part of one that was cited before */
  #cite(place: Place): number {
    const holds = (known: Place) => known.passage === place.passage && known.start <= place.start && known.end >= place.end;
    const joins = (known: Place) => areOne(known, place) && this.#sectionOf(known) === this.#sectionOf(place);
    const at = [this.#cited.findIndex(holds), this.#cited.findIndex(joins)].find((position) => position >= 0);
    const known = at === undefined ? undefined : this.#cited[at];
    if (at === undefined || !known) return this.#cited.push(place);
    this.#cited[at] = { ...known, start: Math.min(known.start, place.start), end: Math.max(known.end, place.end) };
    return at + 1;
  }

  #sectionOf({ passage, start }: Place): number | undefined {
    return this.#checked[passage]?.sections.findLast(({ section }) => (section?.start ?? 0) <= start)?.section?.start;
  }
}

/** Reads a reply for nobody: what a process compiles for the first one holds it for a tenth of a second. */
export function warmUpReplies(): void {
  const document = { id: '', namespace: '', file: '', title: 'Warm up', source: '', kind: 'text', revision: '', bytes: 0 } as const;
  const text = 'It takes 5 minutes to warm up.';
  const place = { chunkId: '', start: 0, end: text.length, headingPath: [], anchor: null, page: null, score: 1 };
  const writer = new AnswerWriter({ passages: [{ ...place, text, document: { ...document, textLanguage: 'en' } }] });
  writer.push('According to passage 1, warming up takes five minutes. [1] It takes 5 minutes to warm up. [1]');
  writer.end();
}
