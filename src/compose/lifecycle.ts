/** The order in which parts are opened and closed. */
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { warmUpReplies } from '../reply/answer-writer.ts';
import { createBm25Engine } from '../search/bm25/bm25-engine.ts';
import { createSearchIndex } from '../search/search-index.ts';
import { waitForVectors } from '../search/vectors/embedding-queue.ts';
import type { Tracing } from '../tracing.ts';
import type { AskingParts } from './asking.ts';
import type { composeCalls } from './calls.ts';
import type { composeIngest } from './ingest.ts';
import type { SearchParts } from './search.ts';
import type { State } from './state.ts';
import type { composeChat, composeDrift } from './webhooks.ts';

/** For each of what ends with the process and needs the database. */
const maxCloseMs = 500;
/** A command waits so long for what has no vector yet. */
const maxVectorWaitMs = 600_000;

/** The first search and the first answer compile what all the others use. Nothing of it is kept. */
export async function warmUp({ gate }: Pick<AskingParts, 'gate'>): Promise<void> {
  const index = await createBm25Engine().open('default');
  for (const language of ['en', 'ja'] as const)
    await index.upsert({ id: language, version: '', title: '', language, chunks: [{ text: 'Warm up.', headingPath: [] }] });
  for (const query of ['how do I warm itt up?', '温め方は?']) await createSearchIndex(index).search(query, 1);
  gate.question('hello', true);
  warmUpReplies();
}

interface Opened {
  readonly search: SearchParts;
  readonly state: State;
  readonly ingest: ReturnType<typeof composeIngest>;
  readonly calls: ReturnType<typeof composeCalls>;
  readonly asking: AskingParts;
  readonly chat: ReturnType<typeof composeChat>;
  readonly drift: ReturnType<typeof composeDrift>;
  readonly tracing: Tracing;
}

/** What is kept is opened after the documents, and closed after them. */
export function createLifecycle({ search, state, ingest, calls, asking, chat, drift, tracing }: Opened) {
  const { mirror, namespaces, semantic, vectorsDir, shared } = search;
  const { jobs, schedules, uploads } = ingest;
  const kept = [state.answers, state.conversations, calls, ...(asking.budget ? [asking.budget] : [])];
  /** A database that does not answer keeps nobody from putting the index away. */
  const soon = (closing: Promise<unknown> | undefined) => (shared ? Promise.race([closing, sleep(maxCloseMs)]) : closing);
  return {
    async open(): Promise<void> {
      await search.prepare();
      await tracing.open();
      await state.open();
      // What is not used any more would stay there after its documents are deleted.
      if (!semantic) await rm(vectorsDir, { recursive: true, force: true });
      await mirror?.open(true);
      await semantic?.open();
      await namespaces.open();
      await state.reserve.fill();
      mirror?.follow(state.forget);
      // What nobody holds is forgotten, by all servers: so not where some of the documents may be missing here.
      if (mirror?.isCurrent() ?? true) semantic?.settle();
      for (const part of kept) await part.open();
      await uploads.removeLeftovers();
      await jobs.open();
      await chat.open();
      asking.threads?.open();
    },
    async openToIngest(): Promise<void> {
      await state.open();
      await mirror?.open();
      await namespaces.open();
    },
    async openToAsk(): Promise<void> {
      await mirror?.open();
      await semantic?.open();
      await namespaces.open();
      if (semantic) await waitForVectors(semantic.progress, maxVectorWaitMs);
    },
    async close(): Promise<void> {
      // What it answers needs everything else.
      await chat.close();
      schedules.stop();
      await asking.threads?.close();
      await soon(drift.close());
      await soon(jobs.close());
      await mirror?.close();
      await namespaces.close();
      await semantic?.close();
      for (const part of kept) await soon(part.close());
      await soon(state.close());
      await soon(shared?.database.close());
      await tracing.close();
    },
  };
}
