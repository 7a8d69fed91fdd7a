/**
 * State that all views share: the route (stored in the URL, so that every view can be linked), the
 * server's status and notices.
 */
import { batch, computed, effect, signal, untracked } from '@webreflection/signal';
import { api, keyNeeded, keyRefused, messageOf, needsKey } from './api.ts';
import type { NamespaceSummary, ServerState } from './openapi.d.ts';

export const views = ['ask', 'documents', 'gaps', 'calls', 'status'] as const;
export type ViewName = (typeof views)[number];

export type Route = Readonly<{
  view: ViewName;
  namespace: string;
  id: string;
  query: URLSearchParams;
  /** Whether the address names the namespace; otherwise the page chooses one. */
  isNamed?: boolean;
  /** View in the address that does not exist. */
  unknownView?: string | undefined;
}>;

const questionOfPage = new URLSearchParams(location.search);
/** `/?question=…&namespace=…` becomes an address of the Ask view. */
if (questionOfPage.has('question')) {
  const namespace = questionOfPage.get('namespace') ?? '';
  const query = new URLSearchParams({ question: questionOfPage.get('question') ?? '' });
  history.replaceState(
    null,
    '',
    `${location.pathname}#/ask/${encodeURIComponent(namespace)}?${query}`,
  );
}

/** Decodes a part of an address; returns it unchanged if it is not encoded correctly. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The route of the address, also before `hashchange`. */
export function readRoute(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [view = '', namespace = '', id = ''] = path.split('/').map(decoded);
  // `state` is the former name of the view.
  const known = views.find((name) => name === (view === 'state' ? 'status' : view));
  return {
    view: known ?? 'ask',
    namespace: namespace.toLowerCase() || 'default',
    id,
    query: new URLSearchParams(query),
    isNamed: namespace !== '',
    unknownView: known || view === '' ? undefined : view,
  };
}

export const route = signal(readRoute());
addEventListener('hashchange', () => {
  route.value = readRoute();
});

/**
 * Changes the address without a navigation. @param isNew whether the back button returns to the
 * address before
 */
export function showAddress(address: string, isNew = false, state: unknown = null): void {
  history[isNew ? 'pushState' : 'replaceState'](state, '', address);
  route.value = readRoute();
}

export function linkTo(
  to: Partial<Omit<Route, 'query'>> & { readonly query?: URLSearchParams | Record<string, string> },
): string {
  const { view = route.value.view, namespace = route.value.namespace, id = '' } = to;
  const query = new URLSearchParams(to.query);
  return `#/${view}/${encodeURIComponent(namespace)}${id === '' ? '' : `/${encodeURIComponent(id)}`}${query.size > 0 ? `?${query}` : ''}`;
}

export const server = signal<ServerState | undefined>(undefined);
export const namespaces = signal<readonly NamespaceSummary[]>([]);
/** The right `read` includes `ask` and `search`. */
export function may(right: ServerState['caller']['rights'][number]): boolean {
  const rights = server.value?.caller.rights ?? [];
  return (
    rights.includes(right) || ((right === 'ask' || right === 'search') && rights.includes('read'))
  );
}
export const namespacePathOf = (namespace = route.value.namespace) =>
  `api/namespaces/${encodeURIComponent(namespace)}`;

export const notice = signal<Readonly<{ text: string; kind: 'good' | 'bad' }> | undefined>(
  undefined,
);
let noticeTimer: number | undefined;
export function showNotice(text: string, kind: 'good' | 'bad' = 'good'): void {
  notice.value = { text, kind };
  clearTimeout(noticeTimer);
  noticeTimer = window.setTimeout(() => {
    notice.value = undefined;
  }, 6_000);
}
export function showError(error: unknown): void {
  if (!needsKey(error)) showNotice(messageOf(error), 'bad');
}

export function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>('main h1');
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus();
}

export const stateFailure = signal('');

