/**
 * A model's reply → the answer that a caller reads, while it comes in: each sentence is checked against the passages of this request and
 * given on when it is supported, citations are numbered in the order of the text, `Sources:` is written at the end. What no passage
 * supports is left out; if nothing remains, the documents do not hold the answer.
 */

import type { Passage } from '../documents/document.ts';
import type { Language } from '../language/languages.ts';
import type { QueryTerm } from '../search/search-engine.ts';
import { type Answer, type CheckedSentence, type Citation, noAnswer, refusal } from './answer.ts';
import { amountsOf, type Claim, findConflict } from './conflicts.ts';
import { createLayout } from './layout.ts';
import { say } from './messages.ts';
import { ReplyReader, type ReplySentence } from './reply-reader.ts';
import {
  type CheckedPassage,
  type CheckSentence,
  createSentenceCheck,
  type SupportedPart,
  type SupportedSentence,
  toCheckedPassage,
} from './sentence-check.ts';
import { leansOnBefore, onItsOwn, shownAs } from './shown-sentence.ts';
import { sourceLine } from './sources.ts';

export interface AnswerWriter {
  /** @returns what can be shown now, to be put behind what was returned before */
  push(reply: string): string;
  /** The rest, and the whole. */
  end(): { readonly rest: string; readonly answer: Answer };
}

export interface AnswerWriterOptions {
  /** In the order in which the model saw them. */
  readonly passages: readonly Passage[];
  readonly namespace: string;
  /** Of the question. */
  readonly language?: Language;
  /** The question's words as the search understood them: where passages disagree about them, the answer says so. */
  readonly asked?: readonly QueryTerm[];
  /** A longer reply is cut after this many supported sentences. */
  readonly maxSentences?: number;
}

export const defaultMaxSentences = 5;
const maxExaminedSentences = 60;

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Sentences of passages that contradict each other: those to be shown, and all that say one of them. */
interface ShownConflict {
  readonly shown: readonly SupportedSentence[];
  readonly all: readonly Claim[];
}

const noConflict: ShownConflict = { shown: [], all: [] };

const keyOf = ({ parts }: ReplySentence) => JSON.stringify(parts);
const overlap = (a: Span, b: Span) => a.start < b.end && b.start < a.end;

/** Numbers the passages that are cited in the order of the text. */
function createCitations(checked: readonly CheckedPassage[]) {
  /** Passage → its number, and the span that all its sentences need together. */
  const cited = new Map<number, { readonly index: number; readonly span: Span }>();
  return {
    /** @returns the number of the passage */
    cite({ position, support }: SupportedPart): number {
      const known = cited.get(position);
      const index = known?.index ?? cited.size + 1;
      const { start, end } = known?.span ?? support;
      cited.set(position, { index, span: { start: Math.min(start, support.start), end: Math.max(end, support.end) } });
      return index;
    },
    /** All, and the list of them below an answer. */
    sources() {
      const all = [...cited].flatMap(([position, { index, span }]): Citation[] => {
        const found = checked[position];
        if (!found) return [];
        const { plain, passage } = found;
        const { start, end } = plain.storedSpan(span.start, span.end);
        return [{ index, passage, quote: passage.text.slice(start, end), start: passage.start + start, end: passage.start + end }];
      });
      return { cited: all, sources: `\n\nSources:\n${all.map(({ index, passage }) => sourceLine(index, passage)).join('\n')}` };
    },
  };
}

/** Whether a sentence goes on from one that was not shown right before it. */
function dangles({ text, position, support }: SupportedPart, previous: SupportedSentence | undefined, passage: string): boolean {
  const last = previous?.parts.at(-1);
  if (!last) return true;
  // Where the model joins its sentences itself, the one before is the one that it means.
  if (leansOnBefore(text) && !leansOnBefore(passage.slice(support.start, support.end))) return false;
  return last.position !== position || passage.slice(last.support.end, support.start).trim() !== '' || last.support.end > support.start;
}

/** Whether a sentence gives the figure of a claim. */
const states = ({ parts }: SupportedSentence, { position, unit, amounts }: Claim): boolean =>
  parts.some(
    (part) =>
      part.position === position &&
      overlap(part.support, unit) &&
      amountsOf(part.text).some((said) => amounts.some(({ kind, value }) => kind === said.kind && value === said.value)),
  );

/** A sentence as its reader sees it. @param previous what the reply said right before, where it was supported */
function asRead(
  sentence: SupportedSentence,
  previous: SupportedSentence | undefined,
  checked: readonly CheckedPassage[],
): SupportedSentence {
  const { kind } = sentence;
  const isProse = kind === 'sentence' || kind === 'item';
  const parts = sentence.parts.map((part, order) => {
    const text = shownAs(part.text, kind);
    const leans = isProse && order === 0 && dangles(part, previous, checked[part.position]?.plain.text ?? '');
    return { ...part, text: leans ? onItsOwn(text) : text };
  });
  return { ...sentence, parts };
}

