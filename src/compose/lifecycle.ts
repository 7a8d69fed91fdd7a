/** Opens and closes the parts in the right order. */
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HandOffSender } from '../ask/hand-off.ts';
import { warmUpReplies } from '../ask/reply/answer-writer.ts';
import { createBm25Engine } from '../search/bm25/bm25-engine.ts';
import { createSearchIndex } from '../search/search-index.ts';
import { waitForVectors } from '../search/vectors/embedding-queue.ts';
import type { Tracing } from '../tracing.ts';
import type { AskingParts } from './asking.ts';
import type { CallsParts } from './calls.ts';
import type { IngestionParts } from './ingest.ts';
import type { SearchParts } from './search.ts';
import type { State } from './state.ts';
import type { ChatParts } from './webhooks.ts';

const maxCloseMs = 500;
const maxVectorWaitMs = 600_000;

/** Runs a search and an answer, so that shared code is compiled. Stores nothing. */
export async function warmUp({ gate }: Pick<AskingParts, 'gate'>): Promise<void> {
  const index = await createBm25Engine().open('default');
  for (const language of ['en', 'ja'] as const)
    await index.upsert({
      id: language,
      version: '',
      title: '',
      language,
      chunks: [{ text: 'Warm up.', headingPath: [] }],
    });
  for (const query of ['how do I warm itt up?', '温め方は?'])
    await createSearchIndex(index).search(query, 1);
  gate.question('hello', true);
  warmUpReplies();
}

interface LifecycleParts {
  readonly search: SearchParts;
  readonly state: State;
  readonly ingest: IngestionParts;
  readonly calls: CallsParts;
  readonly asking: AskingParts;
  readonly chat: ChatParts;
  readonly handOff: HandOffSender;
  readonly tracing: Tracing;
}

type Lifecycle = Readonly<
  Record<'open' | 'openToIngest' | 'openToAsk' | 'openForStudio' | 'close', () => Promise<void>>
>;

/** Parts in `kept` open after the namespaces and close after them. */
export function createLifecycle({
  search,
  state,
  ingest,
  calls,
  asking,
  chat,
  handOff,
  tracing,
}: LifecycleParts): Lifecycle {
  const { mirror, namespaces, semantic, vectorsDir, shared } = search;
  const { jobs, schedules, uploads } = ingest;
  const kept = [
    state.answers,
    state.conversations,
    calls,
    ...(asking.budget ? [asking.budget] : []),
  ];
  /** A hanging database must not prevent the index from being saved. */
  const withTimeout = (closing: Promise<unknown> | undefined) =>
    shared ? Promise.race([closing, sleep(maxCloseMs)]) : closing;
  const openToAsk = async () => {
    await mirror?.open();
    await semantic?.open();
    await namespaces.open();
    if (semantic) await waitForVectors(semantic.progress, maxVectorWaitMs);
  };
  return {
    async open() {
      await tracing.open();
      await state.open();
      // Deletes unused vectors, which would remain after their documents are deleted.
      if (!semantic) await rm(vectorsDir, { recursive: true, force: true });
      await mirror?.open(true);
      await semantic?.open();
      await namespaces.open();
      await state.reserve.fill();
      mirror?.follow(state.forget);
      // Deletes unused vectors for all servers, so only if this server has all documents.
      if (mirror?.isCurrent() ?? true) semantic?.settle();
      for (const part of kept) await part.open();
      await uploads.removeLeftovers();
      await jobs.open();
      await chat.open();
    },
    async openToIngest() {
      await state.open();
      await mirror?.open();
      await namespaces.open();
    },
    openToAsk,
    async openForStudio() {
      await state.open();
      await openToAsk();
      await calls.open();
    },
    async close() {
      // Closes chat first, because its answers need all other parts.
      await chat.close();
      schedules.stop();
      await withTimeout(handOff.close());
      await withTimeout(jobs.close());
      await mirror?.close();
      await namespaces.close();
      await semantic?.close();
      for (const part of kept) await withTimeout(part.close());
      await withTimeout(state.close());
      await withTimeout(shared?.database.close());
      await tracing.close();
    },
  };
}
