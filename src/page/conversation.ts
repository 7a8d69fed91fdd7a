/**
 * The conversation of the Ask view. Its address names its last answer; the server has the
 * conversation, so a reload reads it again.
 */
import { signal } from '@webreflection/signal';
import { ApiFailure, api, eventsOf, messageOf, needsKey } from './api.ts';
import type { Finished, FoundPassage, FoundPassages, StoredAnswer } from './openapi.d.ts';
import { linkTo, may, readRoute, route, server, showAddress } from './session.ts';
import { randomId } from './shared-with-widget.ts';

export type Opened = 'comment' | 'checked' | 'found' | 'curl';

/** Fields of a search; other tools have others. */
type ToolResult = Readonly<{
  args?: { query?: string };
  result: { results?: readonly FoundPassage[] };
}>;
export interface KeptAnswer extends Omit<StoredAnswer, 'answer'> {
  readonly answer: Finished &
    Readonly<{
      toolCalls: readonly { args: { query?: string } }[];
      toolResults: readonly ToolResult[];
    }>;
}

export type AskedTurn = Readonly<{
  question: string;
  namespace: string;
  text: string;
  runId?: string;
  query?: string;
  /** Passages that the search found. */
  passages?: readonly FoundPassage[];
  finished?: Finished;
  failure?: string;
  rating?: 'up' | 'down';
  opened?: Opened | undefined;
  kept?: KeptAnswer;
  found?: FoundPassages;
  /** Asked by another view: not part of the conversation. */
  isAside?: boolean;
}>;

export const turns = signal<readonly AskedTurn[]>([]);
/**
 * Whether the conversation of the address is shown. `partial`: the server returns only one of its
 * answers.
 */
export const opening = signal<
  Readonly<{ is: 'shown' | 'loading' | 'partial' | 'failed'; message?: string }>
>({ is: 'shown' });

const newThread = () => ({ thread: randomId(), resource: 'page' });
let memory = newThread();
let asking: AbortController | undefined;
let loading: AbortController | undefined;
/** Whether the address has named an answer of this conversation. */
let isAddressed = false;

function changeTurn(number: number, to: Partial<AskedTurn>) {
  turns.value = turns.value.map((turn, at) => (at === number ? { ...turn, ...to } : turn));
}

/** Changes the turn of an answer, unless the conversation has been left. */
export function changeAnswer(runId: string, to: Partial<AskedTurn>): void {
  changeTurn(
    turns.value.findIndex((turn) => turn.runId === runId),
    to,
  );
}

function stopAsking(failure = 'Stopped because you asked another question.') {
  asking?.abort();
  turns.value = turns.value.map((turn) => (isRunning(turn) ? { ...turn, failure } : turn));
}

const isRunning = ({ finished, failure }: AskedTurn) => !finished && !failure;
export const isAnswering = () => turns.value.some((turn) => !turn.isAside && isRunning(turn));
export const stopAnswer = () => stopAsking('You stopped this answer.');

export function startOver(): void {
  stopAsking();
  loading?.abort();
  memory = newThread();
  isAddressed = false;
  opening.value = { is: 'shown' };
  turns.value = [];
}

export function requestOf(question: string, namespace: string, isAside = false) {
  const { mention } = server.value ?? { mention: '@agent' };
  return {
    messages: [{ role: 'user', content: mention === null ? question : `${mention} ${question}` }],
    toolParams: { namespace },
    memory: isAside ? newThread() : memory,
  };
}

type Chunk = Readonly<{
  type: string;
  runId: string;
  payload: Partial<Finished & ToolResult & Record<'text' | 'error', string>>;
}>;

function take(number: number, { type, runId, payload }: Chunk) {
  const { text = '', passages = [] } = turns.value[number] ?? {};
  if (type === 'start') changeTurn(number, { runId });
  else if (type === 'tool-call' && payload.args?.query)
    changeTurn(number, { query: payload.args.query });
  else if (type === 'tool-result')
    changeTurn(number, { passages: [...passages, ...(payload.result?.results ?? [])] });
  else if (type === 'text-delta') changeTurn(number, { text: text + (payload.text ?? '') });
  else if (type === 'error')
    changeTurn(number, { failure: payload.error ?? 'The answer failed. Retry in a moment.' });
  else if (type === 'finish' && payload.reason)
    changeTurn(number, { finished: payload as Finished });
}

const addressOf = ({ namespace, runId = '' }: AskedTurn) =>
  linkTo({ view: 'ask', namespace, id: runId });

/** Last turn of the conversation. */
export const lastTurn = () => turns.value.findLast(({ isAside }) => !isAside);

/** Shows the address of the last answer, unless the user has left the conversation. */
function showAnswerAddress() {
  const last = lastTurn();
  const { view, namespace } = readRoute();
  if (!last?.finished || !last.runId || view !== 'ask' || namespace !== last.namespace) return;
  const isNew = !isAddressed;
  isAddressed = true;
  // The server returns no answers to callers without the right `read`, so the tab's history keeps
  // theirs.
  const kept = may('read') ? null : { turns: turns.value, memory };
  showAddress(addressOf(last), isNew, kept);
}

function end(number: number) {
  const { finished, failure, isAside } = turns.value[number] ?? {};
  if (!finished && !failure)
    changeTurn(number, { failure: 'The answer was interrupted. Retry in a moment.' });
  if (finished && !isAside) showAnswerAddress();
}

