import { expect, it } from 'vitest';
import { readEvents } from '../../../packages/shared/src/concurrency/event-stream.ts';

const bodyOf = (parts: readonly string[]) =>
  ReadableStream.from(parts.map((part) => new TextEncoder().encode(part)));
async function eventsIn(parts: readonly string[]) {
  const events: string[] = [];
  for await (const { event, data } of readEvents(bodyOf(parts))) events.push(`${event}: ${data}`);
  return events;
}

const stream =
  'event: progress\ndata: {"done":1}\n\n:comment\nid: 7\ndata:one\ndata: two\u2028\n\nevent: none\n\ndata\n\ndata: cut off';
const expected = ['progress: {"done":1}', 'message: one\ntwo\u2028', 'message: '];

it.each(['\n', '\r', '\r\n'])(
  'reads events with line ends %j from chunks of any size',
  async (end) => {
    const text = stream.replaceAll('\n', end);
    expect(await eventsIn([text])).toEqual(expected);
    expect(await eventsIn([...text])).toEqual(expected);
  },
);

it('yields an event as soon as its last line has arrived', async () => {
  const { readable, writable } = new TransformStream<
    Uint8Array<ArrayBuffer>,
    Uint8Array<ArrayBuffer>
  >();
  const events = readEvents(readable);
  void writable.getWriter().write(new TextEncoder().encode('data: 1\r\r'));
  expect((await events.next()).value).toEqual({ event: 'message', data: '1' });
});

it('cancels the stream if the reader stops', async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('data: 1\n\n')),
    cancel: () => {
      isCancelled = true;
    },
  });
  for await (const _ of readEvents(body)) break;
  expect(isCancelled).toBe(true);
});
