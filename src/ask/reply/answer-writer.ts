/**
 * Turns a streamed reply of a model into the answer. Rules and, if there is one, a model check each
 * sentence against the passages; what fails is written again or left out. Numbers the citations and
 * appends `Sources:`. If no sentence remains, the answer shows sections of the documents or a
 * refusal.
 */

import { minShareUnjudged } from '../../../packages/grounding/src/judge.ts';
import {
  asOneSentence,
  ReplyReader,
  type ReplySentence,
} from '../../../packages/grounding/src/reply-reader.ts';
import { holdsLetters, type Place, placeIn } from '../../../packages/grounding/src/rules.ts';
import {
  createSentenceCheck,
  type DroppedReason,
  type DroppedSentence,
  isSupportedSentence,
  type SentenceOutcome,
  type SupportedSentence,
  toShown,
} from '../../../packages/grounding/src/sentence-check.ts';
import { cite, createLayout, isShowable } from '../../../packages/grounding/src/shown-sentence.ts';
import { maxItemChars } from '../../../packages/shared/src/language/segments.ts';
import { contentWords, terms } from '../../../packages/shared/src/language/tokens.ts';
import type { Passage } from '../../documents/document.ts';
import type { QueryTerm } from '../../search/search-engine.ts';
import { maxAnswerSentences } from '../prompt.ts';
import {
  beforeNumber,
  type CheckedSentence,
  citationsOf,
  closest,
  type LeftOut,
  noAnswer,
  refusal,
  sourceList,
  type Wording,
} from './answer.ts';
import { passageOfText, toCheckedPassage } from './checked-passage.ts';
import { announces } from './section-blocks.ts';
import { quotedSections } from './section-reply.ts';
import { SectionNumbers } from './sources.ts';

export type AnswerWriterOptions = Partial<Wording> &
  Readonly<{
    passages: readonly Passage[];
    asked?: readonly QueryTerm[];
    question?: string | undefined;
    maxSentences?: number;
    /** Whether a model checks sentences, so that they wait for it. */
    mayAsk?: boolean;
  }>;

/** A sentence for the model that checks. */
export interface Claim {
  readonly text: string;
  /** Numbers of passages, from 1. */
  readonly passages: readonly number[];
}

/** `passages`: numbers that the verdict names. */
export interface ClaimVerdict {
  readonly holds: boolean;
  readonly passages: readonly number[];
}

/** Shown beyond what the model was asked for. */
const maxMoreSentences = 3;
const maxExaminedSentences = 60;
const maxDropped = 20;
const maxClaimPassages = 3;

type Found = SentenceOutcome | DroppedReason;
/** Reasons of false sentences; others may only be in other words. */
const rejections = new Set<Found>(['model', 'figure', 'exact']);

interface QueuedSentence {
  readonly sentence: ReplySentence;
  found: Found;
  /** Waits for a verdict, or to be written again. */
  isOpen: boolean;
}

const nothingHeld = { numbers: '', withNumbers: '', without: '' };

const isUndecided = ({ isOpen, found }: QueuedSentence) =>
  isOpen && isSupportedSentence(found) && found.isUnsure;
const isFailed = (found: Found): found is DroppedReason =>
  !isSupportedSentence(found) && found !== 'empty' && found !== 'limit';

/**
 * Matches sentences about the documents, such as `The documents do not say how long it takes.` They
 * name no fact, so no passage can hold their words.
 */
const aboutDocuments =
  /\b(?:documents?|passages?|sources?|documentation|dokumente?n?|unterlagen|passagen?|quellen?|documentos?|pasajes?|fuentes?|documenti|passaggi|fonti|passagens|fontes|documenten|bronnen)\b|документ|источник|文書|資料|文档|文件|来源|문서|자료/iu;
