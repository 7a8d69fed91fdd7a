/**
 * Answers questions without a model in worker threads (`WORKERS`), because choosing and checking
 * sentences takes most of the time. Index, limits, conversations and answers stay in the server.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Worker } from 'node:worker_threads';
import { siblingModule } from '../../packages/shared/src/concurrency/sibling-module.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import type { AgentRequest, AgentRunner } from '../app/ask/ask.ts';
import { docsRetrieverCard } from '../app/search/search-docs.ts';
import { addStage, inToolSpan } from '../trace.ts';
import { modelError } from './provider-failure.ts';
import {
  type FromThread,
  fromSentError,
  fromSentStep,
  type Lookups,
  type Step,
  type ThreadSettings,
  type ToThread,
  toSentError,
} from './thread-messages.ts';

const program = siblingModule('answer-thread', import.meta.url);

const endedError = (cause?: unknown) =>
  new KnowledgeError('internal', 'The worker thread of this question stopped. Ask again.', {
    cause,
  });

interface Asked {
  readonly steps: ReadableStreamDefaultController<Step>;
  /** Runs work in the context of the request that asked. */
  readonly within: <Result>(work: () => Result) => Result;
  readonly stopListening: () => void;
}

class AnswerThread {
  readonly #worker: Worker;
  readonly #lookups: Lookups;
  readonly #asked = new Map<number, Asked>();
  #questions = 0;

  /** @param onEnd called when the thread stops; its open questions fail */
  constructor(settings: ThreadSettings, lookups: Lookups, onEnd: () => void) {
    this.#lookups = lookups;
    const end = (cause: unknown) => {
      onEnd();
      for (const question of this.#asked.keys()) this.#end(question, endedError(cause));
    };
    this.#worker = new Worker(program, { workerData: settings })
      .on('message', (message: FromThread) => this.#take(message))
      .on('error', end)
      .on('exit', (code) => end(new Error(`exit code ${code}`)));
    // An idle thread must not keep the process alive.
    this.#worker.unref();
  }

  get running(): number {
    return this.#asked.size;
  }

  answer({ signal, ...request }: AgentRequest, isStream: boolean): ReadableStream<Step> {
    const question = this.#questions++;
    const onAbort = () => {
      this.#post({ question, isCancelled: true });
      this.#end(question, signal.reason);
    };
    // A cancelled stream is already closed.
    const cancel = () => {
      this.#post({ question, isCancelled: true });
      this.#forget(question);
    };
    const start = (steps: ReadableStreamDefaultController<Step>) => {
      const stopListening = () => signal.removeEventListener('abort', onAbort);
      this.#asked.set(question, { steps, within: AsyncLocalStorage.snapshot(), stopListening });
      signal.addEventListener('abort', onAbort);
      this.#post({ question, request, isStream });
      if (signal.aborted) onAbort();
    };
    return new ReadableStream({ start, cancel });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #post(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #take(message: FromThread): void {
    const { question } = message;
    const asked = this.#asked.get(question);
    if (!asked) return;
    if ('step' in message) asked.steps.enqueue(fromSentStep(message.step));
    else if ('lookup' in message) void asked.within(() => this.#lookUp(message));
    else {
      for (const stage of message.stages) asked.within(() => addStage(...stage));
      this.#end(question, message.failure && fromSentError(message.failure));
    }
  }

  async #lookUp({
    question,
    lookup,
    name,
    args,
  }: Extract<FromThread, { name: unknown }>): Promise<void> {
    const find = this.#lookups[name] as (...args: readonly never[]) => Promise<unknown>;
    const found = () => find(...args);
    try {
      this.#post({
        question,
        lookup,
        found: await (name === 'search' ? inToolSpan(docsRetrieverCard.id, found) : found()),
      });
    } catch (error) {
      this.#post({ question, lookup, failure: toSentError(error) });
    }
  }

  #forget(question: number): Asked | undefined {
    const asked = this.#asked.get(question);
    this.#asked.delete(question);
    asked?.stopListening();
    return asked;
  }

  /** @param failure undefined: the question is answered */
  #end(question: number, failure: unknown): void {
    const asked = this.#forget(question);
    if (failure === undefined) asked?.steps.close();
    else asked?.steps.error(failure);
  }
}

export interface AnswerThreadsOptions extends ThreadSettings {
  readonly threads: number;
  readonly lookups: Lookups;
}

export class AnswerThreads implements AgentRunner {
  readonly id: string;
  readonly toError = modelError;
  readonly #options: AnswerThreadsOptions;
  readonly #threads = new Set<AnswerThread>();
  #isOpen = false;

  constructor(options: AnswerThreadsOptions) {
    this.#options = options;
    this.id = options.card.id;
  }

  async generate(request: AgentRequest) {
    let last: Step = { turn: undefined };
    for await (const step of this.#leastBusy().answer(request, false)) last = step;
    return { turn: last.turn, usage: last.usage ?? {} };
  }

  stream(request: AgentRequest): AsyncIterable<Step> {
    return this.#leastBusy().answer(request, true);
  }

  /** True in a server, false in a command that asks one question. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.#isOpen = true;
    this.#startMissing();
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    await Promise.all([...this.#threads].map((thread) => thread.close()));
  }

  /** Also replaces threads that stopped. */
  #startMissing(): void {
    const { threads, lookups, ...settings } = this.#options;
    while (this.#threads.size < threads) {
      const thread: AnswerThread = new AnswerThread(settings, lookups, () =>
        this.#threads.delete(thread),
      );
      this.#threads.add(thread);
    }
  }

  #leastBusy(): AnswerThread {
    this.#startMissing();
    return [...this.#threads].reduce((best, thread) =>
      thread.running < best.running ? thread : best,
    );
  }
}
