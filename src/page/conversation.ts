import { signal } from '@webreflection/signal';
import { ApiFailure, eventsOf, messageOf } from './api.ts';
import type { CitedPlace, FoundPassages, KeptAnswer, Reason } from './api-types.d.ts';
import { route, server } from './session.ts';

export interface Finished {
  readonly reason: Reason;
  readonly degraded?: true;
  readonly citations: readonly CitedPlace[];
  readonly dropped: number;
  readonly repaired: number;
  readonly model: string;
}

export type Opened = 'comment' | 'checked' | 'found' | 'curl';

export interface AskedTurn {
  readonly question: string;
  readonly namespace: string;
  readonly text: string;
  readonly runId?: string;
  readonly query?: string;
  readonly finished?: Finished;
  readonly failure?: string;
  readonly rating?: 'up' | 'down';
  readonly opened?: Opened | undefined;
  readonly kept?: KeptAnswer;
  readonly found?: FoundPassages;
}

export const turns = signal<readonly AskedTurn[]>([]);
let thread = crypto.randomUUID();
let asking: AbortController | undefined;

export function changeTurn(number: number, to: Partial<AskedTurn>): void {
  turns.value = turns.value.map((turn, at) => (at === number ? { ...turn, ...to } : turn));
}

function stopAsking(): void {
  asking?.abort();
  turns.value = turns.value.map((turn) =>
    turn.finished || turn.failure ? turn : { ...turn, failure: 'Stopped because you asked another question.' },
  );
}

export function startOver(): void {
  stopAsking();
  thread = crypto.randomUUID();
  turns.value = [];
}

export function requestOf(question: string, namespace: string) {
  const { mention } = server.value ?? { mention: '@agent' };
  return {
    messages: [{ role: 'user', content: mention === null ? question : `${mention} ${question}` }],
    toolParams: { namespace },
    memory: { thread, resource: 'page' },
  };
}

interface Chunk {
  readonly type: string;
  readonly runId: string;
  readonly payload: { readonly text?: string; readonly args?: { readonly query?: string }; readonly error?: string } & Partial<Finished>;
}

function take(number: number, { type, runId, payload }: Chunk): void {
  const text = turns.value[number]?.text ?? '';
  if (type === 'start') changeTurn(number, { runId });
  else if (type === 'tool-call' && payload.args?.query) changeTurn(number, { query: payload.args.query });
  else if (type === 'text-delta') changeTurn(number, { text: text + (payload.text ?? '') });
  else if (type === 'error') changeTurn(number, { failure: payload.error ?? 'The answer failed. Retry in a moment.' });
  else if (type === 'finish' && payload.reason) changeTurn(number, { finished: payload as Finished });
}

export async function ask(question: string, namespace = route.value.namespace): Promise<void> {
  stopAsking();
  asking = new AbortController();
  const { signal } = asking;
  const number = turns.value.length;
  turns.value = [...turns.value, { question, namespace, text: '' }];
  try {
    const events = eventsOf('api/agents/knowledge/stream', { method: 'POST', body: requestOf(question, namespace), signal });
    for await (const { data } of events) if (data !== '[DONE]' && !signal.aborted) take(number, JSON.parse(data));
    const { finished, failure } = turns.value[number] ?? {};
    if (!finished && !failure && !signal.aborted) changeTurn(number, { failure: 'The answer was interrupted. Retry in a moment.' });
  } catch (error) {
    if (signal.aborted) return;
    changeTurn(number, { failure: error instanceof ApiFailure && error.status === 401 ? 'Sign in to ask a question.' : messageOf(error) });
  }
}

/** Asks a question without the earlier turns. @param onStart receives the turn number @returns undefined if the answer failed */
export async function askInNewThread(question: string, namespace: string, onStart: (number: number) => void): Promise<Reason | undefined> {
  thread = crypto.randomUUID();
  const number = turns.value.length;
  onStart(number);
  await ask(question, namespace);
  return turns.value[number]?.finished?.reason;
}
