/**
 * Checks a sentence of a reply against the passages. Images and HTML never pass; links pass only if
 * they lead to a source.
 */

import { segments, type TextSegment } from '../../shared/src/language/segments.ts';
import type { PlainPassage } from './plain-passage.ts';
import type { ReplySentence } from './reply-reader.ts';
import type { Place, Reason } from './rules.ts';
import {
  createVerifier,
  type EvidenceText,
  isOpener,
  type Verified,
  type Verify,
} from './rules.ts';
import {
  isShowableCode,
  leansOnBefore,
  onItsOwn,
  shownAs,
  withoutYesOrNo,
} from './shown-sentence.ts';

/** A passage prepared for the check. */
export interface EvidencePassage {
  readonly plain: PlainPassage;
  /** Evidence per section. One section must support a sentence, or two together. */
  readonly sections: readonly EvidenceText[];
  /** Address of the source. Sentences may link to it. */
  readonly url?: string | undefined;
}

/**
 * Why a sentence is not shown. `model`: the model that checks rejected it; `limit`: the answer was
 * full; others: result of the rules.
 */
export type DroppedReason = Exclude<Reason, 'empty'> | 'model' | 'limit';

/** A sentence that is not shown, in the model's words: untrusted text. */
export type DroppedSentence = Readonly<{ text: string; reason: DroppedReason }>;

type Span = Readonly<{ start: number; end: number }>;

interface Line extends Span {
  readonly text: string;
}

