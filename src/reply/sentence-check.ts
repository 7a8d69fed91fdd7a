/**
 * One sentence of a reply against the passages of its request: which of them support it, and as what it may be shown. Images, HTML,
 * addresses and links that the passages do not bear never pass.
 */
import { once } from '../concurrency/once.ts';
import { minScore, type Place, type Reason } from '../grounding/judge.ts';
import { createVerifier, type Verified, type Verify } from '../grounding/verify-sentences.ts';
import type { TextSegment } from '../language/segments.ts';
import type { CheckedPassage } from './checked-passage.ts';
import type { ReplySentence } from './reply-reader.ts';

export interface SupportedSentence {
  readonly text: string;
  readonly score: number;
  /** Where it is supported, a place for each passage, in the plain text of the passages. */
  readonly places: readonly Place[];
  readonly kind: TextSegment['kind'];
  readonly marker: string | undefined;
  readonly continuesItem: boolean;
  /** Whether the passages are those that it points to. */
  readonly isAsNumbered: boolean;
  /** Passes the vetoes with a score that a model may overrule, either way: never without one that is asked. */
  readonly isUnsure: boolean;
  /** Remarks that the passages do not hold, and that were taken out. */
  readonly removed: readonly string[];
}

/**
 * Scores between which a model is asked: of 10,399 sentences with people's labels (the sets of bench/grounding-labelled.ts) 1,700 lie there
 * after the vetoes, 1,343 of them supported. About 515 of these the score alone is wrong: it keeps 187 that are unsupported and drops 328
 * that are supported. Above, 177 of 4,273 are unsupported; below, down to .2, two of three are.
 */
const leastScore = 0.35;
const sureScore = 0.85;

/** @returns why it is not supported where it is not */
export type CheckSentence = (sentence: ReplySentence) => SupportedSentence | Reason;

export const isSupportedSentence = (found: SupportedSentence | string): found is SupportedSentence => typeof found !== 'string';

/** What is unsure, without a model that decides it. */
export const isSupportedByScore = ({ score }: SupportedSentence): boolean => score >= minScore;

const link = /\[([^[\]]{1,300})\]\(\s*<?([^()<>\s]{0,2000}(?:\([^()]{0,300}\)[^()<>\s]{0,300})?)>?(?:\s+["'][^"']{0,300}["'])?\s*\)/g;
const withoutHash = (address: string) => address.replace(/#.*$/s, '');

/** A link leads to a source or is none: its text stays. */
function sourceLinksOnly(passages: readonly CheckedPassage[]): (text: string) => string {
  const sources = new Set(passages.flatMap(({ passage: { document } }) => (document.kind === 'url' ? [withoutHash(document.source)] : [])));
  return (text) => text.replace(link, (whole, label: string, target: string) => (sources.has(withoutHash(target)) ? whole : label));
}

const isShown = ({ reason, isVerbatim }: Verified, isCode: boolean) => reason === undefined && (isVerbatim || !isCode);

/** With the text of its links in their place, where a sentence is not supported as it stands. */
function verifyLinked(verify: Verify, text: string, pointed: readonly number[], isCode: boolean): Verified {
  const found = verify(text, pointed);
  return isShown(found, isCode) || !text.includes('](') ? found : verify(text.replace(link, '$1'), pointed);
}

/**
 * @param passages in the order in which the model saw them
 * @param mayAsk whether a model decides what is unsure
 */
export function createSentenceCheck(passages: readonly CheckedPassage[], mayAsk = false): CheckSentence {
  const evidence = passages.flatMap(({ sections }) => sections);
  const verify = createVerifier(evidence);
  const verifyLeast = once(() => createVerifier(evidence, leastScore));
  const withSourceLinks = sourceLinksOnly(passages);
  const isSure = ({ score, isVerbatim }: Verified) => isVerbatim || score >= sureScore;

  /** What a model may have a say in; else as it was found. */
  function findUnsure(found: Verified, text: string, pointed: readonly number[]): Verified {
    if (found.reason === 'score') return verifyLinked(verifyLeast(), text, pointed, false);
    if (found.reason !== undefined || isSure(found)) return found;
    // It may point to a passage that only nearly says what another one does.
    const anywhere = verifyLinked(verify, text, [], false);
    return anywhere.reason === undefined && isSure(anywhere) ? anywhere : found;
  }

  const check: CheckSentence = ({ text: written, parts, kind, marker, continuesItem = false }) => {
    const isCode = kind === 'code';
    const text = isCode ? written : withSourceLinks(written);
    const pointed = parts.flatMap(({ numbers }) => numbers.map((number) => number - 1));
    const alone = verifyLinked(verify, text, pointed, isCode);
    const { trimmed } = alone;
    if (trimmed && !isCode) {
      const numbers = parts.flatMap((part) => part.numbers);
      const rest = check({ text: trimmed.text, parts: [{ text: trimmed.text, numbers }], kind, marker, continuesItem });
      return isSupportedSentence(rest) ? { ...rest, removed: [...trimmed.removed, ...rest.removed] } : rest;
    }
    const found = mayAsk && !isCode ? findUnsure(alone, text, pointed) : alone;
    // Code is right as a whole or not at all.
    if (!isShown(found, isCode)) return found.reason ?? 'exact';
    const isUnsure = mayAsk && !isSure(found);
    return {
      text,
      score: found.score,
      places: found.places,
      kind,
      marker,
      continuesItem,
      isAsNumbered: found.isAsPointed,
      isUnsure,
      removed: [],
    };
  };
  return check;
}
