/**
 * Answers questions without a model in threads (`WORKERS`): the agent, the choice of sentences and their check take most of the time of
 * such a question. The server keeps what there is one of: documents and their index, limits, conversations, answers.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Worker } from 'node:worker_threads';
import type { AgentRequest, AgentRunner } from '../app/ask/ask.ts';
import { docsRetrieverCard } from '../app/search/search-docs.ts';
import { KnowledgeError } from '../errors.ts';
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

const program = new URL('./answer-thread.ts', import.meta.url);

const endedError = () => new KnowledgeError('internal', 'The thread that answered this question ended. Ask again.');

interface Asked {
  readonly steps: ReadableStreamDefaultController<Step>;
  /** Runs work as part of the request that asked. */
  readonly within: ReturnType<typeof AsyncLocalStorage.snapshot>;
  readonly stopListening: () => void;
}

class AnswerThread {
  readonly #worker: Worker;
  readonly #lookups: Lookups;
  readonly #asked = new Map<number, Asked>();
  #questions = 0;

  /** @param onEnd called once the thread takes no more questions; the questions that it has fail */
  constructor(settings: ThreadSettings, lookups: Lookups, onEnd: () => void) {
    this.#lookups = lookups;
    const end = () => {
      onEnd();
      for (const question of this.#asked.keys()) this.#end(question, endedError());
    };
    this.#worker = new Worker(program, { workerData: settings })
      .on('message', (message: FromThread) => this.#take(message))
      .on('error', end)
      .on('exit', end);
    // An idle thread keeps no process from ending.
    this.#worker.unref();
  }

  get running(): number {
    return this.#asked.size;
  }

  answer({ signal, ...request }: AgentRequest, isStream: boolean): ReadableStream<Step> {
    const question = this.#questions++;
    const leave = (reason?: unknown) => {
      this.#post({ question, isLeft: true });
      this.#end(question, reason);
    };
    const onAbort = () => leave(signal.reason);
    const start = (steps: ReadableStreamDefaultController<Step>) => {
      const stopListening = () => signal.removeEventListener('abort', onAbort);
      this.#asked.set(question, { steps, within: AsyncLocalStorage.snapshot(), stopListening });
      signal.addEventListener('abort', onAbort);
      this.#post({ question, request, isStream });
      if (signal.aborted) onAbort();
    };
    return new ReadableStream({ start, cancel: () => leave() });
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

  async #lookUp({ question, lookup, name, args }: Extract<FromThread, { name: unknown }>): Promise<void> {
    const find = this.#lookups[name] as (...args: readonly never[]) => Promise<unknown>;
    const found = () => find(...args);
    try {
      this.#post({ question, lookup, found: await (name === 'search' ? inToolSpan(docsRetrieverCard.id, found) : found()) });
    } catch (error) {
      this.#post({ question, lookup, failure: toSentError(error) });
    }
  }

  /** @param failure undefined: all steps were given */
  #end(question: number, failure: unknown): void {
    const asked = this.#asked.get(question);
    this.#asked.delete(question);
    asked?.stopListening();
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
  #isClosed = false;

  constructor(options: AnswerThreadsOptions) {
    this.#options = options;
    this.id = options.card.id;
  }

  async generate(request: AgentRequest) {
    let last: Step = { turn: undefined };
    for await (const step of this.#next().answer(request, false)) last = step;
    return { turn: last.turn, usage: last.usage ?? {} };
  }

  stream(request: AgentRequest): AsyncIterable<Step> {
    return this.#next().answer(request, true);
  }

  /** Starts the threads, and those that ended since. */
  start(): void {
    const { threads, lookups, ...settings } = this.#options;
    while (this.#threads.size < threads && !this.#isClosed) {
      const thread: AnswerThread = new AnswerThread(settings, lookups, () => this.#threads.delete(thread));
      this.#threads.add(thread);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#threads].map((thread) => thread.close()));
  }

  /** The one with the fewest questions. */
  #next(): AnswerThread {
    this.start();
    const [idlest] = [...this.#threads].sort((a, b) => a.running - b.running);
    if (!idlest) throw endedError();
    return idlest;
  }
}
