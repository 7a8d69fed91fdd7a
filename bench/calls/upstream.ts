/** A calling service that answers every list at once with the same 30 calls, in a process of its own. Prints its address. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const participant = (uid: string) => ({
  uid,
  totalAudioMinutes: 1.5,
  totalVideoMinutes: 0,
  totalDuration: 1.5,
  isJoined: true,
  state: 'ended',
  deviceId: `device-of-${uid}`,
  joinedAt: 1_692_368_194,
  leftAt: 1_692_368_284,
  mid: `mid-of-${uid}`,
});

const data = Array.from({ length: 30 }, (_, number) => ({
  sessionId: `v1.us.208136f5ba34a5a2.1692368194${number}`,
  totalAudioMinutes: 1.5,
  totalVideoMinutes: 0,
  totalDuration: '00:01:30',
  totalDurationInMinutes: 1.5,
  hasRecording: false,
  initiatedAt: 1_692_368_194 - number,
  startedAt: 1_692_368_200 - number,
  endedAt: 1_692_368_290 - number,
  initiator: 'alice',
  mode: 'call',
  receiver: 'bob',
  receiverType: 'user',
  status: 'ended',
  totalParticipants: 2,
  type: 'audio',
  mid: `mid-${number}`,
  participants: [participant('alice'), participant('bob')],
}));

const page = JSON.stringify({ data, meta: { pagination: { total: 3_000, count: 30, per_page: 30, current_page: 1, total_pages: 100 } } });

const server = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'x-rate-limit': '20000', 'x-rate-limit-remaining': '19999' });
  response.end(page);
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`));
