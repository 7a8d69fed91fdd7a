/**
 * Requests of an answer beside its reply: queries for the search, verdicts about sentences, failed
 * sentences written again. A request that fails, is late or cannot be read changes nothing but its
 * own purpose. No reply reaches a reader unchecked.
 */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import {
  charsOf,
  charsPerToken,
  failureIn,
  type ModelCall,
  type Purpose,
} from '../models/model-call.ts';
import type { ModelChain } from '../models/model-chain.ts';
import { withoutThinking } from '../models/plain-reply.ts';
import { describeFailure } from '../models/provider-failure.ts';
import type { TokenBudget } from '../models/token-budget.ts';
import { readNewLines, readQueries, readVerdicts } from './model-replies.ts';
import { canJudge, probeClaims } from './probe.ts';
import {
  bytesOf,
  bytesPerToken,
  type Prompt,
  randomBoundary,
  renderCheck,
  renderPair,
  renderQueries,
  renderRewrite,
  toMessage,
  toPromptPassages,
} from './prompt.ts';
import type { Question } from './question.ts';
import type { AnswerWriter, Claim } from './reply/answer-writer.ts';

/** Milliseconds. */
const searchMs = 4_000;
const firstCheckMs = 8_000;
const secondCheckMs = 6_000;
const rewriteMs = 15_000;
/** No sentence is written again later, so that an answer ends within a minute. */
const rewriteUntilMs = 25_000;
/** The rules decide what is open then, so that a question never ends without its reply. */
const checkUntilMs = 57_000;
const maxRequests = 5;
const maxClaims = 6;
const maxQueriesChars = 600;
const maxVerdictChars = 60;
const maxReadChars = 100_000;
/** If it read a smaller share of the prompt, the server has cut it. */
const minShareRead = 0.6;
/** Some servers report a constant. */
const minPlausibleTokens = 200;

/** Models trained on one document and one claim. */
const pairwiseModels = /minicheck/i;

type ModelRequestsOptions = Readonly<{
  model: ModelChain;
  /** Model that checks; undefined: the rules decide. */
  judge: ModelChain | undefined;
  /** Whether failed sentences are checked and written again (`ANSWER_EFFORT=thorough`). */
  isThorough: boolean;
  /** Whether a model is tried before it checks. */
  isProbed: boolean;
  /** Tokens of every prompt (`LLM_CONTEXT_TOKENS`). */
  contextTokens: number;
  /** Limit of a reply to `rewrite`. */
  maxReplyChars: number;
  budget?: Pick<TokenBudget, 'spent'> | undefined;
  /** No content, only counts and causes. */
  onWarning: (message: string) => void;
  onProbed: (model: string, right: number, canCheck: boolean) => void;
}>;

