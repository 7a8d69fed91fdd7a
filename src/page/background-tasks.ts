/** Background tasks: server jobs and uploads, shown with a row per source. */
import { signal } from '@webreflection/signal';
import { html, nothing } from 'lit-html';
import { chip, countOf, showCount, showShare, smallButton } from './format.ts';
import type { ReportRow } from './openapi.d.ts';
import { linkTo, may, refreshState, route, showNotice } from './session.ts';

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Source in progress. `share`: sent part of a file, 0 to 1. */
export type Current = Readonly<{ source: string; stage: string; share?: number }>;

interface NewTask {
  readonly namespace: string;
  readonly label: string;
  cancel(): void;
  canRetry(row: ReportRow): boolean;
  retry(rows: readonly ReportRow[]): void;
}

export interface Task extends NewTask {
  readonly rows: ReportRow[];
  now: readonly Current[];
  total: number;
  remark: string;
  isOver: boolean;
}

const tasks: Task[] = [];
const changes = signal(0);
let isShowing = false;
/** Call it after each change. Renders at most once per 120 ms. */
export function showTasks(): void {
  if (isShowing) return;
  isShowing = true;
  setTimeout(() => {
    isShowing = false;
    changes.value++;
  }, 120);
}

/**
 * Per `namespace/id` of a deleted document: fetched lists up to this time still contain it.
 * Infinity while the deletion can be undone.
 */
export const deletedDocuments = signal<ReadonlyMap<string, number>>(new Map());

type TabMessage = Readonly<{ key: string; until: number } | { key?: never }>;

/**
 * Connects the tabs of a browser; undefined if the browser denies it. Hidden tabs refetch when they
 * become visible.
 */
function openChannel() {
  try {
    return new BroadcastChannel('documents');
  } catch {
    return undefined;
  }
}
const channel = openChannel();
channel?.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
  if (data.key !== undefined)
    deletedDocuments.value = new Map(deletedDocuments.value).set(data.key, data.until);
  else storedChanged(false, true);
});

/** @param until 0: the document is not deleted */
export function markDeleted(key: string, until: number): void {
  deletedDocuments.value = new Map(deletedDocuments.value).set(key, until);
  channel?.postMessage({ key, until } satisfies TabMessage);
}

/** Counts changes that make a fetched document list outdated. */
export const storedChanges = signal(0);
let fetching = 0;
let fetchedAt = 0;
const quietMs = 5_000;
/**
 * Refetches the list 400 ms after the first change, then at most every 5 s (rate limit). @param
 * isAwaited true: refetches immediately @param isFromTab true: another tab reported the change
 */
export function storedChanged(isAwaited = false, isFromTab = false): void {
  if (fetching !== 0 && !isAwaited) return;
  clearTimeout(fetching);
  fetching = window.setTimeout(
    () => {
      fetching = 0;
      fetchedAt = Date.now();
      storedChanges.value++;
      if (!isFromTab) channel?.postMessage({} satisfies TabMessage);
      void refreshState();
    },
    isAwaited ? 0 : Math.max(400, fetchedAt + quietMs - Date.now()),
  );
}

export function addTask(added: NewTask, total = 0): Task {
  const task = { ...added, rows: [], now: [], total, remark: '', isOver: false };
  tasks.unshift(task);
  showTasks();
  return task;
}

function remove(task: Task) {
  if (tasks.includes(task)) tasks.splice(tasks.indexOf(task), 1);
  showTasks();
}

export function addRow(task: Task, row: ReportRow): void {
  task.rows.push(row);
  if (row.status !== 'unchanged' && row.status !== 'failed') storedChanged();
  showTasks();
}

const statuses = ['added', 'updated', 'unchanged', 'removed', 'skipped', 'failed'];
const countsOf = ({ rows }: Task) =>
  statuses
    .flatMap((status) => {
      const count = rows.filter((row) => row.status === status).length;
      return count > 0 ? `${showCount(count)} ${status}` : [];
    })
    .join(', ');

export function endTask(task: Task, remark = '', isFailed = false): void {
  if (task.isOver) return;
  Object.assign(task, { isOver: true, now: [], remark });
  const counts = countsOf(task);
  const isBad =
    isFailed ||
    task.rows.some(({ status }) => status === 'failed') ||
    (counts === '' && remark !== '');
  const text = (isFailed ? remark : counts || remark || 'no sources found').replace(/\.$/, '');
  showNotice(`${task.label}: ${text}.`, isBad ? 'bad' : 'good');
  storedChanged();
  showTasks();
}