/** Matches blank lines and comments, which are not compared. */
const saysNothing = /^\s*(?:(?:#|\/\/|--\s|;|<!--).*)?$/;

/** Splits code into lines, with white space collapsed. */
function linesOf(code: string, from = 0): Line[] {
  let at = from;
  return code.split('\n').flatMap((line) => {
    const start = at;
    at += line.length + 1;
    return saysNothing.test(line)
      ? []
      : [
          {
            text: line.trim().replace(/\s+/g, ' '),
            start: start + line.search(/\S/),
            end: start + line.trimEnd().length,
          },
        ];
  });
}

function runIn(lines: readonly Line[], wanted: readonly Line[]): Span | undefined {
  const first = lines.findIndex((_, at) =>
    wanted.every(({ text }, order) => lines[at + order]?.text === text),
  );
  const [from, to] = [lines[first], lines[first + wanted.length - 1]];
  return from && to && { start: from.start, end: to.end };
}

/** Finds code in a text, not inside a longer word. */
function partOf(text: string, code: string): Span | undefined {
  for (let start = text.indexOf(code); start >= 0; start = text.indexOf(code, start + 1)) {
    const end = start + code.length;
    if (!/[\p{L}\p{N}_]/u.test(text.charAt(start - 1)) && !/[\p{L}\p{N}_]/u.test(text.charAt(end)))
      return { start, end };
  }
  return undefined;
}

const codeSpan = /`([^`\n]{1,500})`/g;

/** Finds consecutive lines of a code block, or a part of one line or code span. */
export function codeIn(passage: string, code: string): Span | undefined {
  const wanted = linesOf(code);
  if (wanted.length === 0) return undefined;
  const blocks = [...segments(passage)].filter(({ kind }) => kind === 'code');
  for (const { start, end } of blocks) {
    const run = runIn(linesOf(passage.slice(start, end), start), wanted);
    if (run) return run;
  }
  const [only, ...others] = wanted;
  if (!only || others.length > 0) return undefined;
  const spans = [...passage.matchAll(codeSpan)].map(({ 1: inner = '', index }) => ({
    start: index + 1,
    end: index + 1 + inner.length,
  }));
  for (const { start, end } of [...blocks, ...spans]) {
    const part = partOf(passage.slice(start, end), code.trim());
    if (part) return { start: start + part.start, end: start + part.end };
  }
  return undefined;
}

export interface SupportedSentence {
  readonly text: string;
  readonly score: number;
  /** Supporting places, in the plain text of the passages. */
  readonly places: readonly Place[];
  readonly kind: TextSegment['kind'];
  readonly marker: string | undefined;
  readonly continuesItem: boolean;
  /** Whether the passages that it cites support it. */
  readonly isAsNumbered: boolean;
  /** Whether a model decides; without its verdict, the rules do. */
  readonly isUnsure: boolean;
  /** Whether a model has decided that it holds, with its `Yes,` and `also`. */
  readonly isJudged?: boolean;
  /** Why it is unsupported if no model accepts it. */
  readonly reason: 'score' | undefined;
  /** The sentence that it replaces, which failed. */
  readonly rewritten?: DroppedSentence;
}

export type SentenceOutcome = SupportedSentence | Reason;
/** @param noted gets the score, also of an unsupported sentence */
export type CheckSentence = (sentence: ReplySentence, noted?: { score: number }) => SentenceOutcome;

export const isSupportedSentence = (
  found: SupportedSentence | string,
): found is SupportedSentence => typeof found !== 'string';

const link =
  /\[([^[\]]{1,300})\]\(\s*<?([^()<>\s]{0,2000}(?:\([^()]{0,300}\)[^()<>\s]{0,300})?)>?(?:\s+["'][^"']{0,300}["'])?\s*\)/g;
const withoutHash = (address: string) => address.replace(/#.*$/s, '');

/** Replaces each link by its label unless it leads to a source. */
function sourceLinksOnly(passages: readonly EvidencePassage[]): (text: string) => string {
  const sources = new Set(
    passages.flatMap(({ url }) => (url === undefined ? [] : [withoutHash(url)])),
  );
  return (text) =>
    text.replace(link, (whole, label: string, target: string) =>
      sources.has(withoutHash(target)) ? whole : label,
    );
}

/** Verifies a sentence. If it is unsupported, verifies it again without link addresses. */
function verifyLinked(verify: Verify, text: string, pointed: readonly number[]): Verified {
  const found = verify(text, pointed);
  return found.reason === undefined || !text.includes('](')
    ? found
    : verify(text.replace(link, '$1'), pointed);
}

/**
 * Whether a model may decide: the sentence is not verbatim, and only its words can be against it. A
 * `Yes.` alone has none.
 */
const isOpen = ({ reason, isVerbatim }: Verified, text: string): boolean =>
  !isVerbatim && (reason === undefined || reason === 'score' || isOpener(text));

/** Longer code is rejected, because it is compared line by line. */
const maxCodeChars = 1_200;

const bareLine = (line: string): string => line.replace(/^[\s>]+/, '').trimEnd();

/** Removes the comments that the passage does not have. */
function withoutNewComments(code: string, passage: string): string {
  const stored = new Set(['', ...passage.split('\n').map(bareLine)]);
  return code
    .split('\n')
    .filter((line) => !saysNothing.test(line) || stored.has(bareLine(line)))
    .join('\n')
    .trimEnd();
}

export function checkCode(
  { text, numbers, marker }: ReplySentence,
  passages: readonly EvidencePassage[],
): SupportedSentence | Reason {
  if (text.length > maxCodeChars || !isShowableCode(text)) return 'markup';
  const pointed = numbers.map((number) => number - 1);
  for (const passage of new Set([...pointed, ...passages.keys()])) {
    const stored = passages[passage]?.plain.text ?? '';
    const found = codeIn(stored, text);
    if (!found) continue;
    const places = [{ passage, ...found }];
    const isAsNumbered = pointed.includes(passage);
    return {
      text: withoutNewComments(text, stored),
      score: 1,
      places,
      kind: 'code',
      marker,
      continuesItem: false,
      isAsNumbered,
      isUnsure: false,
      reason: undefined,
    };
  }
  return 'exact';
}

/**
 * @param passages in the model's order @param mayAsk whether a model decides unsure sentences
 */
export function createSentenceCheck(
  passages: readonly EvidencePassage[],
  mayAsk = false,
): CheckSentence {
  const verify = createVerifier(passages.flatMap(({ sections }) => sections));
  const withSourceLinks = sourceLinksOnly(passages);

  return (sentence, noted) => {
    const { text: written, numbers, kind, marker, continuesItem = false } = sentence;
    if (kind === 'code') return checkCode(sentence, passages);
    const text = withSourceLinks(written);
    const pointed = numbers.map((number) => number - 1);
    const found = verifyLinked(verify, text, pointed);
    const { reason, score, places } = found;
    if (noted) noted.score = score;
    const isUnsure = mayAsk && text !== '' && isOpen(found, text);
    if (reason !== undefined && !isUnsure) return reason;
    return {
      text,
      score,
      places,
      kind,
      marker,
      continuesItem,
      isAsNumbered: found.isAsPointed,
      isUnsure,
      reason: isUnsure && reason !== undefined ? 'score' : undefined,
    };
  };
}

/** Whether a sentence continues one that is not shown right before it. */
function dangles(
  { text, places: [first] }: SupportedSentence,
  previous: SupportedSentence | undefined,
  passage: string,
): boolean {
  const last = previous?.places.at(-1);
  if (!last || !first) return true;
  // A joining word that only the model wrote refers to the model's previous sentence.
  if (leansOnBefore(text) && !leansOnBefore(passage.slice(first.start, first.end))) return false;
  return (
    last.passage !== first.passage ||
    passage.slice(last.end, first.start).trim() !== '' ||
    last.end > first.start
  );
}

/** Prepares a supported sentence for showing. @param previous sentence shown right before it */
export function toShown(
  sentence: SupportedSentence,
  previous: SupportedSentence | undefined,
  checked: readonly EvidencePassage[],
): SupportedSentence {
  const { kind, places, isJudged = false } = sentence;
  const isProse = kind === 'sentence' || kind === 'item';
  const isVerbatim = sentence.score === 1;
  const text = shownAs(
    isProse && !isVerbatim && !isJudged ? withoutYesOrNo(sentence.text) : sentence.text,
    kind,
  );
  const leans =
    isProse &&
    !(isJudged && previous) &&
    dangles(sentence, previous, checked[places[0]?.passage ?? 0]?.plain.text ?? '');
  return {
    ...sentence,
    text: leans ? onItsOwn(text) : text,
    continuesItem: sentence.continuesItem && previous !== undefined,
  };
}
