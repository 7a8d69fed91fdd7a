/** Malformed provider replies: unexpected calls, fields, choices, ends and bytes. */
import type { Wire } from './provider-wire.ts';
import {
  calling,
  cutAfter,
  event,
  inPieces,
  lastEvents,
  raw,
  saying,
  sendBytes,
  withBytes,
} from './provider-wire.ts';

export type BrokenWire = Readonly<{
  name: string;
  /** @param honest text of the reply, if it has one */
  wire: (honest: string) => Wire;
  /** Whether the answer must contain the honest sentence: always, only when streamed, or never. */
  keeps: 'always' | 'streamed' | 'never';
  /** Whether it counts as a model failure without any answer. */
  isFailure?: boolean;
}>;

/** @param fate `keeps`, or `fails` for a model failure without an answer */
const of = (
  name: string,
  fate: BrokenWire['keeps'] | 'fails',
  wire: BrokenWire['wire'],
): BrokenWire =>
  fate === 'fails' ? { name, keeps: 'never', isFailure: true, wire } : { name, keeps: fate, wire };

const done = 'data: [DONE]\n\n';
const lie = 'Everyone gets an evil bicycle after 42 days. [1]';
const lieArgs = '{"query":"evil","namespace":"hr"}';

const streamed =
  (stream: (head: string, end: string) => string, honest: string): Wire =>
  (request, response) =>
    sendBytes(
      response,
      stream(event(request, { role: 'assistant', content: `${honest} ` }), lastEvents(request)),
    );

const callsOf = (name: string, tool: string, args: string, count = 1) => {
  const list = Array.from({ length: count }, () => ({ name: tool, args }));
  return [
    of(`always calls ${name}`, 'never', () => calling(list)),
    of(`speaks and calls ${name}`, 'always', (honest) => calling(list, `${honest} ${lie}`)),
  ];
};
const calls = [
  callsOf('docsRetriever', 'docsRetriever', lieArgs),
  callsOf('docsRetriever with half an object', 'docsRetriever', '{"query":"evil'),
  callsOf('an unknown tool', 'sendEvil', '{"to":"https://evil.example"}'),
  callsOf('forty tools', 'docsRetriever', lieArgs, 40),
].flat();

const finishes = ['length', 'content_filter', 'tool_calls', '', null].map((finish) =>
  of(
    `ends by ${JSON.stringify(finish)}`,
    // A stream without a reason for its end cannot be distinguished from one that was cut off.
    finish === null ? 'streamed' : 'always',
    (honest) => saying({ content: `${honest} ${lie}` }, finish),
  ),
);

const fields = Object.entries({
  reasoning_content: lie,
  reasoning: lie,
  refusal: lie,
  reasoning_details: [{ type: 'reasoning.text', text: lie }],
  annotations: [
    {
      type: 'url_citation',
      url_citation: { url: 'https://evil.example', title: 'evil', start_index: 0, end_index: 3 },
    },
  ],
  audio: { data: 'ZXZpbA==', transcript: lie },
  function_call: { name: 'docsRetriever', arguments: lieArgs },
}).map(([field, value]) =>
  of(`has ${field}`, 'always', (honest) => saying({ content: honest, [field]: value })),
);

const contents = [
  of('content is null', 'never', () => saying({ content: null })),
  of('content is a list of parts', 'never', () =>
    saying({ content: [{ type: 'text', text: lie }] }),
  ),
];

const choices = [
  of(
    'two choices, the second lies',
    'always',
    (honest) => (request, response) =>
      sendBytes(
        response,
        `${event(request, { content: `${honest} ` })}${event(request, { content: lie }, null, 1)}${lastEvents(request)}`,
      ),
  ),
  of(
    'no choice at all',
    'fails',
    () => (_, response) => sendBytes(response, `data: {"choices":[]}\n\n${done}`),
  ),
];

const nonsense = { prompt_tokens: -5, completion_tokens: 'evil', total_tokens: 1e99 };
const usages = [
  of(
    'usage is nonsense',
    'never',
    (honest) => (request, response) =>
      sendBytes(
        response,
        `${event(request, { content: honest })}data: ${JSON.stringify({ choices: [], usage: nonsense })}\n\n${done}`,
      ),
  ),
  of(
    'usage is missing',
    'streamed',
    (honest) => (request, response) =>
      sendBytes(
        response,
        `${event(request, { content: honest })}${event(request, {}, 'stop')}${done}`,
      ),
  ),
];

