/**
 * A thread of `answer-threads.ts`: runs the agent without a model. The server does its searches and
 * lookups.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { enableCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { AgentRequest } from '../app/ask/ask.ts';
import type { RequestRecord } from '../trace.ts';
import type { FromThread, Lookups, Step, ThreadSettings, ToThread } from './thread-messages.ts';

// Each thread must enable the cache before its first import.
enableCompileCache();
const { createMentionGate } = await import('../../packages/mastra/src/mention.ts');
const { maxAnswerSentences } = await import('../app/ask/prompt.ts');
const { createNamespaceParser } = await import('../documents/namespace-name.ts');
const { inRequest } = await import('../trace.ts');
const { createKnowledgeAgent, createMastra, minCoverage } = await import('./agent.ts');
const { createAgentRunner } = await import('./agent-runner.ts');
const { fromSentError, toSentError, toSentStep } = await import('./thread-messages.ts');

interface Running {
  readonly question: number;
  readonly leaving: AbortController;
  readonly lookups: PromiseWithResolvers<never>[];
}

const running = new Map<number, Running>();
const current = new AsyncLocalStorage<Running>();
const post = (message: FromThread) => parentPort?.postMessage(message);

const lookUp =
  (name: keyof Lookups) =>
  (...args: readonly unknown[]): Promise<never> => {
    const { question, lookups } = current.getStore() as Running;
    const asked = Promise.withResolvers<never>();
    post({ question, lookup: lookups.push(asked) - 1, name, args: args as never[] });
    return asked.promise;
  };

const { card, mentions, requireMention, allowedNamespaces } = workerData as ThreadSettings;
const agent = createKnowledgeAgent({
  model: undefined,
  card,
  retriever: { search: lookUp('search') },
  listTopics: lookUp('listTopics'),
  messagesOf: lookUp('messagesOf'),
  parseNamespace: createNamespaceParser(allowedNamespaces),
  gate: createMentionGate({ mentions, isNeeded: requireMention }),
  minCoverage,
  maxSentences: maxAnswerSentences,
  secondSearch: false,
});
// An agent without a registry would log every processor's abort.
createMastra(agent);
const runner = createAgentRunner(agent, { fallbackAnswerer: undefined, giveUpMs: 0 });

async function* stepsOf(request: AgentRequest, isStream: boolean): AsyncGenerator<Step> {
  if (isStream) yield* runner.stream(request);
  else yield await runner.generate(request);
}

async function answer(
  question: number,
  request: Omit<AgentRequest, 'signal'>,
  isStream: boolean,
): Promise<void> {
  const leaving = new AbortController();
  const stages: RequestRecord['stages'] = new Map();
  const record = {
    requestId: '',
    span: undefined,
    stages,
    onStage: () => {},
    tokens: { input: 0, output: 0 },
    facts: {},
    isOver: false,
  };
  const run = { question, leaving, lookups: [] };
  running.set(question, run);
  const work = async () => {
    for await (const step of stepsOf({ ...request, signal: leaving.signal }, isStream))
      post({ question, step: toSentStep(step) });
  };
  const failure = await current
    .run(run, () => inRequest(record, work))
    .then(
      () => undefined,
      (error: unknown) => toSentError(error),
    );
  running.delete(question);
  post({ question, stages: [...stages], failure });
}

parentPort?.on('message', (message: ToThread) => {
  const { question } = message;
  if ('request' in message) return void answer(question, message.request, message.isStream);
  const { leaving, lookups } = running.get(question) ?? {};
  if ('isCancelled' in message) return leaving?.abort();
  const asked = lookups?.[message.lookup];
  if ('failure' in message) asked?.reject(fromSentError(message.failure));
  else asked?.resolve(message.found as never);
});
