/**
 * What stands between a model and the reader of its stream: time to the first text and CPU of an answer, against the same provider read
 * directly, in alternation; then 200 streams at once for a minute. The provider and the reader are in this process, the server in its own.
 * Run: npm run bench:streams [-- --seconds 60 --streams 200]
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Agent, request } from 'undici';
import { median, percentile } from './retrieval/latency.ts';
import { startServer } from './server.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    streams: { type: 'string', default: '200' },
    pairs: { type: 'string', default: '200' },
  },
});
const tokenMs = 20;
const rooms = 200;
const holds = (room: number) => `Room ${room} of the house holds ${1_000 + room} people in summer.`;
/** Words with the blank before them, as tokens are. */
const tokensOf = (text: string): string[] => text.match(/\s*\S+/g) ?? [];
const replyOf = (room: number) => tokensOf(`${holds(room)} [1] It has ${room + 3} windows to the garden. [1]`);

/** A provider that speaks OpenAI's chat completions: the first sentence at once or token by token, the rest every 20 ms. */
const live = new Map<ServerResponse, string[]>();
const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', created: 1, model: 'm', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
let isFirstAtOnce = true;
/** A reply that goes on so long. */
let minTokens = 0;

setInterval(() => {
  for (const [response, tokens] of live) {
    const token = tokens.shift();
    if (token !== undefined) response.write(chunk({ content: token }));
    else {
      live.delete(response);
      response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
    }
  }
}, tokenMs).unref();

const provider = createServer((incoming, response) => {
  let body = '';
  incoming.on('data', (part) => (body += part));
  incoming.on('end', () => {
    const room = Number([...body.matchAll(/room (\d+)\?/g)].at(-1)?.[1] ?? 1);
    const tokens = replyOf(room);
    while (tokens.length < minTokens) tokens.push(' and', ' so', ' on');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (isFirstAtOnce) response.write(chunk({ content: tokens.splice(0, tokensOf(holds(room)).length + 1).join('') }));
    response.once('close', () => live.delete(response));
    live.set(response, tokens);
  });
});
provider.listen(0, '127.0.0.1');
await new Promise((resolve) => provider.once('listening', resolve));
const providerUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`;

const folder = mkdtempSync(join(tmpdir(), 'knowledge-agent-bench-'));
mkdirSync(join(folder, 'knowledge', 'default'), { recursive: true });
const sections = Array.from(
  { length: rooms },
  (_, at) => `## Room ${at + 1}\n\n${holds(at + 1)} It has ${at + 4} windows to the garden.\n`,
);
writeFileSync(join(folder, 'knowledge', 'default', 'rooms.md'), `# Rooms\n\n${sections.join('\n')}`);
const server = await startServer({
  KNOWLEDGE_DIR: join(folder, 'knowledge'),
  INDEX_DIR: join(folder, 'index'),
  LLM_BASE_URL: providerUrl,
  LLM_API_KEY: 'none',
  LOG_LEVEL: 'info',
});

const dispatcher = new Agent({ connections: 1_000, bodyTimeout: 120_000 });
const question = (room: number) => `how many people does the house hold in room ${room}?`;

/** @returns when the first text was there and when the stream was over, milliseconds from the request; the text */
async function read(url: string, body: object, deltaOf: (event: any) => string | undefined) {
  const started = performance.now();
  const answer = await request(url, {
    method: 'POST',
    dispatcher,
    headers: { 'content-type': 'application/json', authorization: 'Bearer none' },
    body: JSON.stringify(body),
  });
  let firstMs = Number.NaN;
  let text = '';
  let rest = '';
  for await (const part of answer.body.setEncoding('utf8')) {
    const events = `${rest}${part}`.split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (data === undefined || data === '[DONE]') continue;
      const delta = deltaOf(JSON.parse(data));
      if (!delta) continue;
      if (Number.isNaN(firstMs)) firstMs = performance.now() - started;
      text += delta;
    }
  }
  return { firstMs, ms: performance.now() - started, text, status: answer.statusCode };
}

const contentOf = (event: any) => event.choices?.[0]?.delta?.content;
const direct = (room: number) =>
  read(`${providerUrl}/chat/completions`, { model: 'm', stream: true, messages: [{ role: 'user', content: question(room) }] }, contentOf);
const through = (room: number) =>
  read(
    `${server.url}/v1/chat/completions`,
    { model: 'knowledge', stream: true, messages: [{ role: 'user', content: question(room) }] },
    contentOf,
  );

