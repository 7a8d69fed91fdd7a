/**
 * Requests of an answer beside its reply: queries for the search, verdicts about sentences, failed
 * sentences written again. A request that fails, is late or cannot be read changes nothing but its
 * own purpose. No reply reaches a reader unchecked.
 */
import type { LanguageModelV4, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { RequestContext } from '@mastra/core/request-context';
import type { RequestMade } from '../answers/answer-log.ts';
import {
  type PromptPassage,
  renderCheck,
  renderPair,
  renderQueries,
  renderRewrite,
} from '../app/ask/prompt.ts';
import type { TokenBudget } from '../app/ask/token-budget.ts';
import type { Turn } from '../app/ask/turn.ts';
import type { Claim, ClaimVerdict } from '../reply/answer-writer.ts';
import { plainPassageOf } from '../reply/checked-passage.ts';
import { passageLabelOf } from '../reply/sources.ts';
import { lifetimeOf, modelUseOf, signalOfRequest } from './agent-runner.ts';
import { charsOf, charsPerToken, failureIn, type ModelCall } from './model-call.ts';
import type { ModelChain } from './model-chain.ts';
import {
  maxQueries,
  readNewLines,
  readQueries,
  readVerdict,
  readVerdicts,
  type WrittenQueries,
  withoutThinking,
} from './model-replies.ts';
import { canJudge, probeClaims } from './probe.ts';
import { describeFailure } from './provider-failure.ts';

/** Milliseconds. */
const searchMs = 4_000;
const [firstCheckMs, secondCheckMs] = [8_000, 6_000];
const rewriteMs = 15_000;
/** No sentence is written again later, so that an answer ends within a minute. */
const rewriteUntilMs = 25_000;
const maxRequests = 5;
const maxClaims = 6;
const [maxQueryChars, maxVerdictChars, maxRewriteChars] = [600, 60, 4_000];
const maxReadChars = 100_000;
/** Under this share of what was sent, the server has cut the prompt. */
const minShareRead = 0.6;
/** Some servers report a constant. */
const minPlausibleTokens = 200;

/** Models trained on one document and one claim. */
const pairwiseModels = /minicheck/i;

export interface ModelRequestsOptions {
  readonly model: ModelChain;
  /** Model that checks; undefined: the rules decide. */
  readonly judge: ModelChain | undefined;
  /** Whether failed sentences are checked and written again (`ANSWER_EFFORT=thorough`). */
  readonly isThorough: boolean;
  /** Whether a model is tried before it checks. */
  readonly isProbed: boolean;
  readonly budget?: Pick<TokenBudget, 'spent'> | undefined;
  /** No content, only counts and causes. */
  readonly onWarning: (message: string) => void;
  readonly onProbed: (model: string, right: number, canCheck: boolean) => void;
}

export interface ModelRequests extends Pick<ModelRequestsOptions, 'isThorough'> {
  /** Whether sentences wait for a model that checks. */
  readonly mayCheck: boolean;
  /** Begins to try the model that checks, so that no reader waits for it. */
  readonly prepare: () => void;
  readonly writeQueries: (
    turn: Turn,
    about: { readonly languages: readonly string[]; readonly headings: readonly string[] },
    context: RequestContext | undefined,
  ) => Promise<WrittenQueries | undefined>;
  /** @returns in the order of the claims; undefined: not decided */
  readonly check: (
    turn: Turn,
    claims: readonly Claim[],
    reply: string,
    context: RequestContext | undefined,
  ) => Promise<readonly (ClaimVerdict | undefined)[]>;
  /** @returns new sentences by `n` */
  readonly rewrite: (
    turn: Turn,
    failed: readonly { readonly n: number; readonly text: string }[],
    reply: string,
    shown: number,
    context: RequestContext | undefined,
  ) => Promise<ReadonlyMap<number, string>>;
}

interface Reply {
  readonly text: string;
  readonly isCut: boolean;
}

/** Reads a reply up to a length. Then the request is cancelled, and the reply is unreadable. */
async function readReply(
  model: LanguageModelV4,
  prompt: LanguageModelV4Prompt,
  maxChars: number,
  abortSignal: AbortSignal,
): Promise<Reply> {
  const { stream } = await model.doStream({ prompt, abortSignal });
  let text = '';
  let measured = 0;
  for await (const part of stream) {
    const failure = failureIn(part);
    if (failure !== undefined) throw failure;
    if (part.type === 'text-delta') text += part.delta;
    if (text.length - measured < maxChars) continue;
    measured = text.length;
    if (withoutThinking(text).length > maxChars || measured > maxReadChars)
      return { text: '', isCut: true };
  }
  const decided = withoutThinking(text);
  return { text: decided, isCut: decided.length > maxChars };
}

const batchesOf = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );

const user = (text: string): LanguageModelV4Prompt[number] => ({
  role: 'user',
  content: [{ type: 'text', text }],
});

export function createModelRequests(options: ModelRequestsOptions): ModelRequests {
  const { model, judge, isThorough, isProbed, budget, onWarning, onProbed } = options;
  let isCutWarned = false;
  /** Whether a model can check; a failed trial is repeated. */
  let probed: Promise<boolean | undefined> | undefined;
  const isPairwise = judge !== undefined && pairwiseModels.test(judge.modelId);

  /** Whether the server has read only the end of the prompt, as a small context makes it. */
  function isPromptCut(prompt: LanguageModelV4Prompt, { inputTokens, isCounted }: ModelCall) {
    const sent = charsOf({ prompt }) / charsPerToken;
    const isCut =
      isCounted && inputTokens >= minPlausibleTokens && inputTokens < minShareRead * sent;
    if (isCut && !isCutWarned)
      onWarning(
        `The model server read ${inputTokens} of about ${Math.round(sent)} tokens: its context is smaller than LLM_CONTEXT_TOKENS. Until that is set lower, verdicts are not used.`,
      );
    isCutWarned ||= isCut;
    return isCut;
  }

  /** @returns undefined if there is no reply that can be read */
  async function ask(
    of: ModelChain,
    purpose: Exclude<RequestMade['purpose'], 'answer'>,
    prompt: LanguageModelV4Prompt,
    limits: { readonly maxChars: number; readonly ms: number },
    asker: { readonly turn?: Turn; readonly context?: RequestContext | undefined },
  ): Promise<string | undefined> {
    const { turn, context } = asker;
    const made = {
      purpose,
      model: of.modelId,
      outcome: 'failed',
      ms: 0,
      inputTokens: 0,
      outputTokens: 0,
    };
    if (turn && turn.requests.length >= maxRequests) return undefined;
    if (await budget?.spent(lifetimeOf(context)?.countedAs ?? '')) return undefined;
    turn?.requests.push(made);
    const deadline = AbortSignal.timeout(limits.ms);
    const outer = signalOfRequest(context);
    let isCut = false;
    const onCall = (call: ModelCall) => {
      isCut ||= isPromptCut(prompt, call);
      const { model: name, outcome, ms, inputTokens, outputTokens } = call;
      made.inputTokens += inputTokens;
      made.outputTokens += outputTokens;
      Object.assign(made, { model: name, outcome, ms: Math.round(made.ms + ms) });
    };
    const own = of.for({ ...modelUseOf(context), purpose, onCall });
    try {
      const ending = outer ? AbortSignal.any([deadline, outer]) : deadline;
      const reply = await readReply(own, prompt, limits.maxChars, ending);
      if (!reply.isCut && !isCut) return reply.text;
      made.outcome = 'unreadable';
    } catch (error) {
      if (deadline.aborted) made.outcome = 'late';
      // Provider errors contain the prompt, so only their status or code is reported.
      const cause = deadline.aborted ? 'no answer in time' : describeFailure(error);
      if (!outer?.aborted) onWarning(`A model request to ${purpose} failed (${cause}).`);
    }
    return undefined;
  }

  const toPromptPassages = ({ passages }: Turn, numbers: ReadonlySet<number>): PromptPassage[] =>
    passages.flatMap((passage, at) =>
      numbers.has(at + 1)
        ? [{ number: at + 1, label: passageLabelOf(passage), text: plainPassageOf(passage).text }]
        : [],
    );

  type Asker = Parameters<typeof ask>[4];
  interface Checking {
    readonly passages: readonly PromptPassage[];
    readonly question: string;
    readonly reply: string;
    readonly boundary: string;
    readonly ms: number;
  }

  /** @returns by position in `claims`; nothing for a sentence that is not decided */
  async function judgeOnce(
    of: ModelChain,
    claims: readonly (Claim & { readonly n: number })[],
    { passages, ms, ...about }: Checking,
    asker: Asker,
  ): Promise<ReadonlyMap<number, ClaimVerdict>> {
    const found = new Map<number, ClaimVerdict>();
    const offered = (some: readonly Claim[]) => {
      const numbers = new Set(some.flatMap((one) => one.passages));
      return passages.filter(({ number }) => numbers.has(number));
    };
    async function askAbout(some: readonly (Claim & { readonly n: number })[]): Promise<void> {
      const [claim] = some;
      if (!claim) return;
      const prompt: LanguageModelV4Prompt = isPairwise
        ? [user(renderPair(claim.text, offered(some)))]
        : renderCheck(some, { ...about, passages: offered(some) });
      const limits = { ms, maxChars: maxVerdictChars * some.length };
      const reply = await ask(of, 'check', prompt, limits, asker);
      const holds = isPairwise && reply !== undefined ? readVerdict(reply) : undefined;
      if (isPairwise && holds !== undefined) found.set(claim.n, { holds, passages: [] });
      else if (!isPairwise && reply !== undefined)
        for (const [n, verdict] of readVerdicts(reply, some)) found.set(n, verdict);
    }
    await Promise.all(batchesOf(claims, isPairwise ? 1 : maxClaims).map(askAbout));
    return found;
  }

  async function probe(of: ModelChain): Promise<boolean | undefined> {
    const { claims, passages } = probeClaims;
    const numbered = claims.map(({ text, passage }, at) => ({
      n: at + 1,
      text,
      passages: [passage],
    }));
    const about = { passages, question: '', reply: '', boundary: 'passage-probe', ms: rewriteMs };
    const found = await judgeOnce(of, numbered, about, {});
    if (found.size === 0) return undefined;
    const right = claims.filter(({ holds }, at) => found.get(at + 1)?.holds === holds).length;
    onProbed(of.modelId, right, canJudge(right));
    return canJudge(right);
  }

  async function isAble(of: ModelChain): Promise<boolean> {
    if (!isProbed) return true;
    probed ??= probe(of).catch(() => undefined);
    const able = await probed;
    if (able === undefined) probed = undefined;
    return able === true;
  }

  return {
    isThorough,
    mayCheck: isThorough && judge !== undefined,

    prepare() {
      if (isThorough && judge) void isAble(judge);
    },

    async writeQueries(turn, about, context) {
      const { question, earlier } = turn;
      const prompt = renderQueries({ question, earlier, ...about });
      const limits = { maxChars: maxQueryChars * maxQueries, ms: searchMs };
      const reply = await ask(model, 'search', prompt, limits, { turn, context });
      return reply === undefined ? undefined : readQueries(reply);
    },

    async check(turn, claims, reply, context) {
      const isSecond = turn.requests.some(({ purpose }) => purpose === 'check');
      const ms = isSecond ? secondCheckMs : firstCheckMs;
      const late = new Promise<false>((resolve) => setTimeout(resolve, ms, false).unref());
      if (claims.length === 0 || !judge) return [];
      if (!(await Promise.race([isAble(judge), late]))) return claims.map(() => undefined);
      const numbered = claims.map((claim, at) => ({ ...claim, n: at + 1 }));
      const about = {
        passages: toPromptPassages(turn, new Set(claims.flatMap(({ passages }) => passages))),
        question: turn.question,
        reply,
        boundary: turn.boundary,
        ms,
      };
      const from = turn.requests.length;
      const first = await judgeOnce(judge, numbered, about, { turn, context });
      const open = numbered.filter(({ n }) => !first.has(n));
      // A request that failed is not repeated; a sentence that it passed over is asked again.
      const more =
        first.size > 0 && open.length > 0
          ? await judgeOnce(judge, open, { ...about, ms: secondCheckMs }, { turn, context })
          : undefined;
      const verdicts = numbered.map(({ n }) => first.get(n) ?? more?.get(n));
      const made = turn.requests[from];
      if (made) made.verdicts = verdicts.map((one) => one?.holds ?? null);
      return verdicts;
    },

    async rewrite(turn, failed, reply, shown, context) {
      const isLate = performance.now() - turn.startedAt > rewriteUntilMs;
      if (failed.length === 0 || isLate || !turn.prompt) return new Map();
      const prompt = renderRewrite(turn.prompt, reply, failed, shown);
      const limits = { maxChars: maxRewriteChars, ms: rewriteMs };
      const lines = await ask(model, 'rewrite', prompt, limits, { turn, context });
      return lines === undefined ? new Map() : readNewLines(lines, failed);
    },
  };
}