/** What they do not say; other sentences with such a word are cited. */
const denies =
  /(?<!\p{L})(?:no|not|never|nothing|nowhere|neither|none|without|lacks?|nicht|nichts|kein\p{L}{0,2}|ne|pas|aucune?|rien|ni|nada|ning[uú]n\p{L}{0,2}|non|nessun\p{L}?|niente|nulla|n[ãa]o|nenhuma?|niet|niets|geen|не|нет|ничего)(?!\p{L})|n['’]|ない|ません|[不没未無无없않못]/iu;

export class AnswerWriter {
  readonly #options;
  readonly #checked;
  readonly #check;
  readonly #reader = new ReplyReader();
  readonly #render = createLayout();
  readonly #sentences: CheckedSentence[] = [];
  /** Cited places in order of citation; close places are merged. */
  readonly #cited: Place[] = [];
  readonly #numbers = new SectionNumbers();
  /** End of the last sentence, not shown yet: the next one may have the same numbers. */
  #held = nothingHeld;
  /** Sentences not shown yet. The first open one keeps the others, so that the order stays. */
  readonly #queue: QueuedSentence[] = [];
  #reply = '';
  #body = '';
  #examined = 0;
  #dropped = 0;
  #rewritten = 0;
  /** What decided the sentences that are not quotations. */
  readonly #deciders = new Set<'model' | 'rules'>();
  /**
   * Sentences counted toward the limit. `chars`: length of the last sentence, or of its whole list
   * item.
   */
  #counted = { sentences: 0, chars: 0 };
  readonly #droppedSentences: DroppedSentence[] = [];
  readonly #verbatim: Place[] = [];
  #isShown = false;
  /** Supported, but not shown before the next one. */
  readonly #waiting: QueuedSentence[] = [];
  /** Why what leads the next items is false. */
  #falseLead: Found | undefined;

  constructor(options: AnswerWriterOptions) {
    this.#options = options;
    this.#checked = options.passages.map(toCheckedPassage);
    this.#check = createSentenceCheck(this.#checked, options.mayAsk, false, options.language);
  }

  /** As the model wrote it. */
  get reply() {
    return this.#reply;
  }

  get shownSentences() {
    return this.#sentences.length;
  }

  /** @returns text to append to the shown answer */
  push(reply: string) {
    this.#reply += reply;
    return this.#reader.push(reply).map(this.#enqueue, this).join('');
  }

  /**
   * Ends the reply; the caller can still `resolve` and `rewrite` sentences. @returns text to append
   * to the shown answer
   */
  close() {
    return this.#reader.end().map(this.#enqueue, this).join('');
  }

  /** Sentences that wait for a verdict, in order. */
  get waiting() {
    return this.#queue.flatMap((one) => (isUndecided(one) ? [this.#claim(one)] : []));
  }

  /**
   * @param verdicts in the order of `waiting`; undefined: the rules decide @returns text to append
   * to the shown answer
   */
  resolve(verdicts: readonly (ClaimVerdict | undefined)[]) {
    const remaining = [...verdicts];
    for (const one of this.#queue) {
      if (!isUndecided(one)) continue;
      const verdict = remaining.shift();
      this.#deciders.add(verdict ? 'model' : 'rules');
      const found = one.found as SupportedSentence;
      if (verdict) one.found = verdict.holds ? this.#judged(one, verdict) : 'model';
      else if (found.reason !== undefined || found.score < minShareUnjudged) one.found = 'score';
      one.isOpen = isFailed(one.found);
    }
    return this.#takeQueued();
  }

  /** Sentences that failed and can be written again. `n`: position in the queue, from 1. */
  get failed() {
    return this.#queue.flatMap(({ sentence, found, isOpen }, at) =>
      isOpen && isFailed(found) ? [{ n: at + 1, text: sentence.text }] : [],
    );
  }

  /**
   * Replaces failed sentences, which are then checked as others are; a sentence without a new line
   * is left out. @param lines new sentences by `n` @returns text to append to the shown answer
   */
  rewrite(lines: ReadonlyMap<number, string>) {
    for (const [at, one] of this.#queue.entries()) {
      if (!one.isOpen || !isFailed(one.found)) continue;
      one.isOpen = false;
      const line = lines.get(at + 1)?.trim() ?? '';
      // A heading or a row is no sentence, nor is a list of sources.
      if (line === '' || !isShowable(line) || /^[#|]/.test(line)) continue;
      const own = one.sentence;
      const { kind, marker } = own;
      const sentence = { ...asOneSentence(line), ...(kind === 'item' && { kind, marker }) };
      const { found } = this.#check(sentence);
      if (!isSupportedSentence(found)) continue;
      const rewritten = { text: own.text, reason: one.found };
      this.#queue[at] = { sentence, found: { ...found, rewritten }, isOpen: found.isUnsure };
    }
    return this.#takeQueued();
  }

  /**
   * Ends the answer; the rules decide sentences that still wait. @returns the text not shown yet,
   * and the answer
   */
  end() {
    const early = this.close() + this.resolve([]);
    const shown = early + this.rewrite(new Map());
    if (this.#body === '') {
      const answer = this.#unanswered();
      return { rest: answer.text, answer };
    }
    const missing = this.#missingSection();
    const added = `${missing}${this.#held.withNumbers}`;
    this.#body += added;
    const citations = this.#citationsOf(this.#cited).toSorted((a, b) => a.index - b.index);
    const sources = sourceList(citations);
    const answer = {
      reason: 'answered' as const,
      text: `${this.#body}${sources}`,
      citations,
      sentences: this.#sentences,
      ...this.#leftOut,
      repaired: missing === '' ? 0 : 1,
    };
    return { rest: `${shown}${added}${sources}`, answer };
  }

  /** The best section, if no sentence that is left has a word of the question. */
  #missingSection() {
    const { question = '', passages } = this.#options;
    if (this.#dropped === 0 || question === '') return '';
    const shown = this.#sentences.map(({ text }) => text).join('\n');
    const isSaid = passages.some(({ document: { textLanguage }, text }) => {
      const held = new Set(terms(text, textLanguage));
      const said = new Set(terms(shown, textLanguage));
      return contentWords(question, textLanguage).some(
        ({ term }) => held.has(term) && said.has(term),
      );
    });
    const [section] = isSaid ? [] : this.#quoted;
    if (!section) return '';
    const numbers = `[${this.#cite(section.place)}]`;
    const end = `${beforeNumber(section.text)}${numbers}`;
    return this.#append(`\n\n${section.text}`, { numbers, withNumbers: end, without: '' });
  }

  get #quoted() {
    const { passages, asked = [], question = '' } = this.#options;
    return quotedSections(passages, asked, question, (place) => this.#holds(place));
  }

  /**
   * Dropped sentences suggest related passages, so the answer shows their sections. Otherwise, as
   * after NO_ANSWER, it is a refusal.
   */
  #unanswered() {
    const wording = { language: 'en' as const, ...this.#options };
    const sections = this.#dropped > 0 ? this.#quoted : [];
    return sections.length > 0
      ? closest(sections, this.#options.passages, wording, this.#leftOut)
      : refusal(wording, this.#leftOut);
  }

  get #leftOut(): LeftOut {
    const [decider = 'rules', other] = this.#deciders;
    return {
      dropped: this.#dropped,
      repaired: 0,
      rewritten: this.#rewritten,
      droppedSentences: this.#droppedSentences,
      checkedBy: other ? 'mixed' : decider,
    };
  }

  #citationsOf(places: readonly Place[]) {
    return citationsOf(places, this.#options.passages, this.#numbers);
  }

  /** Whether it says only what the documents do not say. */
  #isAboutDocuments({ sentence: { text, numbers }, found }: QueuedSentence) {
    const isBorne = isSupportedSentence(found) && found.reason === undefined;
    const isClaim = numbers.length > 0 || isBorne || /\p{Nd}/u.test(text);
    return !isClaim && aboutDocuments.test(text) && denies.test(text);
  }

  #claim(one: QueuedSentence) {
    const { text, places } = one.found as SupportedSentence;
    const all = this.#options.passages.map((_, at) => at + 1);
    if (this.#isAboutDocuments(one)) return { text, passages: all };
    const wanted = [...one.sentence.numbers, ...places.map(({ passage }) => passage + 1)].filter(
      (number) => all.includes(number),
    );
    const passages = [...new Set(wanted.length > 0 ? wanted : all)].slice(0, maxClaimPassages);
    return { text, passages };
  }

  /**
   * A sentence that the model bears out. It is cited where the verdict says, the rules say or the
   * reply says: the first of them that has its letters and figures.
   */
  #judged(one: QueuedSentence, { passages: named }: ClaimVerdict): Found {
    const found = { ...(one.found as SupportedSentence), isUnsure: false, isJudged: true } as const;
    if (this.#isAboutDocuments(one)) return { ...found, places: [], reason: undefined };
    const offered = this.#claim(one).passages;
    const isOffered = (number: number) => offered.includes(number);
    // If the verdict names none, the rules may have found another passage than the cited one.
    const borne = found.reason === undefined ? found.places.map(({ passage }) => passage + 1) : [];
    const given = [named, borne, one.sentence.numbers]
      .map((numbers) => numbers.filter(isOffered))
      .filter((numbers) => numbers.length > 0);
    const sectionsOf = (number: number) => this.#checked[number - 1]?.sections ?? [];
    const holds = (numbers: readonly number[]) =>
      holdsLetters(numbers.flatMap(sectionsOf), found.text, this.#options.language);
    const cited = (given.length > 0 ? given : [offered]).find(holds);
    if (!cited) return 'figure';
    const passage = cited.find((number) => holds([number])) ?? cited[0] ?? 1;
    const own = found.places.filter((place) => cited.includes(place.passage + 1));
    const places = own.length > 0 ? own : [placeIn(sectionsOf(passage), found.text) ?? []].flat();
    return { ...found, places, reason: undefined };
  }

  #enqueue(sentence: ReplySentence) {
    if (!this.#fits(sentence) || this.#examined >= maxExaminedSentences)
      return this.#drop(sentence, 'limit');
    this.#examined++;
    const { found } = this.#check(sentence);
    const isWaiting = isSupportedSentence(found) ? found.isUnsure : isFailed(found);
    const isOpen = this.#options.mayAsk === true && isWaiting && !sentence.text.includes(noAnswer);
    this.#queue.push({ sentence, found, isOpen });
    return this.#takeQueued();
  }

  #takeQueued() {
    const firstOpen = this.#queue.findIndex(({ isOpen }) => isOpen);
    const added = this.#queue
      .splice(0, firstOpen < 0 ? this.#queue.length : firstOpen)
      .map(this.#take, this)
      .join('');
    this.#body += added;
    return added;
  }

  /** Records a dropped sentence, except empty ones and NO_ANSWER. */
  #drop({ text }: ReplySentence, reason: Exclude<Found, SupportedSentence>): '' {
    if (reason === 'empty' || text.includes(noAnswer)) return '';
    if (reason !== 'limit') this.#dropped++;
    if (this.#droppedSentences.length < maxDropped) this.#droppedSentences.push({ text, reason });
    return '';
  }

  /**
   * Models count badly, and the last item of a list is not left out for the limit. A short item
   * counts as one sentence.
   */
  #fits({ continuesItem = false, text }: ReplySentence) {
    const { maxSentences = maxAnswerSentences } = this.#options;
    const { sentences, chars } = this.#counted;
    return (
      sentences < maxSentences + maxMoreSentences ||
      (continuesItem && this.#isShown && chars + text.length <= maxItemChars)
    );
  }

  /**
   * A sentence that ends with a colon waits for what it announces; one without a citation, for the
   * first that has one: what the documents do not say is no answer.
   */
  #take(one: QueuedSentence) {
    const { sentence, found } = one;
    const { kind, text } = sentence;
    const leadsOn = kind !== 'code' && announces.test(text.trim());
    // Without their lead, items would say the contrary: `Not included:`.
    // Code says the same behind a lead with a wrong figure.
    const isLed =
      kind !== 'sentence' && !leadsOn && (kind !== 'code' || this.#falseLead === 'model');
    if (isLed && this.#falseLead !== undefined) return this.#drop(sentence, 'model');
    this.#falseLead = leadsOn && rejections.has(found) ? found : undefined;
    if (!isSupportedSentence(found)) return this.#takeOne(one);
    const isUncited = this.#cited.length === 0 && found.places.length === 0;
    const isLead = sentence.kind !== 'code' && announces.test(found.text.trim());
    if (!isLead && !isUncited) return this.#takeWaiting() + this.#takeOne(one);
    const before = this.#cited.length > 0 ? this.#takeWaiting() : '';
    this.#waiting.push(one);
    return before;
  }

  #takeWaiting() {
    return this.#waiting.splice(0).map(this.#takeOne, this).join('');
  }

  #takeOne({ sentence, found }: QueuedSentence) {
    if (!this.#fits(sentence)) return this.#drop(sentence, 'limit');
    const follows = this.#isShown;
    this.#isShown = isSupportedSentence(found);
    if (!isSupportedSentence(found)) return this.#drop(sentence, found);
    if (found.rewritten) this.#rewritten++;
    const shown = toShown(found, follows);
    return this.#sentences.some(({ text }) => text === shown.text) ? '' : this.#show(shown);
  }

  /** Whether a shown sentence is all of the place. */
  #holds({ passage, start, end }: Place) {
    return this.#verbatim.some(
      (shown) => shown.passage === passage && shown.start <= start && end <= shown.end,
    );
  }

  #show(shown: SupportedSentence) {
    const { text, score, places, kind, rewritten } = shown;
    const indexes = [...new Set(places.map((place) => this.#cite(place)))];
    if (score === 1) this.#verbatim.push(...places);
    this.#sentences.push({ text, score, index: indexes[0] ?? 0, ...(rewritten && { rewritten }) });
    const { sentences, chars } = this.#counted;
    const isContinued = shown.continuesItem && chars + text.length <= maxItemChars;
    this.#counted = isContinued
      ? { sentences, chars: chars + text.length }
      : { sentences: sentences + 1, chars: text.length };
    const passage = this.#checked[places[0]?.passage ?? 0]?.plain.text ?? '';
    const added = this.#render({ ...shown, indexes, passage });
    const numbers = indexes.map((index) => `[${index}]`).join('');
    if (numbers === '') return this.#append(added, nothingHeld);
    const [before, after] = kind === 'code' ? ['\n', ''] : [' ', kind === 'row' ? ' |' : ''];
    const withNumbers = `${before}${numbers}${after}`;
    const held = { numbers, withNumbers, without: after };
    return this.#append(added.slice(0, -withNumbers.length), held);
  }

  /** Numbers stand once, at the end of a run of sentences that have the same. */
  #append(text: string, held: typeof nothingHeld) {
    const last = this.#held;
    this.#held = held;
    return `${last.numbers === held.numbers ? last.without : last.withNumbers}${text}`;
  }

  #cite(place: Place) {
    const order = cite(this.#cited, place, (one) => this.#sectionOf(one));
    const [citation] = this.#citationsOf([this.#cited[order - 1] ?? place]);
    return citation?.index ?? 0;
  }

  #sectionOf({ passage, start }: Place) {
    return this.#checked[passage]?.sections.findLast(
      ({ section }) => (section?.start ?? 0) <= start,
    )?.section?.start;
  }
}

/**
 * Processes a sample reply at startup, because compiling the code would block the first reply for
 * 0.1 s.
 */
export function warmUpReplies() {
  const document = { id: '', namespace: '', file: '', title: 'Warm up' };
  const writer = new AnswerWriter({
    passages: [passageOfText('It takes 5 minutes to warm up.', document)],
  });
  writer.push(
    'According to passage 1, warming up takes five minutes. [1] It takes 5 minutes to warm up. [1]',
  );
  writer.end();
}