/** Removes rows that another task retries. A finished task without rows is removed. */
export function removeRows(task: Task, rows: readonly ReportRow[]): void {
  const kept = task.rows.filter((row) => !rows.includes(row));
  task.total -= task.rows.length - kept.length;
  task.rows.splice(0, task.rows.length, ...kept);
  if (task.isOver && kept.length === 0) remove(task);
  showTasks();
}

const maxShown = 100;

/** A source with its result and, if it can be retried, a button. */
export const sourceRow = (
  { source, status }: ReportRow,
  name: unknown,
  remark: unknown,
  retry: false | (() => void),
) => html`<li>
  ${chip(status, status === 'failed')}
  <span class="grow">${name}${remark ? html`<br /><span class="quiet">${remark}</span>` : nothing}</span>
  ${retry ? smallButton('Retry', retry, `Retry: ${source}`) : nothing}
</li>`;

function rowView(task: Task, row: ReportRow) {
  const { source, status, document, error } = row;
  const address =
    document && status !== 'removed'
      ? linkTo({ view: 'documents', namespace: task.namespace, id: document.id })
      : undefined;
  const name = address ? html`<a href=${address}>${source}</a>` : source;
  const canRetry = status === 'failed' && may('write') && task.canRetry(row);
  return sourceRow(row, name, error?.message, canRetry && (() => task.retry([row])));
}

const currentView = ({ source, stage, share }: Current) => html`<li>
  ${chip(stage)}
  <span class="grow">${source}${
    share === undefined
      ? nothing
      : html`<progress
    aria-label=${`Sent: ${source}`} max="1" .value=${share}></progress>`
  }</span>
  ${share === undefined ? nothing : html`<span class="quiet">${showShare(share)}</span>`}
</li>`;

function taskView(task: Task) {
  const { label, rows, now, total, remark, isOver } = task;
  const failed = rows.filter(({ status }) => status === 'failed');
  const retriable = may('write') ? failed.filter((row) => task.canRetry(row)) : [];
  const shown = [
    ...failed.slice(0, maxShown),
    ...rows.filter(({ status }) => status !== 'failed').toReversed(),
  ].slice(0, maxShown);
  return html`<section class="card work" aria-label=${label}>
    <header>
      <h2>${label}</h2>
      ${
        isOver
          ? html`<button class="icon" aria-label=${`Close: ${label}`} @click=${() => remove(task)}>✕</button>`
          : smallButton('Cancel', () => task.cancel())
      }
    </header>
    ${
      isOver
        ? nothing
        : html`<progress aria-label=${label} max=${Math.max(total, 1)}
      .value=${rows.length}></progress>`
    }
    ${remark ? html`<p class="warning">${remark}</p>` : nothing}
    <details ?open=${!isOver || failed.length > 0}>
      <summary class="quiet">${isOver ? countOf(rows.length, 'source') : `${showCount(rows.length)} of ${countOf(total, 'source')}`}${rows.length > 0 ? `: ${countsOf(task)}` : ''}</summary>
      ${
        isOver && retriable.length > 1
          ? html`<p>${smallButton(`Retry ${showCount(retriable.length)} failed`, () => task.retry(retriable))}</p>`
          : nothing
      }
      ${
        shown.length + now.length > 0
          ? html`<ul class="plain" tabindex="0"
        aria-label="Sources">${now.map(currentView)}${shown.map((row) => rowView(task, row))}</ul>`
          : nothing
      }
      ${
        rows.length > shown.length
          ? html`<p
        class="quiet">and ${showCount(rows.length - shown.length)} more</p>`
          : nothing
      }
    </details>
  </section>`;
}

export function hasRunningTask(): boolean {
  changes.value;
  return tasks.some(({ isOver, namespace }) => !isOver && namespace === route.value.namespace);
}

export function tasksView() {
  changes.value;
  const { namespace } = route.value;
  const others = new Set(tasks.map((task) => task.namespace));
  others.delete(namespace);
  return html`${tasks.filter((task) => task.namespace === namespace).map(taskView)}
    ${others.size > 0 ? html`<p class="quiet">Tasks in other namespaces: ${[...others].map((name) => html`<a href=${linkTo({ namespace: name })}>${name}</a> `)}</p>` : nothing}`;
}
