/**
 * An honest caller beside the fuzz, in a thread of its own so that the fuzz does not hold its clock: searches and asks its own namespace ten
 * times a second over kept-alive connections, and looks whether it is answered as ever.
 */
import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

export interface HonestTimes {
  /** Milliseconds of each request, in order. */
  readonly times: readonly number[];
  /** What was wrong, each with the status and what came. */
  readonly wrong: readonly string[];
}

export interface HonestCaller {
  readonly baseUrl: string;
  readonly key: string | undefined;
  readonly namespace: string;
  readonly question: string;
  /** Stands in every right answer. */
  readonly fact: string;
}

const everyMs = 100;

/** @returns what ends it, and tells how it was */
export function startBystander(caller: HonestCaller): () => Promise<HonestTimes> {
  const worker = new Worker(new URL(import.meta.url), { workerData: caller });
  return async () => {
    const told = new Promise<HonestTimes>((resolve, reject) => worker.once('message', resolve).once('error', reject));
    worker.postMessage('end');
    const times = await told;
    await worker.terminate();
    return times;
  };
}

function ask(
  { baseUrl, key }: HonestCaller,
  agent: Agent,
  path: string,
  body: object,
): Promise<{ status: number; text: string; ms: number }> {
  const headers = { 'content-type': 'application/json', ...(key === undefined ? {} : { 'x-api-key': key }) };
  const started = performance.now();
  return new Promise((resolve) => {
    const failed = (error: Error) => resolve({ status: 0, text: error.message, ms: performance.now() - started });
    const outgoing = httpRequest(baseUrl + path, { method: 'POST', headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => (text += part));
      response
        .once('error', failed)
        .once('end', () => resolve({ status: response.statusCode ?? 0, text, ms: performance.now() - started }));
    });
    outgoing.once('error', failed).end(JSON.stringify(body));
  });
}

async function runBystander(caller: HonestCaller): Promise<void> {
  const { namespace, question, fact } = caller;
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  const wrong: string[] = [];
  let isOver = false;
  parentPort?.once('message', () => (isOver = true));
  for (let turn = 0; !isOver; turn++) {
    const due = performance.now() + everyMs;
    const { status, text, ms } =
      turn % 2
        ? await ask(caller, agent, '/api/tools/searchDocs', { namespace, query: question })
        : await ask(caller, agent, '/api/agents/knowledge/generate', { messages: `@agent ${question}`, toolParams: { namespace } });
    times.push(ms);
    if (status !== 200 || !text.includes(fact)) wrong.push(`${status} ${text.slice(0, 300)}`);
    await sleep(Math.max(0, due - performance.now()));
  }
  agent.destroy();
  parentPort?.postMessage({ times, wrong } satisfies HonestTimes);
}

if (!isMainThread && workerData?.question) await runBystander(workerData as HonestCaller);