/** @param replaced number of a turn to ask again; default: a new turn */
export async function ask(
  question: string,
  namespace = route.value.namespace,
  {
    replaced = turns.value.length,
    isAside = false,
  }: Readonly<{ replaced?: number; isAside?: boolean }> = {},
): Promise<void> {
  stopAsking();
  asking = new AbortController();
  const { signal } = asking;
  turns.value = turns.value.toSpliced(replaced, 1, { question, namespace, text: '', isAside });
  const body = requestOf(question, namespace, isAside);
  try {
    const events = eventsOf('api/agents/knowledge/stream', { body, signal });
    for await (const { data } of events)
      if (data !== '[DONE]' && !signal.aborted) take(replaced, JSON.parse(data));
    if (!signal.aborted) end(replaced);
  } catch (error) {
    if (signal.aborted) return;
    changeTurn(replaced, {
      failure: needsKey(error) ? 'Sign in to ask a question.' : messageOf(error),
    });
  }
}

/**
 * Asks a question outside the conversation. @param onStart receives the turn number @returns
 * undefined if the answer failed
 */
export async function askInNewThread(
  question: string,
  namespace: string,
  onStart: (number: number) => void,
): Promise<Finished['reason'] | undefined> {
  const number = turns.value.length;
  onStart(number);
  await ask(question, namespace, { isAside: true });
  return asideAt(number, question)?.finished?.reason;
}

/** Turn of a question that another view asked, until a new conversation removes it. */
export function asideAt(number: number, question: string): AskedTurn | undefined {
  const turn = turns.value[number];
  return turn?.isAside && turn.question === question ? turn : undefined;
}

/** Address that shows the current conversation, or an empty one in another namespace. */
export function conversationLink(): string {
  const { namespace } = route.value;
  const last = turns.value.findLast(
    ({ isAside, finished, runId }) => !isAside && finished && runId,
  );
  return last?.namespace === namespace ? addressOf(last) : linkTo({ view: 'ask' });
}

function toTurn(kept: KeptAnswer): AskedTurn {
  const { runId, question, answer } = kept;
  const { text, namespace, toolCalls, toolResults } = answer;
  const query = toolCalls.find(({ args }) => args.query)?.args.query;
  const passages = toolResults.flatMap(({ result }) => result.results ?? []);
  const asked = { runId, question, namespace, ...(query && { query }) };
  return { ...asked, text, passages, finished: answer, kept };
}

/**
 * Answers of a conversation, oldest first; only the given one if the server has no more for this
 * caller.
 */
async function answersOf(first: KeptAnswer, signal: AbortSignal) {
  if (!first.thread) return [first];
  const names = new URLSearchParams({
    namespace: first.answer.namespace,
    resourceId: first.thread.resourceId,
    limit: '60',
  });
  const { messages } = await api<{ messages: Record<'id' | 'role', string>[] }>(
    `api/memory/threads/${encodeURIComponent(first.thread.id)}/messages?${names}`,
    { signal },
  );
  const ids = messages.flatMap(({ id, role }) => (role === 'assistant' ? [id] : []));
  const read = (id: string) =>
    id === first.runId
      ? first
      : api<KeptAnswer>(`api/answers/${id}`, { signal }).catch(() => undefined);
  return (await Promise.all(ids.map(read))).filter((one) => one !== undefined);
}

async function readConversation(runId: string, signal: AbortSignal) {
  const first = await api<KeptAnswer>(`api/answers/${encodeURIComponent(runId)}`, { signal });
  const { namespace } = first.answer;
  const answers = await answersOf(first, signal);
  signal.throwIfAborted();
  isAddressed = true;
  if (first.thread) memory = { thread: first.thread.id, resource: first.thread.resourceId };
  opening.value = { is: first.thread ? 'shown' : 'partial' };
  turns.value = answers.map(toTurn);
  const { query } = route.peek();
  if (route.peek().namespace !== namespace)
    showAddress(linkTo({ view: 'ask', namespace, id: runId, query }));
}

const openFailure = (error: unknown) => {
  if (!(error instanceof ApiFailure)) return messageOf(error);
  if (error.status === 404)
    return 'There is no such answer, or you have no access to it. It may have been deleted.';
  return error.status === 403 ? 'Sign in to open this answer.' : error.message;
};

/** Shows the conversation that contains an answer. Does nothing if it is shown. */
export async function openConversation(runId: string): Promise<void> {
  if (turns.value.some((turn) => turn.runId === runId && !turn.isAside)) return;
  startOver();
  isAddressed = true;
  const { turns: kept, memory: thread } = history.state ?? {};
  if (kept && thread && !may('read')) {
    memory = thread;
    turns.value = kept;
    return;
  }
  loading = new AbortController();
  const { signal } = loading;
  opening.value = { is: 'loading' };
  try {
    await readConversation(runId, signal);
  } catch (error) {
    if (!signal.aborted) opening.value = { is: 'failed', message: openFailure(error) };
  }
}

/** Shows an empty conversation, or the one that began at this address and is not finished. */
export function openEmpty(namespace: string): void {
  const now = turns.value.find(({ isAside }) => !isAside);
  if (!now || now.namespace !== namespace || isAddressed) startOver();
  else showAnswerAddress();
}
