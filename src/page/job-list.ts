/**
 * Starts ingest and refresh jobs, and follows all running jobs of a namespace, also those of other
 * tabs and those from before a reload.
 */
import { effect, untracked } from '@webreflection/signal';
import { html } from 'lit-html';
import { ApiFailure, api, eventsOf, keyNeeded, messageOf, needsKey } from './api.ts';
import {
  addRow,
  addTask,
  endTask,
  pause,
  removeRows,
  showTasks,
  sourceRow,
  type Task,
} from './background-tasks.ts';
import { countOf, errorText, loadingText, showTime } from './format.ts';
import type { JobList, JobReport, ReportRow } from './openapi.d.ts';
import {
  createFetched,
  may,
  namespacePathOf,
  onRoute,
  route,
  server,
  showError,
} from './session.ts';

export type SentSource = Readonly<
  Partial<
    Record<'url' | 'path' | 'text' | 'title' | 'author' | 'reviewBy' | 'refreshEvery', string>
  >
> & {
  readonly crawl?: object;
};

const pauseMs = 2_000;
const maxTries = 15;
export const isTemporary = (error: unknown) =>
  error instanceof ApiFailure && (error.status >= 500 || [0, 429].includes(error.status));

/**
 * Yields the events of one connection. Each connection repeats all rows, so it skips the first
 * `seen` rows. Does not throw if the connection breaks.
 */
