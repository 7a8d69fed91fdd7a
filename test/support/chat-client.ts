/** A chat client, as its own package makes one, behind the few words that every scenario needs. */

/** Where it is pointed. */
export interface ChatServer {
  readonly url: string;
  /** Sent as the client sends keys. */
  readonly key: string;
  /** The same documents and the same provider, for a client that starts a process of its own. */
  readonly settings: Readonly<Record<string, string>>;
}

export interface ClientQuestion {
  readonly text: string;
  /** Default: `default`. */
  readonly namespace?: string | undefined;
  /** What the scenario calls this conversation; questions of one conversation are asked one after the other. */
  readonly conversation?: string | undefined;
  /** Sent as header `addressed`. */
  readonly addressed?: boolean | undefined;
  /** The user leaves. */
  readonly signal?: AbortSignal | undefined;
  /** Told of text as it comes, where the client reads a stream. */
  readonly onText?: ((text: string) => void) | undefined;
}

/** What the client's user gets. */
export interface ClientAnswer {
  readonly text: string;
  /** What the citations quote, in the client's own form of sources. */
  readonly quotes: readonly string[];
  /** What it says of a failure, where it tells one: its message with its code, if there is one. */
  readonly error?: string | undefined;
}

export interface ChatClient {
  /** Package and what of it is used. */
  readonly name: string;
  /** Where citations are found. */
  readonly sources: string;
  /** Whether the sources in its text are Markdown links. */
  readonly hasLinks?: boolean;
  /** Whether a message has to mention the agent. */
  readonly needsMention: boolean;
  /** Whether text comes while it is written. */
  readonly isStreamed: boolean;
  /** Scenarios that it has no place for, by name. */
  readonly without?: readonly string[];
  /** Ends what was begun. */
  open(server: ChatServer): Promise<{ ask(question: ClientQuestion): Promise<ClientAnswer>; close?(): Promise<void> }>;
}

/** Of what a client throws: its message, and those of its causes. */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return JSON.stringify(thrown);
  const more = Object.fromEntries(Object.entries(thrown).filter(([, value]) => ['string', 'number', 'object'].includes(typeof value)));
  return `${thrown.name}: ${thrown.message} ${safeJson(more)}${thrown.cause === undefined ? '' : ` ${messageOf(thrown.cause)}`}`;
}

function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '';
  }
}
