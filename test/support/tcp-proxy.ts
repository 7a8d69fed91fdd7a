/** TCP proxy to PostgreSQL that can silently stop forwarding. */
import { once } from 'node:events';
import { createServer, connect as open, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  cut(): void;
  /** Ends every connection, also new ones, after this many more messages to PostgreSQL. */
  breakAfter(messages: number): void;
  restore(): void;
  /** Refuses connections until `reopen`. */
  close(): void;
  reopen(): Promise<unknown>;
}

export async function openTcpProxy(to: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  let untilBreak = Number.POSITIVE_INFINITY;
  const end = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    client.on('data', () => {
      untilBreak--;
      if (untilBreak < 0) end();
    });
    const far = open(to, '127.0.0.1');
    for (const [one, other] of [
      [client, far],
      [far, client],
    ] as const) {
      sockets.add(one);
      one.on('data', (bytes) => !isCut && other.write(bytes));
      one.on('error', () => other.destroy());
      // Dropped bytes cannot be resent, so a cut connection stays open but useless.
      one.on('close', () => {
        sockets.delete(one);
        if (!isCut) other.destroy();
      });
    }
  });
  const listen = (at: number) => {
    server.listen(at, '127.0.0.1');
    return once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as { port: number };
  return {
    port,
    reopen: () => listen(port),
    cut: () => {
      isCut = true;
    },
    breakAfter: (messages) => {
      untilBreak = messages;
    },
    restore: () => {
      isCut = false;
      untilBreak = Number.POSITIVE_INFINITY;
      end();
    },
    close: () => {
      end();
      server.close();
    },
  };
}
