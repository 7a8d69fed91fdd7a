/**
 * A model's reply → the answer that a caller reads, while it comes in: each sentence is checked against the passages of this request and
 * given on when it is supported, citations are numbered in the order of the text, `Sources:` is written at the end. What no passage
 * supports is left out; if nothing remains, the documents do not hold the answer.
 */
import type { AskedWord, Snippet } from '../types.ts';
import { type Answer, type CheckedSentence, type Citation, refusal } from './answer.ts';
import { amountsOf, type Claim, findDisagreement } from './disagreement.ts';
import { createLayout } from './layout.ts';
import { createReplyReader, type ReplySentence } from './reply-reader.ts';
import { createSentenceCheck, type SupportedPart, type SupportedSentence, toCheckedPassage } from './sentence-check.ts';
import { sourceLine } from './sources.ts';
import { noAnswer } from './turn-prompt.ts';

export interface AnswerWriter {
  /** @returns what can be shown now, to be put behind what was returned before */
  push(reply: string): string;
  /** The rest, and the whole. */
  end(): { readonly rest: string; readonly answer: Answer };
}

export interface AnswerWriterOptions {
  /** In the order in which the model saw them. */
  readonly passages: readonly Snippet[];
  readonly namespace: string;
  /** The question's words as the search understood them: where passages disagree about them, the answer says so. */
  readonly asked?: readonly AskedWord[];
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
interface Told {
  readonly shown: readonly SupportedSentence[];
  readonly all: readonly Claim[];
}

const keyOf = ({ parts }: ReplySentence) => JSON.stringify(parts);
const overlap = (a: Span, b: Span) => a.start < b.end && b.start < a.end;

export function createAnswerWriter({
  passages,
  namespace,
  asked = [],
  maxSentences = defaultMaxSentences,
}: AnswerWriterOptions): AnswerWriter {
  const checked = passages.map(toCheckedPassage);
  const check = createSentenceCheck(checked);
  const reader = createReplyReader();
  const layOut = createLayout();
  /** Passage → its number, and the span that all its sentences need together. */
  const cited = new Map<number, { readonly index: number; span: Span }>();
  const sentences: CheckedSentence[] = [];
  let body = '';
  let examined = 0;
  let earlyLooks = 0;
  let dropped = 0;
  let told: Told | undefined;
  let isToldOf = false;
  /** The last sentence that was looked at before the reader gave it out. */
  let early: { readonly key: string; readonly found: SupportedSentence | undefined } | undefined;

  function cite({ text, position, support }: SupportedPart) {
    const known = cited.get(position);
    const span = known
      ? { start: Math.min(known.span.start, support.start), end: Math.max(known.span.end, support.end) }
      : { start: support.start, end: support.end };
    const index = known?.index ?? cited.size + 1;
    cited.set(position, { index, span });
    sentences.push({ text, index, score: support.score });
    return { text, index };
  }

  function show({ parts, kind, marker }: SupportedSentence): string {
    const position = parts[0]?.position ?? 0;
    return layOut({ parts: parts.map(cite), kind, marker, passage: checked[position]?.plain.text ?? '' });
  }

  /** The passages' own sentences that contradict each other, as they may be shown; none where there are not two. */
  function disagreement(): Told {
    const { claims, all } = findDisagreement(checked, asked);
    const shown = claims.flatMap(({ text, unit, position }): SupportedSentence[] => {
      const found = check({ text, parts: [{ text, numbers: [position + 1] }], kind: unit.kind, marker: unit.marker });
      return found ? [{ ...found, kind: 'item', marker: '-' }] : [];
    });
    return shown.length < 2 ? { shown: [], all: [] } : { shown, all };
  }

  /** One below the other, under a line that says so. */
  function showDisagreement({ shown: found }: Told): string {
    isToldOf = true;
    const before = body === '' ? '' : '\n\n';
    const shown = found.slice(0, Math.max(2, maxSentences - sentences.length));
    const list = shown.map(show).join('').trimStart();
    const numbers = shown.map(({ parts }) => `[${cited.get(parts[0]?.position ?? 0)?.index}]`).join('');
    return `${before}The documents give different figures ${numbers}, the newest first:\n\n${list}`;
  }

  /** Whether a sentence gives the figure of a claim. */
  const states = ({ parts }: SupportedSentence, { position, unit, amounts }: Claim) =>
    parts.some(
      (part) =>
        part.position === position &&
        overlap(part.support, unit) &&
        amountsOf(part.text).some((said) => amounts.some(({ kind, value }) => kind === said.kind && value === said.value)),
    );

  function take(sentence: ReplySentence): string {
    if (sentences.length >= maxSentences || examined >= maxExaminedSentences) return '';
    examined++;
    const found = early?.key === keyOf(sentence) ? early.found : check(sentence);
    early = undefined;
    if (!found) {
      if (!sentence.text.includes(noAnswer)) dropped++;
      return '';
    }
    const shown = found.parts.map(({ text }) => text).join(' ');
    if (sentences.some(({ text }) => text === shown)) return '';
    told ??= disagreement();
    if (!told.all.some((claim) => states(found, claim))) return show(found);
    return isToldOf ? '' : showDisagreement(told);
  }

  function citationsOf(): Citation[] {
    return [...cited].flatMap(([position, { index, span }]): Citation[] => {
      const passage = checked[position];
      if (!passage) return [];
      const { start, end } = passage.plain.storedSpan(span.start, span.end);
      const { snippet } = passage;
      return [{ index, snippet, quote: snippet.text.slice(start, end), start: snippet.start + start, end: snippet.start + end }];
    });
  }

  const takeAll = (found: readonly ReplySentence[]): string => {
    const added = found
      .map((sentence) => {
        const shown = take(sentence);
        body += shown;
        return shown;
      })
      .join('');
    return added;
  };

  return {
    push: (reply) =>
      takeAll(
        reader.push(reply, (sentence) => {
          if (sentences.length >= maxSentences || earlyLooks >= maxExaminedSentences) return false;
          earlyLooks++;
          early = { key: keyOf(sentence), found: check(sentence) };
          return early.found !== undefined;
        }),
      ),
    end() {
      const shown = takeAll(reader.end());
      if (body === '') {
        const answer = refusal(namespace, dropped);
        return { rest: answer.text, answer };
      }
      const citations = citationsOf();
      const sources = `\n\nSources:\n${citations.map(({ index, snippet }) => sourceLine(index, snippet)).join('\n')}`;
      return { rest: `${shown}${sources}`, answer: { reason: 'answered', text: `${body}${sources}`, citations, sentences, dropped } };
    },
  };
}