/** White space in JSON, and a fence around it, say nothing. */
function withoutSpaces(verdicts: string) {
  const text = verdicts.replace(/^\s*`{3}\w*\s*/, '');
  return text.startsWith('{') ? text.replace(/\s+/g, '') : text;
}

/**
 * Reads a reply up to a length, then cancels the request. Omits a line that was cut; of verdicts,
 * only a word that was cut.
 */
async function readReply(
  model: LanguageModelV4,
  prompt: Prompt,
  { maxChars, isVerdict }: Limits,
  abortSignal: AbortSignal,
) {
  const { stream } = await model.doStream({ prompt, abortSignal });
  const decidedIn = (text: string) =>
    isVerdict ? withoutSpaces(withoutThinking(text)) : withoutThinking(text);
  let text = '';
  let measured = 0;
  let isCut = false;
  for await (const part of stream) {
    const failure = failureIn(part, text !== '');
    if (failure !== undefined) throw failure;
    if (part.type === 'text-delta') text += part.delta;
    if (part.type === 'finish')
      isCut = ['length', 'content-filter'].includes(part.finishReason.unified);
    if (text.length - measured < maxChars) continue;
    measured = text.length;
    if (decidedIn(text).length > maxChars || measured > maxReadChars) break;
  }
  const decided = decidedIn(text);
  if (!isCut && decided.length <= maxChars) return decided;
  return decided.slice(0, maxChars).replace(isVerdict ? /[\p{L}\p{N}]*$/u : /[^\n]*$/, '');
}

/** Failed attempts at the answer, which the chain repeats, leave the others their place. */
const placesTaken = ({ requests }: Question) =>
  requests.filter(({ purpose, outcome }) => purpose !== 'answer' || outcome === 'answered').length;

const batchesOf = <Item>(items: readonly Item[], size: number) =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );

type Limits = Readonly<{ maxChars: number; ms: number; isVerdict?: boolean }>;
/** Undefined: a trial of the model. */
type Asking = Question | undefined;

type Checking = Parameters<typeof renderCheck>[1] & { readonly ms: number };

export class ModelRequests {
  readonly #options;
  readonly #isPairwise;
  #isCutWarned = false;
  /** Last warning about a trial, whose requests fail together and again with each trial. */
  #trialWarning = '';
  /** Whether the model can check; a trial that failed is repeated. */
  #probed: Promise<boolean | undefined> | undefined;

  constructor(options: ModelRequestsOptions) {
    this.#options = options;
    this.#isPairwise = pairwiseModels.test(options.judge?.modelId ?? '');
  }

  get isThorough() {
    return this.#options.isThorough;
  }

  /** Whether sentences wait for a model that checks. */
  get mayCheck() {
    return this.isThorough && this.#options.judge !== undefined;
  }

  /** Begins to try the model that checks, so that no reader waits for it. */
  prepare() {
    if (this.mayCheck) void this.#isAble();
  }

  async writeQueries(
    question: Question,
    about: Readonly<{ languages: readonly string[]; headings: readonly string[] }>,
  ) {
    const { asker, text, asked } = question;
    asker.onWorking?.('searching');
    const prompt = renderQueries({ question: text, earlier: asked.earlier, ...about });
    const limits = { maxChars: maxQueriesChars, ms: searchMs };
    const reply = await this.#ask(this.#options.model, 'search', prompt, limits, question);
    return reply === undefined ? undefined : readQueries(reply);
  }

  /** @returns in the order of the claims; undefined: not decided */
  async check(question: Question, claims: readonly Claim[], reply: string) {
    const { judge } = this.#options;
    if (claims.length === 0 || !judge) return [];
    question.asker.onWorking?.('checking');
    const isSecond = question.requests.some(({ purpose }) => purpose === 'check');
    const msLeft = () =>
      Math.max(0, Math.round(checkUntilMs - (performance.now() - question.startedAt)));
    const ms = Math.min(isSecond ? secondCheckMs : firstCheckMs, msLeft());
    const late = new Promise<false>((resolve) => setTimeout(resolve, ms, false).unref());
    if (!(await Promise.race([this.#isAble(), late]))) return claims.map(() => undefined);
    const numbered = claims.map((claim, at) => ({ ...claim, n: at + 1 }));
    const { text, boundary, requests } = question;
    const passages = toPromptPassages(question.passages);
    const about = { passages, question: text, reply, boundary, ms: Math.min(ms, msLeft()) };
    const from = requests.length;
    const first = await this.#judge(judge, numbered, about, question);
    // A request that failed is not repeated; a sentence that it passed over is asked again.
    const open = numbered.filter(({ n }) => first.has(n) && !first.get(n));
    const again = { ...about, ms: Math.min(secondCheckMs, msLeft()) };
    const more = await this.#judge(judge, open, again, question);
    const verdicts = numbered.map(({ n }) => first.get(n) ?? more.get(n));
    const made = requests[from];
    if (made) made.verdicts = verdicts.map((one) => one?.holds ?? null);
    return verdicts;
  }

  /** @returns new sentences by `n` */
  async rewrite(
    question: Question,
    failed: AnswerWriter['failed'],
    reply: string,
    shown: number,
  ): Promise<ReadonlyMap<number, string>> {
    const isLate = performance.now() - question.startedAt > rewriteUntilMs;
    if (failed.length === 0 || isLate || !question.prompt) return new Map();
    const prompt = renderRewrite(question.prompt, reply, failed, shown);
    question.asker.onWorking?.('writing');
    if (bytesOf(prompt) > this.#options.contextTokens * bytesPerToken) return new Map();
    const limits = { maxChars: this.#options.maxReplyChars, ms: rewriteMs };
    const lines = await this.#ask(this.#options.model, 'rewrite', prompt, limits, question);
    return lines === undefined ? new Map() : readNewLines(lines, failed);
  }

  /** @returns undefined if there is no reply that can be read */
  async #ask(
    of: ModelChain,
    purpose: Exclude<Purpose, 'answer'>,
    prompt: Prompt,
    limits: Limits,
    question: Asking,
  ) {
    const counts = { ms: 0, inputTokens: 0, outputTokens: 0 };
    const made = { purpose, model: of.modelId, outcome: 'failed', ...counts };
    if (limits.ms === 0) return undefined;
    if (await this.#options.budget?.spent(question?.asker.countedAs ?? '')) return undefined;
    // No `await` until the request is noted, because batches run at the same time.
    if (question && placesTaken(question) >= maxRequests) return undefined;
    question?.requests.push(made);
    const deadline = AbortSignal.timeout(limits.ms);
    const outer = question?.asker.signal;
    let isCut = false;
    const onCall = (call: ModelCall) => {
      isCut ||= this.noteCut(prompt, call);
      made.inputTokens += call.inputTokens;
      made.outputTokens += call.outputTokens;
      made.ms = Math.round(made.ms + call.ms);
      Object.assign(made, { model: call.model, outcome: call.outcome });
    };
    const { countedAs, conversationId } = question?.asker ?? {};
    const namespace = question?.namespace;
    const own = of.for({ countedAs, conversationId, namespace, purpose, onCall });
    try {
      const ending = outer ? AbortSignal.any([deadline, outer]) : deadline;
      const reply = await readReply(own, prompt, limits, ending);
      if (purpose !== 'check' || (!isCut && this.#isTried(of, made.model))) return reply;
      made.outcome = 'unreadable';
    } catch (error) {
      if (deadline.aborted) made.outcome = 'late';
      // Provider errors contain the prompt, so only their status or code is reported.
      const cause = deadline.aborted ? 'no answer in time' : describeFailure(error);
      this.#warn(`A model request to ${purpose} failed (${cause}).`, question);
    }
    return undefined;
  }

  /** A fallback that was not tried may answer, but not check. */
  #isTried({ modelId }: ModelChain, model: string) {
    return !this.#options.isProbed || model === modelId;
  }

  #warn(warning: string, question: Asking) {
    const isKnown = question ? question.asker.signal?.aborted : warning === this.#trialWarning;
    if (!isKnown) this.#options.onWarning(warning);
    if (!question) this.#trialWarning = warning;
  }

  /**
   * Warns once if the server has read only the end of a prompt, as a small context makes it.
   * @returns whether it has
   */
  noteCut(prompt: Prompt, { inputTokens, isCounted }: ModelCall) {
    const sent = charsOf({ prompt }) / charsPerToken;
    const isCut =
      isCounted && inputTokens >= minPlausibleTokens && inputTokens < minShareRead * sent;
    if (isCut && !this.#isCutWarned)
      this.#options.onWarning(
        `The model server read ${inputTokens} of about ${Math.round(sent)} tokens: its context is smaller than LLM_CONTEXT_TOKENS. Until that is set lower, verdicts are not used.`,
      );
    this.#isCutWarned ||= isCut;
    return isCut;
  }

  /** @returns by `n`: undefined if the reply does not decide, nothing if there is no reply */
  async #judge(
    of: ModelChain,
    claims: readonly (Claim & { readonly n: number })[],
    about: Checking,
    asking: Asking,
  ) {
    const batches = batchesOf(claims, this.#isPairwise ? 1 : maxClaims);
    const judged = await Promise.all(
      batches.map(async (batch) => {
        const numbers = new Set(batch.flatMap((one) => one.passages));
        const passages = about.passages.filter(({ number }) => numbers.has(number));
        // A batch of a pairwise model is one claim.
        const prompt = this.#isPairwise
          ? [toMessage('user', renderPair(batch[0]?.text ?? '', passages))]
          : renderCheck(batch, { ...about, passages }, this.#options.contextTokens);
        const maxChars = maxVerdictChars * batch.length;
        const limits = { ms: about.ms, maxChars, isVerdict: true };
        const reply = await this.#ask(of, 'check', prompt, limits, asking);
        if (reply === undefined) return [];
        const found = readVerdicts(reply, batch);
        return batch.map(({ n }) => [n, found.get(n)] as const);
      }),
    );
    return new Map(judged.flat());
  }

  async #probe(of: ModelChain) {
    const { claims, passages } = probeClaims;
    const boundary = randomBoundary();
    const about = { passages, question: '', reply: '', boundary, ms: rewriteMs };
    const first = await this.#judge(of, claims, about, undefined);
    if (first.size === 0) return undefined;
    // A server that was busy with an answer has more time now.
    const open = claims.filter(({ n }) => !first.has(n));
    const found = new Map([...first, ...(await this.#judge(of, open, about, undefined))]);
    if (found.size < claims.length) return undefined;
    const right = claims.filter(({ n, holds }) => found.get(n)?.holds === holds).length;
    this.#options.onProbed(of.modelId, right, canJudge(right));
    return canJudge(right);
  }

  async #isAble() {
    const { judge, isProbed } = this.#options;
    if (!judge || !isProbed) return judge !== undefined;
    this.#probed ??= this.#probe(judge).catch(() => undefined);
    const isAble = await this.#probed;
    if (isAble === undefined) this.#probed = undefined;
    return isAble === true;
  }
}
