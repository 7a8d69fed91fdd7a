/** Work that goes on while the page is used, jobs of the server and files on their way to it: each shows its rows as they come. */
import { signal } from '@webreflection/signal';
import { html, nothing } from 'lit-html';
import type { ReportRow } from './api-types.d.ts';
import { countOf, showCount } from './format.ts';
import { linkTo, may, refreshState, route, tell } from './session.ts';

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export interface Work {
  readonly namespace: string;
  readonly label: string;
  readonly rows: ReportRow[];
  now: readonly string[];
  total: number;
  remark: string;
  isOver: boolean;
  cancel(): void;
  canRetry(row: ReportRow): boolean;
  retry(rows: readonly ReportRow[]): void;
}

const works: Work[] = [];
const changes = signal(0);
let isShowing = false;
/** To be called after each change: shown some times a second, however many there are. */
export function showTasks(): void {
  if (isShowing) return;
  isShowing = true;
  setTimeout(() => {
    isShowing = false;
    changes.value++;
  }, 120);
}

/** Grows when a list of documents that was fetched before is not what the server holds. */
export const storedChanges = signal(0);
let fetching = 0;
let fetchedAt = 0;
const quietMs = 5_000;
/** The list is fetched soon after the first change, then now and then: a minute has room for so many requests. @param isAwaited at once */
export function storedChanged(isAwaited = false): void {
  if (fetching !== 0 && !isAwaited) return;
  clearTimeout(fetching);
  fetching = window.setTimeout(
    () => {
      fetching = 0;
      fetchedAt = Date.now();
      storedChanges.value++;
      void refreshState();
    },
    isAwaited ? 0 : Math.max(400, fetchedAt + quietMs - Date.now()),
  );
}

export function addTask(work: Work): Work {
  works.unshift(work);
  showTasks();
  return work;
}

function remove(work: Work): void {
  if (works.includes(work)) works.splice(works.indexOf(work), 1);
  showTasks();
}

export function addRow(work: Work, row: ReportRow): void {
  work.rows.push(row);
  if (row.status !== 'unchanged' && row.status !== 'failed') storedChanged();
  showTasks();
}

const statuses = ['added', 'updated', 'unchanged', 'removed', 'skipped', 'failed'] as const;
function countsOf({ rows }: Work): string {
  const counts = statuses.map((status) => [rows.filter((row) => row.status === status).length, status] as const);
  return counts.flatMap(([count, status]) => (count > 0 ? `${showCount(count)} ${status}` : [])).join(', ');
}

export function endTask(work: Work, remark = '', isFailed = false): void {
  if (work.isOver) return;
  Object.assign(work, { isOver: true, now: [], remark });
  const counts = countsOf(work);
  const isBad = isFailed || work.rows.some(({ status }) => status === 'failed') || (counts === '' && remark !== '');
  const text = (isFailed ? remark : counts || remark || 'nothing to read').replace(/\.$/, '');
  tell(`${work.label}: ${text}.`, isBad ? 'bad' : 'good');
  storedChanged();
  showTasks();
}

/** Rows that are tried again are those of other work; what has none left is gone. */
export function takeOut(work: Work, rows: readonly ReportRow[]): void {
  const kept = work.rows.filter((row) => !rows.includes(row));
  work.total -= work.rows.length - kept.length;
  work.rows.splice(0, work.rows.length, ...kept);
  if (work.isOver && kept.length === 0) remove(work);
  showTasks();
}

const maxShown = 100;

function rowView(work: Work, row: ReportRow) {
  const { source, status, document, error } = row;
  const name =
    document && status !== 'removed'
      ? html`<a href=${linkTo({ view: 'documents', namespace: work.namespace, id: document.id })}>${source}</a>`
      : source;
  return html`<li>
    <span class="chip ${status === 'failed' ? 'bad' : ''}">${status}</span>
    <span class="grow">${name}${error ? html`<br /><span class="quiet">${error.message}</span>` : nothing}</span>
    ${status === 'failed' && may('write') && work.canRetry(row) ? html`<button class="small" aria-label=${`Try again: ${source}`} @click=${() => work.retry([row])}>Try again</button>` : nothing}
  </li>`;
}

function workView(work: Work) {
  const { label, rows, now, total, remark, isOver } = work;
  const failed = rows.filter(({ status }) => status === 'failed');
  const retriable = may('write') ? failed.filter((row) => work.canRetry(row)) : [];
  // Why something failed stands above what went well, the newest of which stands first.
  const shown = [...failed.slice(0, maxShown), ...rows.filter(({ status }) => status !== 'failed').toReversed()].slice(0, maxShown);
  return html`<section class="card work" aria-label=${label}>
    <header>
      <h2>${label}</h2>
      ${
        isOver
          ? html`<button class="icon" aria-label=${`Close: ${label}`} @click=${() => remove(work)}>✕</button>`
          : html`<button class="small" @click=${() => work.cancel()}>Cancel</button>`
      }
    </header>
    ${isOver ? nothing : html`<progress aria-label=${label} max=${Math.max(total, 1)} .value=${rows.length}></progress>`}
    ${now.length > 0 ? html`<p class="quiet now">Reading ${now.join(', ')} …</p>` : nothing}
    ${remark ? html`<p class="warning">${remark}</p>` : nothing}
    <details ?open=${!isOver || failed.length > 0}>
      <summary class="quiet">${isOver ? countOf(rows.length, 'source') : `${showCount(rows.length)} of ${countOf(total, 'source')}`}${rows.length > 0 ? `: ${countsOf(work)}` : ''}</summary>
      ${isOver && retriable.length > 1 ? html`<p><button class="small" @click=${() => work.retry(retriable)}>Try the ${showCount(retriable.length)} that failed again</button></p>` : nothing}
      ${shown.length > 0 ? html`<ul class="plain" tabindex="0" aria-label="Sources">${shown.map((row) => rowView(work, row))}</ul>` : nothing}
      ${rows.length > shown.length ? html`<p class="quiet">and ${showCount(rows.length - shown.length)} more</p>` : nothing}
    </details>
  </section>`;
}

export function tasksView() {
  changes.value;
  const { namespace } = route.value;
  const others = new Set(works.flatMap((work) => (work.namespace === namespace ? [] : work.namespace)));
  return html`${works.filter((work) => work.namespace === namespace).map(workView)}
    ${others.size > 0 ? html`<p class="quiet">Also working on: ${[...others].map((name) => html`<a href=${linkTo({ namespace: name })}>${name}</a> `)}</p>` : nothing}`;
}
