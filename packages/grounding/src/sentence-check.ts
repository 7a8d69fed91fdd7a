/**
 * Checks a sentence of a reply against the passages. Images and HTML never pass; links pass only if
 * they lead to a source.
 */

import type { Language } from '../../shared/src/language/languages.ts';
import { codeIn } from '../../shared/src/language/quoted-code.ts';
import { withoutCodeSpans } from '../../shared/src/markdown/active-markup.ts';
import { asLine } from '../../shared/src/markdown/readable.ts';
import type { PlainPassage } from './plain-passage.ts';
import type { ReplySentence } from './reply-reader.ts';
import { createVerifier, type EvidenceText, type Reason } from './rules.ts';
import { isOpener, onItsOwn, type Place, shownAs, withoutYesOrNo } from './shown-sentence.ts';

/** A passage prepared for the check. */
export type EvidencePassage = Readonly<{
  plain: PlainPassage;
  /** Evidence per section. One section must support a sentence, or two together. */
  sections: readonly EvidenceText[];
  /** Address of the source. Sentences may link to it. */
  url?: string | undefined;
}>;

/**
 * Why a sentence is not shown. `model`: the model that checks rejected it; `limit`: the answer was
 * full; others: result of the rules.
 */
export type DroppedReason = Exclude<Reason, 'empty'> | 'model' | 'limit';

/** A sentence that is not shown, in the model's words: untrusted text. */
export type DroppedSentence = Readonly<{ text: string; reason: DroppedReason }>;

/** `header`: the model's, empty if no passage has its words. */
export type SupportedSentence = Pick<ReplySentence, 'text' | 'kind' | 'header'> &
  Readonly<{
    score: number;
    /** Supporting places, in the plain text of the passages. */
    places: readonly Place[];
    marker: string | undefined;
    continuesItem: boolean;
    /** Whether a model decides; without its verdict, the rules do. */
    isUnsure: boolean;
    /** Whether a model has decided that it holds, with its `Yes,` and `also`. */
    isJudged?: boolean;
    /** Why it is unsupported if no model accepts it. */
    reason: 'score' | undefined;
    /** The sentence that it replaces, which failed. */
    rewritten?: DroppedSentence;
  }>;

export type SentenceOutcome = SupportedSentence | Reason;
export interface Checked<Found = SentenceOutcome> {
  readonly sentence: ReplySentence;
  /** By the rules, also of an unsupported sentence. */
  readonly score: number;
  found: Found;
}
type CheckSentence = (sentence: ReplySentence) => Checked;

export const isSupportedSentence = (
  found: SupportedSentence | string,
): found is SupportedSentence => typeof found !== 'string';

const link =
  /\[([^[\]]{1,300})\]\(\s*<?([^()<>\s]{0,2000}(?:\([^()]{0,300}\)[^()<>\s]{0,300})?)>?(?:\s+["'][^"']{0,300}["'])?\s*\)/g;