/** Chooses a namespace that the caller can read, if the address names none. */
function chooseNamespace({ caller }: ServerState, listed: readonly NamespaceSummary[]) {
  const { namespace, query, isNamed, unknownView } = route.value;
  const names = [...listed.map(({ name }) => name), ...(caller.namespaces ?? [])];
  if (isNamed || unknownView || names.length === 0) return;
  // A namespace that is not read yet may hold documents.
  const holding = listed
    .filter(({ documents, isIndexed }) => documents > 0 || !isIndexed)
    .map(({ name }) => name);
  const [first = '', ...others] = holding.length > 0 ? holding : names;
  if (![first, ...others].includes(namespace)) showAddress(linkTo({ namespace: first, query }));
}

/** Summary of the namespace in the address, if the caller can list it. */
export const currentNamespace = () =>
  namespaces.value.find(({ name }) => name === route.value.namespace);

/** Whether the namespace of the address exists, as far as the caller may know. */
export function isNamespaceKnown(): boolean {
  const { namespace } = route.value;
  const caller = server.value?.caller;
  if (!caller || currentNamespace()) return true;
  return caller.namespaces
    ? caller.namespaces.includes(namespace)
    : namespaces.value.length === 0 && namespace === 'default';
}

/** Namespaces of a caller who may not list them. */
const namedOnly = ({ caller }: ServerState): NamespaceSummary[] =>
  (caller.namespaces ?? []).map((name) => ({
    name,
    documents: 0,
    chunks: 0,
    bytes: 0,
    isIndexed: true,
    schedules: [],
  }));

export async function refreshState(): Promise<void> {
  try {
    const state = await api<ServerState>('api/state');
    const isReader = state.caller.rights.includes('read');
    const listed = isReader
      ? (await api<{ namespaces: NamespaceSummary[] }>('api/namespaces')).namespaces
      : namedOnly(state);
    batch(() => {
      stateFailure.value = '';
      if (keyNeeded.value || !server.value) chooseNamespace(state, listed);
      server.value = state;
      namespaces.value = listed;
      // A state that was read before its key was refused says nothing about the key.
      if (!keyRefused.value) keyNeeded.value = false;
    });
  } catch (error) {
    // The status is polled: report a failure only once.
    if (stateFailure.value === '') showError(error);
    stateFailure.value = messageOf(error);
  }
}

const isKnown = computed(() => server.value !== undefined && !keyNeeded.value);

/**
 * Calls `load` when the route enters a view or changes within it, once the caller is signed in. An
 * unknown namespace loads nothing.
 */
export function onRoute(view: ViewName, load: (to: Route) => void): void {
  effect(() => {
    const to = route.value;
    if (to.view !== view || to.unknownView !== undefined || !isKnown.value) return;
    untracked(() => {
      if (isNamespaceKnown() || (view !== 'ask' && view !== 'gaps')) load(to);
    });
  });
}

const reloads = new Map<ViewName, () => void>();
export const onReturn = (view: ViewName, reload: () => void) => void reloads.set(view, reload);
let returning = 0;
let returnedAt = 0;
const returnMs = 5_000;
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState !== 'visible' || returning !== 0) return;
  returning = window.setTimeout(
    () => {
      returning = 0;
      returnedAt = Date.now();
      if (!isKnown.value) return;
      void refreshState();
      reloads.get(route.value.view)?.();
    },
    Math.max(0, returnedAt + returnMs - Date.now()),
  );
});

export type Fetched<Answer> = Readonly<{
  answer?: Answer | undefined;
  failure?: unknown;
  isLoading?: boolean;
}>;

export function createFetched<Answer>() {
  const state = signal<Fetched<Answer>>({});
  let asking: AbortController | undefined;
  let loaded = '';
  return {
    now: () => state.value,
    forget() {
      asking?.abort();
      state.value = {};
    },
    /**
     * @param keepsAnswer whether the last answer is shown until the new one arrives; default: if it
     * has the same path
     */
    async load(
      path: string,
      headers: Readonly<Record<string, string>> = {},
      keepsAnswer = path === loaded,
    ) {
      asking?.abort();
      asking = new AbortController();
      const { signal } = asking;
      const answer = keepsAnswer ? state.peek().answer : undefined;
      state.value = { answer, isLoading: true };
      loaded = path;
      try {
        state.value = { answer: await api<Answer>(path, { headers, signal }) };
      } catch (failure) {
        if (!signal.aborted) state.value = { answer, failure };
      }
    },
  };
}
