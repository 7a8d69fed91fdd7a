/** Starts ingest and refresh jobs and follows their events. */
import type { ServerEvent } from '../concurrency/event-stream.ts';
import { ApiFailure, api, eventsOf, messageOf } from './api.ts';
import type { JobReport, ReportRow } from './api-types.d.ts';
import { addRow, addTask, endTask, pause, removeRows, showTasks, type Task } from './background-tasks.ts';
import { countOf } from './format.ts';
import { namespacePathOf, server, showError } from './session.ts';

export interface SentSource {
  readonly url?: string;
  readonly path?: string;
  readonly text?: string;
  readonly title?: string;
  readonly author?: string;
  readonly reviewBy?: string;
  readonly crawl?: Readonly<Record<string, unknown>>;
  readonly refreshEvery?: string;
}

const pauseMs = 2_000;
const maxTries = 15;
export const isTemporary = ({ status }: ApiFailure) => status === 0 || status === 429 || status >= 500;

const eventOf = ({ event, data }: ServerEvent) => ({ event, content: JSON.parse(data) });

/** Yields the events of one connection. Each connection repeats all rows, so it skips the first `seen` rows. Does not throw if the connection breaks. */
async function* eventsOfConnection(id: string, seen: number) {
  let left = seen;
  try {
    for await (const one of eventsOf(`api/jobs/${id}/events`)) if (one.event !== 'result' || left-- <= 0) yield eventOf(one);
  } catch (error) {
    if (!(error instanceof ApiFailure && isTemporary(error))) throw error;
  }
}

async function* rowsAndReports(id: string) {
  let seen = 0;
  for (let tries = 0; tries < maxTries; tries++) {
    for await (const one of eventsOfConnection(id, seen)) {
      tries = 0;
      if (one.event === 'result') seen++;
      yield one;
      if (one.event === 'end') return;
    }
    await pause(pauseMs);
  }
  throw new ApiFailure('The server cannot be reached. The job resumes when the server is back.', 'unreachable', 0);
}

const endRemarks: Partial<Record<JobReport['status'], string>> = { cancelled: 'Cancelled. Sources that were already added stay.' };

async function follow(task: Task, id: string): Promise<void> {
  try {
    for await (const { event, content } of rowsAndReports(id)) {
      if (event === 'result') addRow(task, content as ReportRow);
      else {
        const { current, stages, status, error } = content as JobReport;
        task.total = Object.values(stages).reduce((sum, count) => sum + count, 0);
        task.now = current ? [current] : [];
        if (event === 'end') endTask(task, error?.message ?? endRemarks[status], error !== undefined);
      }
      showTasks();
    }
  } catch (error) {
    endTask(task, messageOf(error));
  }
}

async function start(path: string, body: object, label: string): Promise<string> {
  const { id, namespace } = await api<JobReport>(path, { method: 'POST', body: { ...body, wait: false } });
  const task: Task = {
    namespace,
    label,
    rows: [],
    now: [],
    total: 0,
    remark: '',
    isOver: false,
    cancel: () => void api(`api/jobs/${id}`, { method: 'DELETE' }).catch(showError),
    // A text would fail again, and a shortened name (…) does not identify its source.
    canRetry: ({ kind, source }) => kind !== 'text' && !source.endsWith('…'),
    retry: (failed) => {
      const sources = failed.map(({ kind, source }) => (kind === 'url' ? { url: source } : { path: source }));
      startIngest(namespace, sources).then(() => removeRows(task, failed), showError);
    },
  };
  void follow(addTask(task), id);
  return namespace;
}

function labelOf(sources: readonly SentSource[]): string {
  const [first] = sources;
  if (sources.length !== 1 || !first) return countOf(sources.length, 'source');
  return first.url ?? first.path ?? first.title ?? 'Text';
}

export async function startIngest(namespace: string, sources: readonly SentSource[]): Promise<string> {
  const maxSources = server.value?.limits['maxSources'] ?? 100;
  let storedNamespace = namespace;
  for (let at = 0; at < sources.length; at += maxSources) {
    const part = sources.slice(at, at + maxSources);
    storedNamespace = await start('api/tools/ingestSources', { namespace, sources: part }, labelOf(part));
  }
  return storedNamespace;
}

/** @param documents ids; default: all documents from a URL or a file @throws ApiFailure */
export const startRefresh = (namespace: string, label: string, documents?: readonly string[]) =>
  start(`${namespacePathOf(namespace)}/refresh`, documents ? { documents } : {}, label);
