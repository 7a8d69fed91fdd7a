/**
 * Name server on loopback (RFC 1035, UDP) that returns the prepared answers in order and then
 * repeats the last.
 */
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { whenDone } from './when-done.ts';

const header = 12;
const typeA = 1;

/** End of the question section and the requested type. */
function questionOf(query: Buffer) {
  let at = header;
  while (query[at] !== 0) at += (query[at] ?? 0) + 1;
  return { end: at + 5, type: query.readUInt16BE(at + 1) };
}

function answerTo(query: Buffer, addresses: readonly string[]) {
  const { end, type } = questionOf(query);
  const given = type === typeA ? addresses : [];
  const head = Buffer.from(query.subarray(0, header));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(given.length, 6);
  head.writeUInt32BE(0, 8);
  // Name pointer, type A, class IN, TTL 0, four bytes.
  const record = [0xc0, header, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4];
  const records = given.map((address) =>
    Buffer.from([...record, ...address.split('.').map(Number)]),
  );
  return Buffer.concat([head, query.subarray(header, end), ...records]);
}

/** @returns a resolver that uses it, and the number of address queries */
export async function startNameServer(answers: readonly (readonly string[])[]) {
  const socket = createSocket('udp4');
  let asked = 0;
  socket.on('message', (query, from) => {
    const addresses = answers[Math.min(asked, answers.length - 1)] ?? [];
    if (questionOf(query).type === typeA) asked++;
    socket.send(answerTo(query, addresses), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  whenDone(() => void socket.close());
  const resolver = new Resolver({ timeout: 1_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return { resolve: (hostname: string) => resolver.resolve4(hostname), asked: () => asked };
}