async function* eventsOfConnection(id: string, seen: number) {
  let left = seen;
  try {
    for await (const { event, data } of eventsOf(`api/jobs/${id}/events`))
      if (event !== 'result' || left-- <= 0) yield { event, content: JSON.parse(data) };
  } catch (error) {
    if (!isTemporary(error)) throw error;
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
  const message = 'The server cannot be reached. The job resumes when the server is back.';
  throw new ApiFailure(message, 'unreachable', 0);
}

const endRemarks: Partial<Record<JobReport['status'], string>> = {
  cancelled: 'Cancelled. Sources that were already added stay.',
};

async function follow(task: Task, id: string) {
  try {
    for await (const { event, content } of rowsAndReports(id)) {
      if (event === 'result') addRow(task, content as ReportRow);
      else {
        const { current, stages, status, error } = content as JobReport;
        task.total = Object.values(stages).reduce((sum, count) => sum + count, 0);
        task.now = current ? [{ source: current, stage: 'reading' }] : [];
        if (event === 'end')
          endTask(task, error?.message ?? endRemarks[status], error !== undefined);
      }
      showTasks();
    }
  } catch (error) {
    endTask(task, messageOf(error));
    if (needsKey(error)) followAfterSignIn(id);
  }
}

/**
 * Lets the page follow the job when it next reads the list: after the sign-in, or now if the user has
 * signed in since the request.
 */
function followAfterSignIn(id: string) {
  followed.delete(id);
  listed = '';
  if (!keyNeeded.value) loadJobs();
}

/** Codes of failures that may not happen again; after all others a retry fails too. */
const temporaryCodes =
  /^(?:timeout|fetch_failed|internal|busy|stopping|not_ready|rate_limited|storage_\w+|limit_reached|cancelled)$/;
/** Messages of `fetch_failed` if the source refuses the server, or is not what it says it is. */
const refusals = /answered with status 4(?!08|25|29)\d\d|certificate is not valid/;
export const isRetriable = ({ error }: Pick<ReportRow, 'error'>) =>
  error !== undefined && temporaryCodes.test(error.code) && !refusals.test(error.message);
// A text is not kept, and a shortened name (…) does not identify its source.
const canRetry = (row: ReportRow) =>
  row.kind !== 'text' && !row.source.endsWith('…') && isRetriable(row);

function retry(namespace: string, rows: readonly ReportRow[], done: () => void) {
  const sources = rows.map(({ kind, source }) =>
    kind === 'url' ? { url: source } : { path: source },
  );
  void startIngest(namespace, sources).then(done, showError);
}

const followed = new Set<string>();

function followNew({ id, namespace }: Pick<JobReport, 'id' | 'namespace'>, label: string) {
  if (followed.has(id)) return;
  followed.add(id);
  const task = addTask({
    namespace,
    label,
    cancel: () => void api(`api/jobs/${id}`, { method: 'DELETE' }).catch(showError),
    canRetry,
    retry: (failed) => retry(namespace, failed, () => removeRows(task, failed)),
  });
  void follow(task, id);
}

/** While a job starts, the list may contain it before its id is known here. */
let starting = 0;

async function start(path: string, body: object, label: string) {
  starting++;
  try {
    const job = await api<JobReport>(path, { body: { ...body, wait: false } });
    followNew(job, label);
    return job.namespace;
  } finally {
    starting--;
  }
}

const recent = createFetched<JobList>();
let listed = '';
/** False for namespaces that the key may not use: reading their jobs would be refused. */
export const mayWriteHere = () =>
  may('write') && server.value?.caller.namespaces?.includes(route.value.namespace) !== false;

export function loadJobs(): void {
  if (mayWriteHere()) void recent.load(`${namespacePathOf()}/jobs`);
  else recent.forget();
}
onRoute('documents', ({ namespace }) => {
  if (namespace === listed) return;
  listed = namespace;
  loadJobs();
});
effect(() => {
  const { answer, failure, isLoading } = recent.now();
  // An answer that is kept for a reload is no news.
  const jobs = failure || isLoading ? [] : (answer?.jobs ?? []);
  untracked(() => {
    const running = jobs.filter(({ status }) => status === 'queued' || status === 'running');
    if (starting === 0)
      for (const job of running) followNew(job, `Job of ${showTime(job.createdAt)}`);
  });
});

export const failedCount = () =>
  recent.now().answer?.jobs.reduce((sum, { results }) => sum + results.length, 0) ?? 0;

/** Rows of the jobs, newest job first, with their times. */
export const readsIn = ({ jobs }: JobList) =>
  jobs.flatMap(({ results, createdAt, finishedAt }) =>
    results.map((row) => ({ row, at: finishedAt ?? createdAt })),
  );

/**
 * Sources that failed and that no newer job has read. @param search part of a source, in lower case
 */
export function failedView(search: string) {
  const { answer, failure } = recent.now();
  if (failure || !answer) return failure ? errorText(failure) : loadingText();
  if (failedCount() === 0)
    return html`<div class="empty"><h2>No failed sources</h2><p>Failed uploads are listed above until you close them.</p></div>`;
  const rows = readsIn(answer).filter(({ row }) => row.source.toLowerCase().includes(search));
  return html`<div class="card work"><ul class="plain" aria-label="Failed sources">
    ${rows.map(({ row, at }) =>
      sourceRow(
        row,
        row.source,
        `${showTime(at)}: ${row.error?.message}`,
        canRetry(row) && (() => retry(answer.namespace, [row], loadJobs)),
      ),
    )}
  </ul></div>`;
}

export async function startIngest(
  namespace: string,
  sources: readonly SentSource[],
): Promise<string> {
  const maxSources = server.value?.limits.maxSources ?? 100;
  let storedNamespace = namespace;
  for (let at = 0; at < sources.length; at += maxSources) {
    const part = sources.slice(at, at + maxSources);
    const { url, path, title = 'Text' } = part[0] ?? {};
    const label = part.length > 1 ? countOf(part.length, 'source') : (url ?? path ?? title);
    storedNamespace = await start('api/tools/ingestSources', { namespace, sources: part }, label);
  }
  return storedNamespace;
}

/** @param documents ids; default: all documents from a URL or a file @throws ApiFailure */
export const startRefresh = (namespace: string, label: string, documents?: readonly string[]) =>
  start(`${namespacePathOf(namespace)}/refresh`, documents ? { documents } : {}, label);
