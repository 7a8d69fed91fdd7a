/**
 * Requests that are being answered, so that a later one can end them: MCP sends `notifications/cancelled` in a request of its own. A session
 * is nothing but the id that was given out for it, and a caller reaches nobody's requests but their own.
 */
export interface RequestName {
  readonly callerId: string;
  readonly session: string;
  /** As JSON-RPC has it: 1 and "1" are two. */
  readonly request: string | number;
}

const keyOf = ({ callerId, session, request }: RequestName) => JSON.stringify([callerId, session, request]);

export function createRequestsInFlight() {
  const ends = new Map<string, () => void>();
  return {
    /** @returns to be called when it is answered */
    begin(name: RequestName, end: () => void): () => void {
      const key = keyOf(name);
      ends.set(key, end);
      return () => {
        if (ends.get(key) === end) ends.delete(key);
      };
    },
    /** Ends it, where it is known here. */
    cancel: (name: RequestName): void => ends.get(keyOf(name))?.(),
  };
}
