import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { startServerProcess } from '../support/server-process.ts';
import { foldersIn, temporaryFolder } from '../support/workspace.ts';

const connections = 200;
/**
 * One line per second; the limit is 10 s, checked every 5 s. Node's default would take sixty lines.
 */
const maxLines = 30;

it('closes connections with endless headers and responds 408', async () => {
  const server = await startServerProcess(foldersIn(await temporaryFolder()));
  const port = Number(new URL(server.url).port);
  const sockets = Array.from({ length: connections }, () => connect(port, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  for (const socket of sockets)
    socket.on('error', () => undefined).write('GET /health HTTP/1.1\r\nhost: localhost\r\n');
  let lines = 0;
  const drip = setInterval(() => {
    lines += 1;
    for (const socket of sockets) if (socket.writable) socket.write('x: y\r\n');
  }, 1_000);
  onTestFinished(() => clearInterval(drip));
  const responses = sockets.map((socket) => text(socket).catch(() => ''));
  expect((await server.get('/ready')).status).toBe(200);
  const answers = await Promise.all(responses);
  expect(lines).toBeLessThan(maxLines);
  expect(answers.filter((answer) => answer.startsWith('HTTP/1.1 408 ')).length).toBeGreaterThan(
    connections / 2,
  );
  expect((await server.get('/ready')).status).toBe(200);
  // Health checks of load balancers send no Host.
  const check = connect(port, '127.0.0.1');
  check.write('GET /ready HTTP/1.0\r\n\r\n');
  expect(await text(check)).toMatch(/^HTTP\/1\.1 200 /);
});
