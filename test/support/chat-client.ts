/** Common interface of the chat clients, each built with its own package. */

export interface ChatServer {
  readonly url: string;
  readonly key: string;
  /**
   * Settings with the same documents and provider, for a client that starts its own server process.
   */
  readonly settings: Readonly<Record<string, string>>;
}

export interface ClientQuestion {
  readonly text: string;
  /** Default: `default`. */
  readonly namespace?: string | undefined;
  /** Name of the conversation in the scenario. Its questions are asked in sequence. */
  readonly conversation?: string | undefined;
  /** Sent as header `addressed`. */
  readonly addressed?: boolean | undefined;
  /** Aborted when the user disconnects. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the text received so far if the client streams. */
  readonly onText?: ((text: string) => void) | undefined;
}

export interface ClientAnswer {
  readonly text: string;
  /** Quotes of the citations. */
  readonly quotes: readonly string[];
  /** Error message with its code, if the client reports a failure. */
  readonly error?: string | undefined;
}

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

function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '';
  }
}