const image = /\s?!\[[^[\]]{0,300}\]\([^()\n]{0,2000}\)/g;
/** Marks of which a reader sees something else: struck text, entities, a link that is not read. */
const unread =
  /~~(?=\S)|\]\(|&(?!(?:amp|lt|gt|quot|apos|nbsp|#39|#x27);)(?:[a-z]{2,30}|#x?[\da-f]{1,7});/i;
/** Bold marks within a figure, which a reader does not see. */
const boldInFigure = /(?<=\p{N})\*\*(?=[.,]?\p{N})/gu;
const withoutHash = (address: string) => address.replace(/#.*$/s, '');

/** Longer code is rejected, because it is compared line by line. */
const maxCodeChars = 1_200;
/** Comments that a model adds are not shown. */
const comments = /^[ \t]*(?:#|\/\/|--\s|;|<!--).*(?:\n|$)/gm;
/** Code of a passage is only text, whatever tags it has, unless it could end its fence. */
const fenceLine = /^\s*(?:`{3,}|~{3,})/m;

function checkCode(
  { text, numbers, marker }: ReplySentence,
  passages: readonly EvidencePassage[],
): SupportedSentence | Reason {
  if (text.length > maxCodeChars || fenceLine.test(text)) return 'markup';
  const pointed = numbers.map((number) => number - 1);
  const order = [...new Set([...pointed, ...passages.keys()])];
  const bare = text.replace(comments, '').trimEnd();
  const [found] = [text, bare].flatMap((code) =>
    order.flatMap((passage) => {
      const place = codeIn(passages[passage]?.plain.text ?? '', code);
      return place ? { code, place: { passage, ...place } } : [];
    }),
  );
  if (!found) return 'exact';
  const as = { kind: 'code', continuesItem: false, isUnsure: false, reason: undefined } as const;
  return { text: found.code, score: 1, places: [found.place], marker, ...as };
}

const sentenceEnd = /[.!?…。！？]["”’»」)*_]*$/;
/** What an item says depends on what leads it: `Not included:`. */
const isStatement = ({ kind, text }: ReplySentence) => kind === 'row' || sentenceEnd.test(text);
const openBox = /^[\s>]*(?:[-*+]|\d{1,9}[.)])\s+\[ \]/;
/** Whether a place is in the line of an open task, whose sentence begins with its box. */
const isOpenTask = (text: string, start: number) =>
  openBox.test(text.slice(text.lastIndexOf('\n', start - 1) + 1, start + '[ ]'.length));

/** A model decides a sentence if only its words can be against it. A `Yes.` alone has none. */
const isForModel = (text: string, reason?: Reason) =>
  text !== '' && (reason === undefined || reason === 'score' || isOpener(text));

/**
 * @param passages in the model's order @param mayAsk whether a model decides unsure sentences
 * @param keepsLinks whether links that lead to no source are checked, not removed
 * @param said language of sentences that do not show theirs; default: that of the passages
 */
export function createSentenceCheck(
  passages: readonly EvidencePassage[],
  mayAsk = false,
  keepsLinks = false,
  said?: Language,
): CheckSentence {
  const all = passages.flatMap(({ sections }) => sections);
  const verify = createVerifier(all, said);
  const sources = new Set(passages.map(({ url }) => url && withoutHash(url)));

  const isHeld = (header: string | undefined, pointed: readonly number[]) =>
    header !== undefined && verify(header, pointed).reason === undefined;

  /** Letters and figures are those that a reader sees: `2\.5` is 2.5, and `30**5` is 305. */
  function verifyShown(text: string, pointed: readonly number[]) {
    const written = verify(text, pointed);
    const shown = asLine(text).replace(boldInFigure, '');
    if (written.score === 1 || shown === text) return written;
    const seen = verify(shown, pointed);
    return seen.reason !== undefined && seen.reason !== 'score' ? seen : written;
  }

  /** Reads a sentence without links that lead to no source, else by the labels of its links. */
  function verifyLinked(written: string, pointed: readonly number[]) {
    const text = (written.replace(image, '') || written).replace(
      link,
      // A title is text that nothing checks; so is what follows a `#`.
      (_, label: string, target: string) => {
        if (keepsLinks) return `[${label}](${target})`;
        const address = withoutHash(target);
        return sources.has(address) ? `[${label}](${address})` : label;
      },
    );
    if (unread.test(withoutCodeSpans(text).replace(link, '')))
      return { text, reason: 'markup' as const, score: 0, places: [] };
    const whole = verifyShown(text, pointed);
    const isLinked = whole.reason !== undefined && !keepsLinks && text.includes('](');
    return { text, ...(isLinked ? verifyShown(text.replace(link, '$1'), pointed) : whole) };
  }

  return (sentence) => {
    const { numbers, kind, marker, header, continuesItem = false } = sentence;
    if (kind === 'code') return { sentence, score: 0, found: checkCode(sentence, passages) };
    const pointed = numbers.map((number) => number - 1);
    const { text, reason, score, places } = verifyLinked(sentence.text, pointed);
    const isWhole = score === 1 && isStatement(sentence);
    const isUnsure = mayAsk && !isWhole && isForModel(text, reason);
    if (reason !== undefined && !isUnsure) return { sentence, score, found: reason };
    // An open task keeps its box: it is not done.
    const isOpenBox = places.some(({ passage, start }) =>
      isOpenTask(passages[passage]?.plain.text ?? '', start),
    );
    const found: SupportedSentence = {
      text,
      score,
      places,
      ...(isOpenBox ? { kind: 'item', marker: '- [ ]' } : { kind, marker }),
      continuesItem,
      header: isHeld(header, pointed) ? header : header && '',
      isUnsure,
      reason: reason && 'score',
    };
    return { sentence, score, found };
  };
}

/** Prepares a supported sentence for showing. @param follows whether the one before it is shown */
export function toShown(sentence: SupportedSentence, follows: boolean): SupportedSentence {
  const { kind, text, score, isJudged = false } = sentence;
  const isProse = kind === 'sentence' || kind === 'item';
  const said = isProse && score < 1 && !isJudged ? withoutYesOrNo(text) : text;
  const line = shownAs(said, kind);
  return {
    ...sentence,
    text: isProse && !follows ? onItsOwn(line) : line,
    continuesItem: sentence.continuesItem && follows,
  };
}