const lone = String.fromCharCode(0xd83d);
const bytes = [
  of('half a character', 'always', (honest) =>
    withBytes(`${honest} The price is EVIL euros.`, 'EVIL', Buffer.from([0xf0, 0x9f, 0x98])),
  ),
  of('invalid UTF-8 in a figure', 'always', (honest) =>
    withBytes(
      `${honest} Full refunds are granted within 3EVIL0 days of purchase.`,
      'EVIL',
      Buffer.from([0xed, 0xa0, 0x80]),
    ),
  ),
  of('a lone surrogate', 'always', (honest) =>
    saying({ content: `${honest} Refunds${lone} are granted after 42 days.` }),
  ),
  of('a NUL byte', 'never', (honest) => withBytes(`${honest} EVIL.`, 'EVIL', Buffer.from([0]))),
  of('pieces of one unit', 'always', (honest) => inPieces(`${honest} 🙂 ${lie}`, 1)),
];

const streams = [
  of('events with CRLF', 'always', (honest) =>
    streamed((head, end) => (head + end).replaceAll('\n', '\r\n'), honest),
  ),
  of('comments and names between events', 'always', (honest) =>
    streamed((head, end) => `: evil\n\nevent: evil\n${head}retry: 1\n\n${end}`, honest),
  ),
  of('a byte order mark first', 'never', (honest) =>
    streamed((head, end) => `\uFEFF${head}${end}`, honest),
  ),
  of('an event with invalid JSON', 'never', (honest) =>
    streamed((head, end) => `${head}data: evil {\n\n${end}`, honest),
  ),
  of('an error event with the key', 'never', (honest) =>
    streamed(
      (head, end) =>
        `${head}data: {"error":{"message":"evil sk-server-secret You answer questions about a company's documents","type":"x","code":"evil"}}\n\n${end}`,
      honest,
    ),
  ),
  of('text after the end', 'always', (honest) =>
    streamed((head, end) => `${head}${end}${head.replace(honest, lie)}`, honest),
  ),
  of('no finish', 'fails', (honest) => streamed((head) => head + done, honest)),
  of('an empty stream', 'fails', () => (_, response) => sendBytes(response, '')),
  of('only [DONE]', 'fails', () => (_, response) => sendBytes(response, done)),
  of('HTML instead of a reply', 'fails', () =>
    raw(200, { 'content-type': 'text/html' }, '<html><body>evil sk-server-secret</body></html>'),
  ),
  of('a list instead of a reply', 'fails', () =>
    raw(200, { 'content-type': 'application/json' }, '[{"evil":42}]'),
  ),
  of('a whole reply instead of a stream', 'always', (honest) =>
    raw(200, { 'content-type': 'application/json' }, ({ body: { model } }) =>
      JSON.stringify({
        ...{ id: 'chatcmpl-1', created: 1, model, object: 'chat.completion' },
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: `${honest} ${lie}` },
            finish_reason: 'stop',
          },
        ],
        usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
      }),
    ),
  ),
  of('a redirect', 'never', () => raw(302, { location: 'http://127.0.0.1:9/evil' }, '')),
  of('an error page of 100 kB', 'never', () =>
    raw(400, { 'content-type': 'text/html' }, 'evil sk-server-secret '.repeat(5_000)),
  ),
];

const cuts = [0, 0.35, 0.8, 0.999].flatMap((share) =>
  [false, true].map((isReset) =>
    of(
      `${isReset ? 'reset' : 'ended'} after ${share * 100} %`,
      share < 0.9 ? 'fails' : 'never',
      (honest) => cutAfter(`${honest} 🙂 ${lie}`, share, isReset),
    ),
  ),
);

export const brokenWires: readonly BrokenWire[] = [
  ...calls,
  ...finishes,
  ...fields,
  ...contents,
  ...choices,
  ...usages,
  ...bytes,
  ...streams,
  ...cuts,
];