/** Of the server's process so far, milliseconds (proc(5): ticks of 10 ms). */
const cpuMs = () =>
  readFileSync(`/proc/${server.pid}/stat`, 'utf8')
    .split(') ')[1]
    ?.split(' ')
    .slice(11, 13)
    .reduce((sum, ticks) => sum + Number(ticks) * 10, 0) ?? Number.NaN;

const pairs = Number(values.pairs);
const rows: string[] = [];
const report = (what: string, measured: string, wanted = '–') => rows.push(`| ${what} | ${measured} | ${wanted} |`);
const ms = (value: number) => `${value.toFixed(1)} ms`;

for (let at = 1; at <= 50; at++) await through(at);

async function compare(what: string, wanted: string) {
  const own: number[] = [];
  const ours: number[] = [];
  for (let at = 0; at < pairs; at++) {
    const room = 1 + (at % rooms);
    for (const isOurs of at % 2 ? [true, false] : [false, true]) {
      if (isOurs) ours.push((await through(room)).firstMs);
      else own.push((await direct(room)).firstMs);
    }
  }
  const added = ours.map((value, at) => value - (own[at] as number));
  report(what, `${ms(median(own))} → ${ms(median(ours))}: ${ms(median(added))} more (p95 ${ms(percentile(added, 0.95))})`, wanted);
}

await compare(`first text, median of ${pairs}, where the first token is a sentence`, 'at most 15 ms more');
const before = cpuMs();
for (let at = 0; at < pairs; at++) await through(1 + (at % rooms));
report(`CPU of an answer of ${replyOf(1).length} tokens, one after the other`, ms((cpuMs() - before) / pairs), 'at most 10 ms');

isFirstAtOnce = false;
const few = Array.from({ length: 20 }, (_, at) => at + 1);
const waits: number[] = [];
for (const room of few) waits.push((await through(room)).firstMs - tokensOf(holds(room)).length * tokenMs);
report('first text after the last token of the first sentence, a token every 20 ms', ms(median(waits)));

/** @param seconds how long each of the streams asks again */
async function load(what: string, seconds: number) {
  if (globalThis.gc) globalThis.gc();
  const memory = await server.memoryMb();
  const until = performance.now() + seconds * 1_000;
  const counts = { answers: 0, lost: 0, mixed: 0 };
  const durations: number[] = [];
  const cpu = cpuMs();
  const started = performance.now();
  await Promise.all(
    Array.from({ length: Number(values.streams) }, async (_, stream) => {
      for (let room = 1 + (stream % rooms); performance.now() < until; room = 1 + ((room + 7) % rooms)) {
        const answer = await through(room).catch(() => undefined);
        counts.answers++;
        if (answer?.status !== 200 || !answer.text.includes('Sources:')) counts.lost++;
        else if (!answer.text.startsWith(holds(room).slice(0, -1))) counts.mixed++;
        else durations.push(answer.ms);
      }
    }),
  );
  const passed = performance.now() - started;
  report(
    what,
    `${counts.answers} answers (${(counts.answers / (passed / 1_000)).toFixed(0)}/s), ${counts.lost} lost, ${counts.mixed} mixed; p50 ${ms(median(durations))}, p95 ${ms(percentile(durations, 0.95))}; CPU ${ms((cpuMs() - cpu) / counts.answers)} each`,
    'none lost, none mixed',
  );
  const peak = await server.memoryMb();
  await sleep(15_000);
  report(
    `memory before, at the end, 15 s after: ${what.split(',')[0]}`,
    `${memory.toFixed(0)}, ${peak.toFixed(0)}, ${(await server.memoryMb()).toFixed(0)} MB`,
    'back within 50 MB',
  );
}

const seconds = Number(values.seconds);
await load(`warm-up, ${values.streams} streams for ${Math.ceil(seconds / 4)} s`, Math.ceil(seconds / 4));
await load(`${values.streams} streams at once, asked again and again for ${seconds} s`, seconds);
/** A model's answer may take a minute in all. */
const longSeconds = Math.min(seconds, 50);
minTokens = (longSeconds * 1_000) / tokenMs;
await load(`${values.streams} streams of ${longSeconds} s each, ${minTokens} tokens`, 1);

process.stdout.write(`| what | measured | wanted |\n|---|---|---|\n${rows.join('\n')}\n`);
await server.stop();
rmSync(folder, { recursive: true, force: true });
process.exit();
