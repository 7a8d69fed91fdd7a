/** A judge decides what words mean. Letters and figures stay with the rules. */
import { placeIn } from './rules.ts';
import {
  type Checked,
  type EvidencePassage,
  isSupportedSentence,
  type SentenceOutcome,
} from './sentence-check.ts';

/**
 * `text`: Markdown. `title` completes the evidence, but proves nothing. A reply may link to `url`.
 */
export type SourcePassage = Readonly<{
  text: string;
  title?: string | undefined;
  url?: string | undefined;
}>;

/**
 * Says for each sentence whether the passages bear it, usually by asking a model: true, false, or
 * undefined to leave it to the rules. `signal` aborts after 30 seconds; then the rules decide.
 */
export type Judge = (
  sentences: readonly string[],
  passages: readonly SourcePassage[],
  signal: AbortSignal,
) => Verdicts | PromiseLike<Verdicts>;
type Verdicts = readonly (boolean | undefined)[];

/** `found` is `judge` if a judge has rejected the sentence. */
export type Judged = Checked<SentenceOutcome | 'judge'>;

const maxJudgeMs = 30_000;
/** Share of words without the verdict of a judge that should have given one. */
export const minShareUnjudged = 0.8;

const isUnsure = ({ found }: Judged) => isSupportedSentence(found) && found.isUnsure;

/** Verdicts on unsure sentences; none if the judge throws, is late or returns another number. */
export async function verdictsOf(
  judge: Judge | undefined,
  checked: readonly Judged[],
  passages: readonly SourcePassage[],
): Promise<Verdicts> {
  const asked = checked.filter(isUnsure).map(({ sentence }) => sentence.text);
  if (!judge || asked.length === 0) return [];
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), maxJudgeMs);
  const aborted = new Promise<Verdicts>((resolve) =>
    late.signal.addEventListener('abort', () => resolve([])),
  );
  try {
    const verdicts = await Promise.race([judge(asked, passages, late.signal), aborted]);
    return verdicts.length === asked.length ? verdicts : [];
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}

/** Decides unsure sentences: by verdicts, else by the rules, which then want more of the words. */
export function settle(
  checked: readonly Judged[],
  evidence: readonly EvidencePassage[],
  verdicts: Verdicts = [],
): void {
  for (const [at, one] of checked.filter(isUnsure).entries()) {
    const { found, sentence } = one;
    if (!isSupportedSentence(found)) continue;
    const holds = verdicts[at];
    const isLow = found.reason !== undefined || found.score < minShareUnjudged;
    const [cited = 0] = sentence.numbers;
    const own = evidence[cited - 1]?.sections ?? [];
    const places = found.places.length > 0 ? found.places : [placeIn(own, found.text) ?? []].flat();
    const kept = { ...found, places, isUnsure: false, isJudged: holds === true, reason: undefined };
    if (holds === false) one.found = 'judge';
    else one.found = holds !== true && isLow ? 'score' : kept;
  }
}
