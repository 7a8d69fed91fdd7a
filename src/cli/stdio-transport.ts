/** Standard input and output as the Model Context Protocol's transport, which knows what it has read and not answered yet. */
import { PassThrough } from 'node:stream';
import { isJSONRPCRequest, isSpecType, type JSONRPCMessage, type RequestId } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/** Of one message; what is longer closes the transport. */
export const maxMessageMebibytes = 10;

export class StdioTransport extends StdioServerTransport {
  readonly #unanswered = new Set<RequestId>();
  #onAnswered: () => void = () => undefined;

  constructor() {
    // Without its end: with that the transport would close before all is answered.
    super(process.stdin.pipe(new PassThrough(), { end: false }), process.stdout, { maxBufferSize: maxMessageMebibytes * 1024 * 1024 });
  }

  /** To be told of every message that is read. */
  read(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) this.#unanswered.add(message.id);
    // Nothing is said to a request that was cancelled.
    if (isSpecType.CancelledNotification(message) && message.params.requestId !== undefined) this.#settle(message.params.requestId);
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message);
    if (!('method' in message) && message.id !== undefined) this.#settle(message.id);
  }

  /** Resolves when nothing is left to answer. */
  async whenAnswered(): Promise<void> {
    if (this.#unanswered.size > 0) await new Promise<void>((resolve) => (this.#onAnswered = resolve));
  }

  #settle(request: RequestId): void {
    this.#unanswered.delete(request);
    if (this.#unanswered.size === 0) this.#onAnswered();
  }
}
