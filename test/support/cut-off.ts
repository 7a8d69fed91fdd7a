/** A way to PostgreSQL that can be cut: nothing arrives any more, and nobody is told. */
import { createServer, connect as open, type Socket } from 'node:net';

export interface Way {
  readonly port: number;
  cut(): void;
  mend(): void;
  close(): void;
}

export async function openWay(to: number): Promise<Way> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    const far = open(to, '127.0.0.1');
    for (const [one, other] of [
      [client, far],
      [far, client],
    ] as const) {
      sockets.add(one);
      one.on('data', (bytes) => !isCut && other.write(bytes));
      one.on('error', () => other.destroy());
      // What was held back cannot be sent later: the connection is of no use any more.
      one.on('close', () => {
        sockets.delete(one);
        if (!isCut) other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const end = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    cut: () => {
      isCut = true;
    },
    mend: () => {
      isCut = false;
      end();
    },
    close: () => {
      end();
      server.close();
    },
  };
}
