/** Common interface of the chat clients, each built with its own package. */

export type ChatServer = Readonly<{
  url: string;
  key: string;
  /**
   * Settings with the same documents and provider, for a client that starts its own server process.
   */
  settings: Readonly<Record<string, string>>;
}>;

export type ClientQuestion = Readonly<{
  text: string;
  /** Default: `default`. */
  namespace?: string | undefined;
  /** Name of the conversation in the scenario. Its questions are asked in sequence. */
  conversation?: string | undefined;
  /** Sent as header `addressed`. */
  addressed?: boolean | undefined;
  /** Aborted when the user disconnects. */
  signal?: AbortSignal | undefined;
  /** Called with the text received so far if the client streams. */
  onText?: ((text: string) => void) | undefined;
}>;

export type ClientAnswer = Readonly<{
  text: string;
  /** Quotes of the citations. */
  quotes: readonly string[];
  /** Error message with its code, if the client reports a failure. */
  error?: string | undefined;
}>;

export interface ChatClient {
  readonly name: string;
  /** Field that contains the citations. */
  readonly sources: string;
  /** Whether the sources in its text are Markdown links. */
  readonly hasLinks?: boolean;
  /** Whether a refusal has no `Sources: none`, because the client shows citations itself. */
  readonly hidesNoSources?: boolean;
  /** Whether a message has to mention the agent. */
  readonly needsMention: boolean;
  /** Whether text arrives while it is generated. */
  readonly isStreamed: boolean;
  /** Names of scenarios that it does not support. */
  readonly without?: readonly string[];
  open(
    server: ChatServer,
  ): Promise<{ ask(question: ClientQuestion): Promise<ClientAnswer>; close?(): Promise<void> }>;
}

/** A question as a client sends it, and what the client has received of the answer. */
export class Turn {
  text = '';
  quotes: string[] = [];
  error: string | undefined;
  readonly question: string;
  readonly namespace: string;
  /** Undefined outside a conversation. */
  readonly conversation: string | undefined;
  /** A conversation of its own where the question names none. */
  readonly thread: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
  readonly server: ChatServer;
  readonly #onText: ClientQuestion['onText'];

  constructor(server: ChatServer, asked: ClientQuestion) {
    this.question = asked.text;
    this.namespace = asked.namespace ?? 'default';
    this.conversation = asked.conversation;
    this.thread = asked.conversation ?? crypto.randomUUID();
    this.headers = asked.addressed === undefined ? {} : { addressed: String(asked.addressed) };
    this.signal = asked.signal;
    this.server = server;
    this.#onText = asked.onText;
  }

  /** Options of a request to the server's OpenAI API. */
  get request() {
    return this.signal ? { signal: this.signal } : {};
  }

  get authorized() {
    return { authorization: `Bearer ${this.server.key}`, ...this.headers };
  }

  /** Settings of a client of OpenAI's API. */
  get openAi() {
    const { url, key } = this.server;
    const options = { baseURL: `${url}/v1`, maxRetries: 0, defaultHeaders: { ...this.headers } };
    return { apiKey: key, ...options };
  }

  get model() {
    return `knowledge/${this.namespace}`;
  }

  /** Settings of Mastra's client. */
  get mastra() {
    const abort = this.signal ? { abortSignal: this.signal } : {};
    return { baseUrl: this.server.url, retries: 0, headers: this.authorized, ...abort };
  }

  add(text: string | null | undefined): void {
    if (!text) return;
    this.text += text;
    this.#onText?.(this.text);
  }

  /** Replaces the text by a longer one. */
  show(text: string): void {
    if (text === '') return;
    this.text = text;
    this.#onText?.(text);
  }

  cite(citations: readonly { readonly quote: string }[] | undefined): void {
    if (citations) this.quotes = citations.map(({ quote }) => quote);
  }

  /** Reads a chunk of Mastra's stream. */
  readonly onChunk = async ({ type, payload }: any) => {
    if (type === 'text-delta') this.add(payload.text);
    if (type === 'finish') this.cite(payload.citations);
    if (type === 'error') this.error = JSON.stringify(payload);
  };
}

type Facts = Omit<ChatClient, 'open' | 'needsMention' | 'isStreamed'> &
  Partial<Pick<ChatClient, 'needsMention' | 'isStreamed'>>;

/** @param prepare returns a function that asks one question after another */
export const chatClient = (
  facts: Facts,
  prepare: (server: ChatServer) => (turn: Turn) => Promise<void>,
): ChatClient => ({
  needsMention: false,
  isStreamed: true,
  ...facts,
  async open(server) {
    const send = prepare(server);
    return {
      async ask(asked) {
        const turn = new Turn(server, asked);
        try {
          await send(turn);
        } catch (thrown) {
          turn.error ??= messageOf(thrown);
        }
        const { text, quotes, error } = turn;
        return { text, quotes, error };
      },
    };
  },
});

/** A client that sends its conversation with each question. @param reply returns its new messages */
export const historyClient = <Message>(
  facts: Facts,
  reply: (turn: Turn, earlier: readonly Message[]) => Promise<readonly Message[]>,
): ChatClient =>
  chatClient(facts, () => {
    const conversations = new Map<string, readonly Message[]>();
    return async (turn) => {
      const earlier = conversations.get(turn.thread) ?? [];
      conversations.set(turn.thread, await reply(turn, earlier));
    };
  });

/** Message of a thrown error and its causes. */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return JSON.stringify(thrown);
  const more = Object.fromEntries(
    Object.entries(thrown).filter(([, value]) =>
      ['string', 'number', 'object'].includes(typeof value),
    ),
  );
  return `${thrown.name}: ${thrown.message} ${safeJson(more)}${thrown.cause === undefined ? '' : ` ${messageOf(thrown.cause)}`}`;
}

function safeJson(value: unknown) {
  try {
    return JSON.stringify(value);
  } catch {
    return '';
  }
}
