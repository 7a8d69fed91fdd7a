/** Standard input and output as the Model Context Protocol's transport, which knows what it has read and not answered yet. */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CancelledNotificationSchema, isJSONRPCRequest, type JSONRPCMessage, type RequestId } from '@modelcontextprotocol/sdk/types.js';

/** Of one message; what is longer closes the transport. */
export const maxMessageMebibytes = 10;

export class StdioTransport extends StdioServerTransport {
  readonly #unanswered = new Set<RequestId>();
  #onAnswered: () => void = () => undefined;

  constructor() {
    super(process.stdin, process.stdout, { maxBufferSize: maxMessageMebibytes * 1024 * 1024 });
  }

  read(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) this.#unanswered.add(message.id);
    // Nothing is said to a request that was cancelled.
    const cancelled = CancelledNotificationSchema.safeParse(message).data?.params.requestId;
    if (cancelled !== undefined) this.#settle(cancelled);
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message);
    if (!('method' in message) && message.id !== undefined) this.#settle(message.id);
  }

  async whenAnswered(): Promise<void> {
    if (this.#unanswered.size > 0) await new Promise<void>((resolve) => (this.#onAnswered = resolve));
  }

  #settle(request: RequestId): void {
    this.#unanswered.delete(request);
    if (this.#unanswered.size === 0) this.#onAnswered();
  }
}
