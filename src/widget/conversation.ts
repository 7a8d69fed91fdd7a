/** Asks the agent by AG-UI and keeps the conversation of this tab. The server stores no thread: each request contains the last turns. */
import { readEvents } from '../concurrency/event-stream.ts';

export interface WidgetSettings {
  /** URL of the server, with a slash at its end. */
  readonly server: string;
  readonly key: string;
  readonly namespace: string;
}

export interface WidgetSource {
  readonly index: number;
  readonly title: string;
  readonly headingPath: readonly string[];
  readonly source: string;
  readonly page: number | null;
  readonly quote: string;
}

/** Names a text of texts.json. */
export type WidgetFailure = 'stopped' | 'failed' | 'busy' | 'refused';

export interface WidgetTurn {
  readonly question: string;
  text: string;
  sources: readonly WidgetSource[];
  state: 'waiting' | 'done' | WidgetFailure;
}

const sentTurns = 6;
const keptTurns = 20;

/** A random id of 128 bits. `crypto.randomUUID` exists only on https pages. */
const randomId = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

async function request({ server, key }: WidgetSettings, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = {
    ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
    ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  return fetch(server + path, { ...init, headers, credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer' });
}

/** Questions that the documents answer; empty if the server has none or does not allow them. */
export async function loadSuggestions(settings: WidgetSettings): Promise<string[]> {
  try {
    const response = await request(settings, `api/namespaces/${encodeURIComponent(settings.namespace)}/suggestions`);
    const { suggestions = [] } = response.ok ? await response.json() : {};
    return suggestions.map(({ question }: { question: unknown }) => String(question)).slice(0, 4);
  } catch {
    return [];
  }
}

function failureOf({ status }: Response): WidgetFailure {
  if (status === 401 || status === 403 || status === 404) return 'refused';
  return status === 429 || status === 503 ? 'busy' : 'failed';
}

function messagesOf(turns: readonly WidgetTurn[], question: string) {
  const earlier = turns.filter(({ state }) => state === 'done').slice(-sentTurns);
  const messages = earlier.flatMap((turn) => [
    { role: 'user', content: turn.question },
    { role: 'assistant', content: turn.text },
  ]);
  return [...messages, { role: 'user', content: question }].map((message, at) => ({ id: String(at), ...message }));
}

/** Applies one event to the turn. */
function take(turn: WidgetTurn, { type, delta, name, value, code }: Record<string, unknown>): void {
  if (type === 'TEXT_MESSAGE_CONTENT') turn.text += delta;
  else if (type === 'CUSTOM' && name === 'citations') turn.sources = value as readonly WidgetSource[];
  else if (type === 'RUN_ERROR') turn.state = code === 'budget_spent' || code === 'busy' ? 'busy' : 'failed';
  else if (type === 'RUN_FINISHED') turn.state = turn.text === '' ? 'failed' : 'done';
}

export interface Conversation {
  readonly turns: readonly WidgetTurn[];
  /** Asks a question after the running ones. @param again the failed turn to repeat */
  ask(question: string, again?: WidgetTurn): void;
  stop(): void;
  clear(): void;
}

/** Calls the function with the tab's storage, unless the browser denies it. */
function withStorage<Result>(use: (storage: Storage) => Result): Result | undefined {
  try {
    return use(sessionStorage);
  } catch {
    return undefined;
  }
}

function openStored(name: string): { readonly thread: string; readonly turns: WidgetTurn[] } {
  const { thread, turns } = withStorage((storage) => JSON.parse(storage.getItem(name) ?? '{}')) ?? {};
  return Array.isArray(turns) && typeof thread === 'string' ? { thread, turns } : { thread: randomId(), turns: [] };
}

/** @param onChange called after each change of a turn */
export function openConversation(settings: WidgetSettings, onChange: (turn?: WidgetTurn) => void): Conversation {
  const stored = `knowledge-chat ${settings.server} ${settings.namespace}`;
  let { thread, turns } = openStored(stored);
  let running = new AbortController();
  let queue = Promise.resolve();

  const save = () => {
    const done = turns.filter(({ state }) => state === 'done').slice(-keptTurns);
    withStorage((storage) => storage.setItem(stored, JSON.stringify({ thread, turns: done })));
  };

  async function answer(turn: WidgetTurn, signal: AbortSignal): Promise<void> {
    const messages = messagesOf(turns.slice(0, turns.indexOf(turn)), turn.question);
    const { namespace } = settings;
    const body = { threadId: thread, runId: randomId(), messages, tools: [], context: [], state: {}, forwardedProps: { namespace } };
    const response = await request(settings, 'api/agents/knowledge/ag-ui', { method: 'POST', body: JSON.stringify(body), signal });
    if (!response.ok || !response.body) turn.state = failureOf(response);
    else
      for await (const { data } of readEvents(response.body)) {
        take(turn, JSON.parse(data));
        onChange(turn);
      }
    if (turn.state === 'waiting') turn.state = 'failed';
  }

  async function run(turn: WidgetTurn, { signal }: AbortController): Promise<void> {
    await (signal.aborted ? undefined : answer(turn, signal).catch(() => undefined));
    if (signal.aborted && turn.state !== 'done') turn.state = 'stopped';
    if (turn.state === 'waiting') turn.state = 'failed';
    save();
    onChange(turn);
  }

  const stop = () => {
    running.abort();
    running = new AbortController();
  };
  return {
    get turns() {
      return turns;
    },
    ask(question, again) {
      const turn = again ?? { question, text: '', sources: [], state: 'waiting' };
      Object.assign(turn, { text: '', sources: [], state: 'waiting' });
      if (!again) turns.push(turn);
      onChange(turn);
      const asked = running;
      queue = queue.then(() => run(turn, asked));
    },
    stop,
    clear() {
      stop();
      thread = randomId();
      turns = [];
      save();
      onChange();
    },
  };
}
