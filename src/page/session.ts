/** What all views share: where the user is (the address says it, so that every place can be linked), what the server is, what was told. */
import { batch, computed, signal } from '@preact/signals-core';
import { ApiFailure, api, messageOf } from './api.ts';
import type { NamespaceSummary, Right, ServerState } from './api-types.d.ts';

export const views = ['ask', 'documents', 'gaps', 'calls', 'state'] as const;
export type ViewName = (typeof views)[number];

export interface Route {
  readonly view: ViewName;
  readonly namespace: string;
  /** Of a document, or a call. */
  readonly id: string;
  readonly query: URLSearchParams;
}

function readRoute(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [view = '', namespace = '', id = ''] = path.split('/').map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return { view: views.find((name) => name === view) ?? 'ask', namespace: namespace || 'default', id, query: new URLSearchParams(query) };
}

export const route = signal(readRoute());
addEventListener('hashchange', () => {
  route.value = readRoute();
});

export function linkTo(to: Partial<Omit<Route, 'query'>> & { readonly query?: Readonly<Record<string, string | number>> }): string {
  const { view = route.value.view, namespace = route.value.namespace, id = '' } = to;
  const query = to.query ? `?${new URLSearchParams(Object.entries(to.query).map(([name, value]) => [name, String(value)]))}` : '';
  return `#/${view}/${encodeURIComponent(namespace)}${id === '' ? '' : `/${encodeURIComponent(id)}`}${query}`;
}

export const server = signal<ServerState | undefined>(undefined);
export const namespaces = signal<readonly NamespaceSummary[]>([]);
export const may = (right: Right): boolean => server.value?.caller.rights.includes(right) ?? false;
export const namespacePath = computed(() => `api/namespaces/${encodeURIComponent(route.value.namespace)}`);

export interface Notice {
  readonly text: string;
  readonly kind: 'good' | 'bad';
}
export const notice = signal<Notice | undefined>(undefined);
let noticeTimer: number | undefined;
/** Says it for some seconds at the foot of the page. */
export function tell(text: string, kind: Notice['kind'] = 'good'): void {
  notice.value = { text, kind };
  clearTimeout(noticeTimer);
  noticeTimer = window.setTimeout(() => {
    notice.value = undefined;
  }, 6_000);
}
/** That a key is needed is asked for, not told. */
export function tellFailure(error: unknown): void {
  if (!(error instanceof ApiFailure && error.status === 401)) tell(messageOf(error), 'bad');
}

/** What the server is, and what it holds. */
export async function refreshState(): Promise<void> {
  try {
    const [state, listed] = await Promise.all([api<ServerState>('api/state'), api<{ namespaces: NamespaceSummary[] }>('api/namespaces')]);
    batch(() => {
      server.value = state;
      namespaces.value = listed.namespaces;
    });
  } catch (error) {
    tellFailure(error);
  }
}
