import { execFileSync, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';
import { expect, it } from 'vitest';

const refusal = 'A pure test must not open sockets or start processes';

it.each<[string, () => unknown]>([
  ['connects to a server', () => connect(9, '127.0.0.1')],
  ['listens', () => createServer().listen(0)],
  ['sends a datagram', () => createSocket('udp4').send('x', 9, '127.0.0.1')],
  ['spawns', () => spawn('true')],
  ['runs a file and waits', () => execFileSync('true')],
])('no pure test %s', (_, reach) => {
  expect(reach).toThrow(refusal);
});

it('no pure test fetches', async () => {
  await expect(fetch('http://127.0.0.1:4340/')).rejects.toMatchObject({
    cause: { message: expect.stringContaining(refusal) },
  });
});