/** The passages' own sentences that contradict each other, as they may be shown; none where there are not two. */
function conflictOf(checked: readonly CheckedPassage[], asked: readonly QueryTerm[], check: CheckSentence): ShownConflict {
  const { claims, all } = findConflict(checked, asked);
  const shown = claims.flatMap(({ text, unit, position }): SupportedSentence[] => {
    const found = check({ text, parts: [{ text, numbers: [position + 1] }], kind: unit.kind, marker: unit.marker });
    return found ? [{ ...asRead(found, undefined, checked), kind: 'item', marker: '-' }] : [];
  });
  return shown.length < 2 ? noConflict : { shown, all };
}

/** Sentences one behind the other, with their citations. */
function createBody(checked: readonly CheckedPassage[]) {
  const citations = createCitations(checked);
  const layOut = createLayout();
  const sentences: CheckedSentence[] = [];

  /** @returns what it adds to the body */
  function show({ parts, kind, marker }: SupportedSentence): string {
    const cited = parts.map((part) => ({ text: part.text, index: citations.cite(part), score: part.support.score }));
    sentences.push(...cited);
    return layOut({ parts: cited, kind, marker, passage: checked[parts[0]?.position ?? 0]?.plain.text ?? '' });
  }

  /** What contradicts each other, one below the other under a line that says so. */
  function showConflict(shown: readonly SupportedSentence[], language: Language): string {
    const before = sentences.length === 0 ? '' : '\n\n';
    const list = shown.map(show).join('').trimStart();
    const numbers = shown.map(({ parts: [part] }) => (part ? `[${citations.cite(part)}]` : '')).join('');
    return `${before}${say('differ', language, { numbers })}\n\n${list}`;
  }

  return { sentences, citations, show, showConflict };
}

export function createAnswerWriter(options: AnswerWriterOptions): AnswerWriter {
  const { passages, namespace, language = 'en', asked = [], maxSentences = defaultMaxSentences } = options;
  const checked = passages.map(toCheckedPassage);
  const check = createSentenceCheck(checked);
  const reader = new ReplyReader();
  const { sentences, citations, show, showConflict } = createBody(checked);
  let body = '';
  let examined = 0;
  let earlyLooks = 0;
  let dropped = 0;
  let conflict: ShownConflict | undefined;
  let isConflictShown = false;
  /** What the reply said right before, where it was supported. */
  let previous: SupportedSentence | undefined;
  /** The last sentence that was looked at before the reader gave it out. */
  let early: { readonly key: string; readonly found: SupportedSentence | undefined } | undefined;

  /** What a supported sentence adds to the body; of passages that contradict each other all are shown at once, in its place. */
  function add(found: SupportedSentence, shown: SupportedSentence): string {
    const whole = shown.parts.map(({ text }) => text).join(' ');
    if (sentences.some(({ text }) => text === whole)) return '';
    conflict ??= conflictOf(checked, asked, check);
    if (!conflict.all.some((claim) => states(found, claim))) return show(shown);
    if (isConflictShown) return '';
    isConflictShown = true;
    return showConflict(conflict.shown.slice(0, Math.max(2, maxSentences - sentences.length)), language);
  }

  function take(sentence: ReplySentence): string {
    if (sentences.length >= maxSentences || examined >= maxExaminedSentences) return '';
    examined++;
    const found = early?.key === keyOf(sentence) ? early.found : check(sentence);
    early = undefined;
    const shown = found && asRead(found, previous, checked);
    previous = found;
    if (found && shown) return add(found, shown);
    if (!sentence.text.includes(noAnswer)) dropped++;
    return '';
  }

  function takeAll(found: readonly ReplySentence[]): string {
    const added = found.map(take).join('');
    body += added;
    return added;
  }

  /** One that its passage does not support may still get the number of one that does. */
  function decide(sentence: ReplySentence): boolean {
    if (sentences.length >= maxSentences || earlyLooks >= maxExaminedSentences) return false;
    earlyLooks++;
    early = { key: keyOf(sentence), found: check(sentence) };
    return early.found?.isAsNumbered === true;
  }

  return {
    push: (reply) => takeAll(reader.push(reply, decide)),
    end() {
      const shown = takeAll(reader.end());
      if (body === '') {
        const answer = refusal(namespace, language, dropped);
        return { rest: answer.text, answer };
      }
      const { cited, sources } = citations.sources();
      return {
        rest: `${shown}${sources}`,
        answer: { reason: 'answered', text: `${body}${sources}`, citations: cited, sentences, dropped },
      };
    },
  };
}
