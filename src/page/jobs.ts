/** Jobs of the server, from their start to their last row. */
import type { ServerEvent } from '../concurrency/event-stream.ts';
import { ApiFailure, api, eventsOf, messageOf } from './api.ts';
import type { JobReport, ReportRow } from './api-types.d.ts';
import { addRow, addTask, endTask, pause, showTasks, takeOut, type Work } from './background-tasks.ts';
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
export const mayPass = ({ status }: ApiFailure) => status === 0 || status === 429 || status >= 500;

const eventOf = ({ event, data }: ServerEvent) => ({ event, content: JSON.parse(data) });

/** Every stream begins with the first row: of the `seen` those are passed over. A connection that breaks off is no failure. */
async function* connected(id: string, seen: number) {
  let left = seen;
  try {
    for await (const one of eventsOf(`api/jobs/${id}/events`)) if (one.event !== 'result' || left-- <= 0) yield eventOf(one);
  } catch (error) {
    if (!(error instanceof ApiFailure && mayPass(error))) throw error;
  }
}

async function* rowsAndReports(id: string) {
  let seen = 0;
  for (let tries = 0; tries < maxTries; tries++) {
    for await (const one of connected(id, seen)) {
      tries = 0;
      if (one.event === 'result') seen++;
      yield one;
      if (one.event === 'end') return;
    }
    await pause(pauseMs);
  }
  throw new ApiFailure('The server cannot be reached; it goes on with the job as soon as it runs.', 'unreachable', 0);
}

const endRemarks: Partial<Record<JobReport['status'], string>> = { cancelled: 'Cancelled: what was read before stays.' };

async function follow(work: Work, id: string): Promise<void> {
  try {
    for await (const { event, content } of rowsAndReports(id)) {
      if (event === 'result') addRow(work, content as ReportRow);
      else {
        const { current, stages, status, error } = content as JobReport;
        work.total = Object.values(stages).reduce((sum, count) => sum + count, 0);
        work.now = current ? [current] : [];
        if (event === 'end') endTask(work, error?.message ?? endRemarks[status], error !== undefined);
      }
      showTasks();
    }
  } catch (error) {
    endTask(work, messageOf(error));
  }
}

async function start(path: string, body: object, label: string): Promise<string> {
  const { id, namespace } = await api<JobReport>(path, { method: 'POST', body: { ...body, wait: false } });
  const work: Work = {
    namespace,
    label,
    rows: [],
    now: [],
    total: 0,
    remark: '',
    isOver: false,
    cancel: () => void api(`api/jobs/${id}`, { method: 'DELETE' }).catch(showError),
    // A text fails again in the same way, and a name that was cut is no source.
    canRetry: ({ kind, source }) => kind !== 'text' && !source.endsWith('…'),
    retry: (failed) => {
      const sources = failed.map(({ kind, source }) => (kind === 'url' ? { url: source } : { path: source }));
      startIngest(namespace, sources).then(() => takeOut(work, failed), showError);
    },
  };
  void follow(addTask(work), id);
  return namespace;
}

function labelOf(sources: readonly SentSource[]): string {
  const [first] = sources;
  if (sources.length !== 1 || !first) return countOf(sources.length, 'source');
  return first.url ?? first.path ?? first.title ?? 'A text';
}

export async function startIngest(namespace: string, sources: readonly SentSource[]): Promise<string> {
  const most = server.value?.limits['maxSources'] ?? 100;
  let spelt = namespace;
  for (let at = 0; at < sources.length; at += most) {
    const part = sources.slice(at, at + most);
    spelt = await start('api/tools/ingestSources', { namespace, sources: part }, labelOf(part));
  }
  return spelt;
}

/** @param documents ids; none: all that came from a URL or a file @throws ApiFailure */
export const startRefresh = (namespace: string, label: string, documents?: readonly string[]) =>
  start(`${namespacePathOf(namespace)}/refresh`, documents ? { documents } : {}, label);
