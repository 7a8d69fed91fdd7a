/**
 * Scorers for Mastra's evals, of answers whose messages contain results of a search tool.
 * Deterministic unless a judge decides; they call no model themselves.
 */
import type { MastraDBMessage } from '@mastra/core/agent';
import { createScorer, notScorable } from '@mastra/core/evals';
import type { Judge } from '../../grounding/src/index.ts';
import {
  isRefusedReply,
  ReplyReader,
  type ReplySentence,
} from '../../grounding/src/reply-reader.ts';
import { verifySentences } from '../../grounding/src/verify-sentences.ts';
import { type FoundPassages, searchTools, toolUsesIn } from './found-passages.ts';

/** Coverage of the question from which a refusal counts as wrong, 0 to 1. */
const coveredFrom = 0.5;
const maxReasons = 5;

type ScoredReply = Required<FoundPassages> &
  Readonly<{
    isRefused: boolean;
    /** Whether it shows sections below their headings instead of sentences with citations. */
    isQuoted: boolean;
    sentences: readonly ReplySentence[];
    /** Lines below `Sources:` by their numbers. */
    sources: ReadonlyMap<number, string>;
  }>;

/**
 * Undefined for silence, for small talk, which is not searched, and for answers from other tools.
 */
const quotedSections = /^(?:[^\n[]{1,1000}\n\n)?\*\*[^\n]{1,1000}\*\*\n\n/;

function readReply(
  output: readonly MastraDBMessage[],
  tools: readonly string[],
): ScoredReply | undefined {
  const text =
    output.flatMap(({ content }) => content.parts).findLast((part) => part.type === 'text')?.text ??
    '';
  const uses = toolUsesIn(output);
  if (
    text.trim() === '' ||
    uses.length === 0 ||
    uses.some(({ toolName }) => !tools.includes(toolName))
  )
    return undefined;
  const found = uses.flatMap((use) =>
    use.state === 'result' ? [use.result as FoundPassages] : [],
  );
  const [body = '', list = ''] = text.split('\n\nSources:\n');
  const reader = new ReplyReader();
  const sources = [...list.matchAll(/^((?:\[\d{1,3}\])+) (.+)$/gm)].flatMap(
    ([, numbers = '', line = '']) =>
      [...numbers.matchAll(/\d+/g)].map(([number]) => [Number(number), line] as const),
  );
  return {
    isRefused: isRefusedReply(text),
    isQuoted: quotedSections.test(text),
    sentences: [...reader.push(body), ...reader.end()],
    sources: new Map(sources),
    results: found.flatMap(({ results }) => results),
    coverage: Math.max(0, ...found.map(({ coverage = 0 }) => coverage)),
  };
}

type Judgement = Readonly<{ score: number; reason: string }>;
type JudgeReply = (
  reply: ScoredReply,
  groundTruth: unknown,
) => Judgement | undefined | Promise<Judgement | undefined>;

/**
 * Tools whose results are the evidence; default `searchDocs` and `docsRetriever`. Answers from
 * others are not scored.
 */
type EvidenceTools = { readonly tools?: readonly string[] };
/** `judge`: decides what the rules for letters and figures let pass. */
type CheckOptions = EvidenceTools & { readonly judge?: Judge };

const createAnswerScorer = (
  id: string,
  description: string,
  { tools = searchTools }: EvidenceTools,
  judge: JudgeReply,
) =>
  createScorer({ id, description, type: 'agent' })
    .preprocess(async ({ run }) => {
      const reply = readReply(run.output, tools);
      return (
        (reply && (await judge(reply, run.groundTruth))) ??
        notScorable('the answer makes no statement from the documents')
      );
    })
    .generateScore(({ results }) => (results.preprocessStepResult as Judgement).score)
    .generateReason(({ results }) => (results.preprocessStepResult as Judgement).reason);

/** Undefined for refusals and quoted sections. @param problemOf undefined: the sentence is fine */
async function shareOf(
  { isRefused, isQuoted, sentences }: ScoredReply,
  problemOf: (sentence: ReplySentence) => Promise<string | undefined>,
): Promise<Judgement | undefined> {
  if (isRefused || isQuoted) return undefined;
  const found = await Promise.all(sentences.map(problemOf));
  const problems = found.filter((problem) => problem !== undefined);
  const good = sentences.length - problems.length;
  const reason = [
    `${good} of ${sentences.length} sentences pass.`,
    ...problems.slice(0, maxReasons),
  ].join('\n');
  return { score: good / Math.max(1, sentences.length), reason };
}

export const createGroundingScorer = (options: CheckOptions = {}) =>
  createAnswerScorer(
    'grounding',
    'Share of sentences that the found passages support.',
    options,
    (reply) =>
      shareOf(reply, async ({ text }) => {
        const [verdict] = await verifySentences([text], reply.results, options);
        return verdict?.supported ? undefined : `Unsupported (${verdict?.reason}): ${text}`;
      }),
  );

export const createCitationsScorer = (options: CheckOptions = {}) =>
  createAnswerScorer(
    'citations',
    'Share of sentences that cite a source that supports them.',
    options,
    (reply) =>
      shareOf(reply, async (sentence) => {
        const { text } = sentence;
        // A run of sentences with the same numbers has them once, at its end.
        const { numbers = [] } =
          reply.sentences
            .slice(reply.sentences.indexOf(sentence))
            .find((one) => one.numbers.length > 0) ?? {};
        const lines = numbers.map((number) => reply.sources.get(number));
        if (numbers.length === 0) return `Cites nothing: ${text}`;
        if (lines.includes(undefined)) return `Cites a source that is not listed: ${text}`;
        const cited = reply.results.filter(({ title, file, source }) =>
          lines.some((line) =>
            [title, file, source].some((name) => name !== '' && line?.includes(name)),
          ),
        );
        const [verdict] = await verifySentences([text], cited, options);
        return verdict?.supported ? undefined : `Its source does not support it: ${text}`;
      }),
  );

/**
 * Expects `groundTruth.answered`; by default, that an answer has sources, and that covered
 * questions are answered.
 */
export const createRefusalScorer = (options: EvidenceTools = {}) =>
  createAnswerScorer(
    'refusal',
    'Whether the agent refuses exactly what the documents do not answer.',
    options,
    (reply, groundTruth) => {
      const { isRefused, sources, coverage } = reply;
      const { answered = isRefused ? coverage >= coveredFrom : sources.size > 0 } = (groundTruth ??
        {}) as { readonly answered?: boolean };
      const reason = `${isRefused ? 'Refused' : 'Answered'}. The passages cover ${Math.round(coverage * 100)} % of the question.`;
      return { score: Number(answered !== isRefused), reason };
    },
  );
