/**
 * Asks the agent by AG-UI and keeps the conversation of this tab. The server stores no thread: each
 * request contains the last turns.
 */
import { readEvents } from '../../packages/shared/src/concurrency/event-stream.ts';
import type { CitedPlace } from '../page/openapi.d.ts';
import { randomId, withStorage } from '../page/shared-with-widget.ts';

export type WidgetSettings = Readonly<{
  /** URL of the server, with a slash at its end. */
  server: string;
  key: string;
  /** Empty: `default`, or the only one of the key. */
  namespace: string;
}>;

/** Names a text of texts.json. */
type WidgetFailure = 'stopped' | 'failed' | 'busy' | 'refused';

export type Rating = 'up' | 'down';

export interface WidgetTurn {
  readonly question: string;
  /** Id of the answer on the server. */
  runId?: string | undefined;
  rating?: Rating | undefined;
  text: string;
  /** Quotes of one section have the same index. */
  sources: readonly CitedPlace[];
  state: 'waiting' | 'done' | WidgetFailure;
}

const sentTurns = 6;
const keptTurns = 20;
const failures: Readonly<Record<string, WidgetFailure>> = {
  401: 'refused',
  403: 'refused',
  404: 'refused',
  429: 'busy',
  503: 'busy',
  busy: 'busy',
  budget_spent: 'busy',
};

function request({ server, key }: WidgetSettings, path: string, init: RequestInit = {}) {
  const headers = {
    ...(key && { authorization: `Bearer ${key}` }),
    ...(init.body && { 'content-type': 'application/json' }),
  };
  return fetch(server + path, {
    ...init,
    headers,
    credentials: 'omit',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
  });
}

/** Questions that the documents answer; empty if the server has none or does not allow them. */
export async function loadSuggestions(settings: WidgetSettings): Promise<string[]> {
  const response = request(
    settings,
    `api/namespaces/${encodeURIComponent(settings.namespace || 'default')}/suggestions`,
  );
  const { suggestions = [] }: { suggestions?: { question: string }[] } = await response
    .then((found) => found.json())
    .catch(() => ({}));
  return suggestions.slice(0, 4).map(({ question }) => question);
}

function messagesOf(earlier: readonly WidgetTurn[], question: string) {
  const answered = earlier.filter(({ state }) => state === 'done').slice(-sentTurns);
  const contents = [...answered.flatMap((turn) => [turn.question, turn.text]), question];
  return contents.map((content, at) => ({
    id: String(at),
    role: at % 2 === 0 ? 'user' : 'assistant',
    content,
  }));
}

/** Applies one event to the turn. */
function take(
  turn: WidgetTurn,
  { type, delta, name, value, code, result }: Record<string, unknown>,
) {
  if (type === 'TEXT_MESSAGE_CONTENT') turn.text += delta;
  else if (type === 'CUSTOM' && name === 'citations') turn.sources = value as readonly CitedPlace[];
  else if (type === 'RUN_ERROR') turn.state = failures[String(code)] ?? 'failed';
  else if (type === 'RUN_FINISHED') {
    turn.state = turn.text === '' ? 'failed' : 'done';
    turn.runId = (result as { runId?: string } | undefined)?.runId;
  }
}

/** @param onChange called after each change of a turn */
export function startChat(settings: WidgetSettings, onChange: (turn: WidgetTurn) => void) {
  const stored = `knowledge-chat ${settings.server} ${settings.namespace}`;
  const turns: WidgetTurn[] =
    withStorage((storage) => JSON.parse(storage.getItem(stored) ?? '[]')) ?? [];
  let threadId = randomId();
  let running = new AbortController();
  let queue = Promise.resolve();

  const save = () => {
    const done = turns.filter(({ state }) => state === 'done').slice(-keptTurns);
    withStorage((storage) => storage.setItem(stored, JSON.stringify(done)));
  };

  async function answer(turn: WidgetTurn, signal: AbortSignal) {
    const messages = messagesOf(turns.slice(0, turns.indexOf(turn)), turn.question);
    const forwardedProps = settings.namespace === '' ? {} : { namespace: settings.namespace };
    const body = JSON.stringify({
      threadId,
      runId: randomId(),
      messages,
      tools: [],
      context: [],
      state: {},
      forwardedProps,
    });
    const response = await request(settings, 'api/agents/knowledge/ag-ui', {
      method: 'POST',
      body,
      signal,
    });
    if (!response.ok) turn.state = failures[response.status] ?? 'failed';
    else if (response.body)
      for await (const { data } of readEvents(response.body)) {
        take(turn, JSON.parse(data));
        onChange(turn);
      }
  }

  async function run(turn: WidgetTurn, { signal }: AbortController) {
    await answer(turn, signal).catch(() => undefined);
    if (turn.state === 'waiting') turn.state = signal.aborted ? 'stopped' : 'failed';
    save();
    onChange(turn);
  }

  function stop() {
    running.abort();
    running = new AbortController();
  }

  return {
    turns,
    stop,
    /** Asks a question after the running ones. @param again the failed turn to repeat */
    ask(question: string, again?: WidgetTurn) {
      const turn = Object.assign(again ?? { question }, {
        rating: undefined,
        text: '',
        sources: [],
        state: 'waiting' as const,
      });
      if (!again) turns.push(turn);
      onChange(turn);
      const asked = running;
      queue = queue.then(() => run(turn, asked));
    },
    /** @returns the server's sentence for the user, if any @throws if the rating is not saved */
    async rate(turn: WidgetTurn, rating: Rating): Promise<string> {
      const response = await request(settings, `api/answers/${turn.runId}/feedback`, {
        method: 'POST',
        body: JSON.stringify({ rating }),
      });
      if (!response.ok) throw new Error(String(response.status));
      turn.rating = rating;
      save();
      return (await response.json()).handedOff ?? '';
    },
    clear() {
      stop();
      threadId = randomId();
      turns.length = 0;
      save();
    },
  };
}
