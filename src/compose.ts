/** The composition root: makes the parts of the server and gives out what its hosts need. */

import type { KnowledgeApi } from './app/knowledge-api.ts';
import { composeAsking } from './compose/asking.ts';
import { composeCalls } from './compose/calls.ts';
import { composeIngest } from './compose/ingest.ts';
import { createLifecycle, warmUp } from './compose/lifecycle.ts';
import { composeSearch } from './compose/search.ts';
import { createSharedParts, type Replacements } from './compose/shared-parts.ts';
import { composeState } from './compose/state.ts';
import { composeWatch, stockOf } from './compose/watch.ts';
import { composeChat, composeDrift } from './compose/webhooks.ts';
import type { Config } from './config.ts';

export { prepareDatabase } from './compose/search.ts';
export type { Replacements } from './compose/shared-parts.ts';

export type Parts = ReturnType<typeof compose>;

export function compose(config: Config, replacements: Replacements = {}) {
  const setting = createSharedParts(config, replacements);
  let readyState = false;
  const isReady = () => readyState;
  const opened = Promise.withResolvers<void>();
  const search = composeSearch(setting);
  const state = composeState(setting, search);
  const { tracing, ...watched } = composeWatch(setting, async () => (isReady() ? stockOf(search, ingest) : {}));
  const { metrics } = watched;
  const ingest = composeIngest(setting, search, state, metrics.rowDone);
  const { documents, ingestNow } = ingest;
  const calls = composeCalls(setting, state);
  const asking = composeAsking(setting, search, state, { documents, ingestNow, callsOfUser: calls.ofUser, metrics, isReady });
  const chat = composeChat(setting, state, asking);
  const drift = composeDrift(setting, search, state, documents);
  const lifecycle = createLifecycle({ search, state, ingest, calls, asking, chat, drift, tracing });
  const api: KnowledgeApi = {
    ...ingest,
    ...asking,
    answers: state.answers,
    conversations: state.conversations,
    staleAnswers: drift.staleAnswers,
    calls: calls.answers,
    applyCallEvent: calls.apply,
    takeChatMessage: chat.take,
    isReady,
    mirrorHealth: () => search.mirror?.health(),
    ...watched,
    whenReady: opened.promise,
  };
  return {
    api,
    namespaces: search.namespaces,
    logger: setting.logger,
    onStateLost: setting.onStateLost,
    scheduler: ingest.schedules,
    /** The Mastra instance: the agent and its tools. */
    loadMastra: asking.loadMastra,
    /** Before a server listens, because it holds the event loop. */
    warmUp: () => warmUp(asking),
    /** Reads documents, answers, conversations and calls, and takes up what an earlier process left. */
    async open() {
      await lifecycle.open();
      readyState = true;
      opened.resolve();
      ingest.schedules.start();
      drift.start();
    },
    /** Makes the documents searchable and takes up nothing: for a command that asks, beside a server that may be running. */
    openToAsk: lifecycle.openToAsk,
    /** The same for a command that stores documents, or looks into them: nothing is searched by meaning. */
    openToIngest: lifecycle.openToIngest,
    /** Takes no more messages of a chat platform, and answers those that it has. @param graceMs as much time as there is for it */
    endChat: chat.close,
    /** Ends work in progress, which a later `open` takes up, and puts the index away. */
    async close() {
      readyState = false;
      await lifecycle.close();
    },
  };
}
