import { execFileSync, fork, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { get } from 'node:http';
import { connect, createServer } from 'node:net';
import { expect, it } from 'vitest';

const refusal = 'A pure test opens no socket and starts no process';

it.each<[string, () => unknown]>([
  ['connect to a server', () => connect(9, '127.0.0.1')],
  ['send an HTTP request', () => get('http://127.0.0.1:9/')],
  ['listen', () => createServer().listen(0)],
  ['bind a datagram socket', () => createSocket('udp4').bind(0)],
  ['send a datagram', () => createSocket('udp4').send('x', 9, '127.0.0.1')],
  ['spawn a process', () => spawn('true')],
  ['fork a process', () => fork('nothing.js')],
  ['run a file synchronously', () => execFileSync('true')],
])('pure tests cannot %s', (_, reach) => {
  expect(reach).toThrow(refusal);
});

it('pure tests cannot fetch', async () => {
  await expect(fetch('http://127.0.0.1:4340/')).rejects.toMatchObject({ cause: { message: expect.stringContaining(refusal) } });
});
