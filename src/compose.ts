/** Composition root: creates the parts of the server and returns what its hosts need. */

import { type AskingParts, composeAsking } from './compose/asking.ts';
import { composeCalls } from './compose/calls.ts';
import { composeIngest, type IngestionParts } from './compose/ingest.ts';
import { createLifecycle, warmUp } from './compose/lifecycle.ts';
import { composeSearch, type SearchParts } from './compose/search.ts';
import { createSharedParts, type Replacements, type SharedParts } from './compose/shared-parts.ts';
import { composeState } from './compose/state.ts';
import { composeWatch, stockOf } from './compose/watch.ts';
import { type ChatParts, composeChat, composeHandOff } from './compose/webhooks.ts';
import type { Config } from './config.ts';
import type { KnowledgeApi } from './http/knowledge-api.ts';
import { createStaleAnswers } from './records/stale-answers.ts';

export { prepareDatabase } from './compose/search.ts';
export type { Replacements } from './compose/shared-parts.ts';

export interface Parts {
  readonly api: KnowledgeApi;
  readonly namespaces: SearchParts['namespaces'];
  readonly logger: SharedParts['logger'];
  readonly onStateLost: SharedParts['onStateLost'];
  readonly scheduler: IngestionParts['schedules'];
  readonly loadMastra: AskingParts['loadMastra'];
  /** Run before the server listens, because it blocks the event loop. */
  warmUp(): Promise<void>;
  /** Opens documents, answers, conversations and calls, and resumes unfinished work. */
  open(): Promise<void>;
  /**
   * For commands that ask while a server may be running: makes documents searchable and resumes
   * nothing.
   */
  openToAsk(): Promise<void>;
  /** Like `openToAsk`, with calls. */
  openForStudio(): Promise<void>;
  /** For a command that reads or stores documents: without vectors. */
  openToIngest(): Promise<void>;
  /** Refuses further chat messages and answers accepted ones. @param graceMs time limit */
  readonly endChat: ChatParts['close'];
  /** Ends running work, which a later `open` resumes, and saves the index. */
  close(): Promise<void>;
}

export function compose(config: Config, replacements: Replacements = {}): Parts {
  const setting = createSharedParts(config, replacements);
  let isOpen = false;
  const isReady = () => isOpen;
  const opened = Promise.withResolvers<void>();
  const search = composeSearch(setting);
  const state = composeState(setting, search);
  const { tracing, ...watched } = composeWatch(setting, async () =>
    isReady() ? stockOf(search, ingest) : {},
  );
  const { metrics } = watched;
  const ingest = composeIngest(setting, search, state, metrics);
  const { documents, ingestNow } = ingest;
  const calls = composeCalls(setting);
  const handOff = composeHandOff(setting, state, search);
  const asking = composeAsking(setting, search, state, {
    ...{ documents, ingestNow, callsOfUser: calls.ofUser, metrics, isReady },
    handOff,
  });
  const chat = composeChat(setting, state, asking);
  const lifecycle = createLifecycle({
    search,
    state,
    ingest,
    calls,
    asking,
    chat,
    handOff,
    tracing,
  });
  const api: KnowledgeApi = {
    ...ingest,
    ...asking,
    suggestions: search.suggestions,
    answers: state.answers,
    gapDesk: state.gapDesk,
    conversations: state.conversations,
    staleAnswers: createStaleAnswers(state.answers, documents),
    calls: calls.answers,
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
    loadMastra: asking.loadMastra,
    warmUp: () => warmUp(asking),
    async open() {
      await lifecycle.open();
      isOpen = true;
      opened.resolve();
      ingest.schedules.start();
      setting.diskCheck.start();
      handOff.start();
    },
    openToAsk: lifecycle.openToAsk,
    openForStudio: lifecycle.openForStudio,
    openToIngest: lifecycle.openToIngest,
    endChat: chat.close,
    async close() {
      isOpen = false;
      setting.diskCheck.stop();
      await lifecycle.close();
    },
  };
}
