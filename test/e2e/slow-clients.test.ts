/** Clients that hold connections by sending next to nothing: they are closed, and others are answered meanwhile. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { startServerProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/workspace.ts';

const connections = 200;
/** Ten seconds for headers, five until that is looked at, and room for a busy machine; Node by itself waits a minute. */
const closedWithinMs = 45_000;

it('connections whose headers never end are closed, and say why', async () => {
  const folder = await temporaryFolder();
  const server = await startServerProcess({ KNOWLEDGE_DIR: join(folder, 'knowledge'), INDEX_DIR: join(folder, 'index') });
  const port = Number(new URL(server.url).port);
  const sockets = Array.from({ length: connections }, () => connect(port, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const started = performance.now();
  for (const socket of sockets) socket.on('error', () => undefined).write('GET /health HTTP/1.1\r\nhost: localhost\r\n');
  const drip = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('x: y\r\n');
  }, 1_000);
  onTestFinished(() => clearInterval(drip));
  const said = sockets.map((socket) => text(socket).catch(() => ''));
  expect((await fetch(`${server.url}/ready`)).status).toBe(200);
  const answers = await Promise.all(said);
  expect(performance.now() - started).toBeLessThan(closedWithinMs);
  expect(answers.filter((answer) => answer.startsWith('HTTP/1.1 408 ')).length).toBeGreaterThan(connections / 2);
  expect((await fetch(`${server.url}/ready`)).status).toBe(200);
});
