/** Documents view: a virtual list that renders only the rows near the visible part. */
import { effect, signal, untracked } from '@webreflection/signal';
import { html, nothing, render } from 'lit-html';
import { openAdd, uploadButton } from './add.ts';
import { ApiFailure, api, keyNeeded } from './api.ts';
import { deletedDocuments, hasRunningTask, storedChanges, tasksView } from './background-tasks.ts';
import { deleteNamespace, refresh, schedulesView } from './document-actions.ts';
import { emptyList, linkToListed, listStateOf, searchOf, stateFilter } from './document-filters.ts';
import {
  chip,
  countOf,
  errorText,
  localTime,
  showBytes,
  showCount,
  showDay,
  smallButton,
} from './format.ts';
import { failedView, isTemporary, loadJobs, mayWriteHere } from './job-list.ts';
import type { DocumentList, DocumentMetadata } from './openapi.d.ts';
import { closeDocument, isShown, onDocumentClosed, openDocument } from './reader.ts';
import {
  currentNamespace,
  focusHeading,
  namespacePathOf,
  onReturn,
  route,
  server,
} from './session.ts';

const kindLabels = { url: 'URL', file: 'File', text: 'Text' };
const perPage = 100;
const overscan = 8;

const pages = new Map<
  number,
  Readonly<{ documents: readonly DocumentMetadata[]; askedAt: number }>
>();
/** Namespaces in which the server can refresh none of the fetched documents. */
const unrefreshable = new Set<string>();
const fresh = new Set<number>();
const total = signal<number | undefined>(undefined);
const failure = signal<unknown>(undefined);
const fetched = signal(0);
const visible = signal({ first: 0, last: 2 * overscan, rowPx: 56 });
const active = signal(0);

const list = Object.assign(document.createElement('ul'), {
  className: 'documents',
  ariaLabel: 'Documents',
});
const searchField = Object.assign(document.createElement('input'), {
  type: 'search',
  placeholder: 'Search by title, file name or source',
  ariaLabel: 'Search documents',
  maxLength: 300,
});

const listedOf = () =>
  `${namespacePathOf()}/documents?state=${encodeURIComponent(listStateOf() || 'all')}&query=${encodeURIComponent(searchOf())}`;
let listed = '';

/** Positions of deleted documents in the fetched list, ascending. */
function deletedPositions() {
  const deleted = deletedDocuments.value;
  if (deleted.size === 0) return [];
  const { namespace } = route.value;
  const positions = [...pages].flatMap(([page, { documents, askedAt }]) =>
    documents.flatMap(({ id }, at) =>
      askedAt <= (deleted.get(`${namespace}/${id}`) ?? 0) ? page * perPage + at : [],
    ),
  );
  return positions.sort((a, b) => a - b);
}

const shownTotal = () =>
  total.value === undefined ? undefined : Math.max(0, total.value - deletedPositions().length);

async function fetchPage(page: number) {
  const requested = listed;
  const askedAt = Date.now();
  fresh.add(page);
  try {
    const found = await api<DocumentList>(`${requested}&perPage=${perPage}&page=${page + 1}`);
    if (requested !== listed) return;
    pages.set(page, { documents: found.documents, askedAt });
    total.value = found.total;
    failure.value = undefined;
    noteRefreshable();
  } catch (error) {
    if (requested !== listed) return;
    fresh.delete(page);
    const isMissing = error instanceof ApiFailure && error.code === 'namespace_not_found';
    failure.value = isMissing ? undefined : error;
    if (isMissing) {
      pages.clear();
      total.value = 0;
    }
    if (error instanceof ApiFailure && error.retryAfterSeconds)
      setTimeout(fetchNear, error.retryAfterSeconds * 1000);
  }
  fetched.value++;
}

/** Only a complete list proves that nothing can be refreshed. */
function noteRefreshable() {
  const { namespace } = route.value;
  const known = [...pages.values()].flatMap(({ documents }) => documents);
  if (known.some(({ isRefreshable }) => isRefreshable)) unrefreshable.delete(namespace);
  else if (searchOf() === '' && listStateOf() === '' && known.length === total.value)
    unrefreshable.add(namespace);
}

/** The delay skips pages that the user only scrolls past. */
let restTimer: number | undefined;
function fetchNear() {
  const { first, last } = visible.value;
  const end = Math.min(last + deletedPositions().length, (total.value ?? 1) - 1);
  for (
    let page = Math.floor(first / perPage);
    page <= Math.max(0, Math.floor(end / perPage));
    page++
  )
    if (!fresh.has(page)) void fetchPage(page);
}

function forget() {
  pages.clear();
  fresh.clear();
  total.value = undefined;
  failure.value = undefined;
  active.value = 0;
  if (searchField !== document.activeElement) searchField.value = searchOf();
  list.closest('section')?.scrollTo(0, 0);
}

effect(() => {
  if (route.value.view !== 'documents' || keyNeeded.value || listStateOf() === 'failed') return;
  const wanted = listedOf();
  visible.value;
  untracked(() => {
    if (wanted !== listed) {
      listed = wanted;
      forget();
    }
    clearTimeout(restTimer);
    restTimer = window.setTimeout(fetchNear, pages.size === 0 ? 0 : 70);
  });
});

function refetch() {
  fresh.clear();
  if (route.value.view === 'documents' && listStateOf() !== 'failed') fetchNear();
}
function reload() {
  refetch();
  loadJobs();
}
onReturn('documents', reload);
effect(() => {
  if (storedChanges.value > 0) untracked(reload);
});

/**
 * Finds the rows near the visible part. If the row height changes, the row in view keeps its place.
 */
function measure() {
  const section = list.closest('section');
  if (!section) return;
  const seen = section.getBoundingClientRect();
  const all = list.getBoundingClientRect();
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const isNarrow = all.width < 46 * rem;
  list.classList.toggle('narrow', isNarrow);
  const rowPx = (isNarrow ? 5.25 : 3.5) * rem;
  const before = visible.value;
  const [top, bottom] = [seen.top - all.top, seen.bottom - all.top].map(
    (px) => px / before.rowPx,
  ) as [number, number];
  const kept = active.value >= top && active.value < bottom ? active.value : Math.max(0, top);
  const scrollTop = section.scrollTop + kept * (rowPx - before.rowPx);
  const first = Math.max(0, Math.floor(top) - overscan);
  const last = Math.max(first, Math.ceil(bottom) + overscan);
  if (first !== before.first || last !== before.last || rowPx !== before.rowPx)
    visible.value = { first, last, rowPx };
  if (rowPx !== before.rowPx) section.scrollTop = scrollTop;
}
new ResizeObserver(measure).observe(list);
addEventListener('resize', measure);

function reviewOf({ reviewBy }: DocumentMetadata) {
  if (!reviewBy) return nothing;
  const isOverdue = reviewBy < localTime(new Date()).slice(0, 10);
  return chip(`review ${isOverdue ? 'overdue since' : 'due'} ${showDay(reviewBy)}`, isOverdue);
}

function rowContent(stored: DocumentMetadata) {
  const { title, file, source, kind, bytes, chunks, lastModified, fetchedAt } = stored;
  const date = lastModified ?? fetchedAt;
  return html`<span class="what" title=${`${title}\n${file}`}>
      <span class="title"><b>${title}</b>${reviewOf(stored)}</span>
      <span class="quiet">${kind === 'text' ? file : source}</span>
    </span>
    <span class="facts"><span>${kindLabels[kind]}</span><span>${showBytes(bytes)}</span><span>${countOf(chunks, 'passage')}</span><span>${date ? showDay(date) : ''}</span></span>`;
}

/** @param at position in the shown list @param place position in the fetched list */
function rowView(at: number, place: number) {
  const stored = pages.get(Math.floor(place / perPage))?.documents[place % perPage];
  return html`<a
    data-at=${at}
    href=${stored ? linkToListed(stored.id) : nothing}
    tabindex=${at === active.value ? 0 : -1}
    aria-current=${stored && stored.id === route.value.id ? 'true' : nothing}
    @focus=${() => {
      active.value = at;
    }}
    >${stored ? rowContent(stored) : html`<span class="quiet">Loading …</span>`}</a
  >`;
}

/** Rows by position. A row that stays is never moved, because it would lose the focus. */
const rows = new Map<number, HTMLLIElement>();

function rowAt(at: number, next: Node | null) {
  const known = rows.get(at);
  if (known) return known;
  const row = document.createElement('li');
  row.ariaPosInSet = String(at + 1);
  rows.set(at, row);
  return list.insertBefore(row, next);
}

effect(() => {
  fetched.value;
  const count = shownTotal() ?? 0;
  const deleted = deletedPositions();
  const { first, last, rowPx } = visible.value;
  const current = Math.min(active.value, count - 1);
  const shown = new Set([current]);
  const hadFocus = list.contains(document.activeElement);
  for (let at = first; at <= last && at < count; at++) shown.add(at);
  for (const [at, row] of rows) {
    if (shown.has(at)) continue;
    row.remove();
    rows.delete(at);
  }
  list.style.height = `${count * rowPx}px`;
  let next: Node | null = null;
  for (const at of [...shown].filter((one) => one >= 0).sort((a, b) => b - a)) {
    const row = rowAt(at, next);
    row.ariaSetSize = String(count);
    row.style.cssText = `top:${at * rowPx}px;height:${rowPx}px`;
    const place = deleted.reduce((before, one) => (one <= before ? before + 1 : before), at);
    render(rowView(at, place), row);
    next = row;
  }
  if (!hadFocus || list.contains(document.activeElement)) return;
  if (count === 0) focusHeading();
  else list.querySelector<HTMLElement>(`[data-at="${current}"]`)?.focus();
});

function moveTo(wanted: number) {
  const at = Math.max(0, Math.min(wanted, (shownTotal() ?? 0) - 1));
  active.value = at;
  const row = list.querySelector<HTMLElement>(`[data-at="${at}"]`);
  if (at === 0) list.closest('section')?.scrollTo(0, 0);
  else row?.scrollIntoView({ block: 'nearest' });
  row?.focus({ preventScroll: true });
  measure();
}

list.addEventListener('keydown', (event) => {
  const { rowPx } = visible.value;
  const jump = Math.max(1, Math.floor((list.closest('section')?.clientHeight ?? 0) / rowPx) - 2);
  const steps = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: jump,
    PageUp: -jump,
    Home: -Infinity,
    End: Infinity,
  };
  const step = steps[event.key as keyof typeof steps];
  if (step === undefined) return;
  event.preventDefault();
  moveTo(active.value + step);
});

function spanOf(query: URLSearchParams) {
  const numberOf = (name: string) => Number.parseInt(query.get(name) ?? '', 10);
  const [start, end] = [numberOf('start'), numberOf('end')];
  return start >= 0 && start < end ? { start, end, revision: query.get('revision') ?? '' } : {};
}

// Synchronizes the open document and the URL in both directions.
effect(() => {
  const { view, namespace, id, query } = route.value;
  if (view !== 'documents' || keyNeeded.value) return;
  untracked(() => {
    const place = { namespace, documentId: id, ...spanOf(query) };
    if (id === '') closeDocument();
    else if (!isShown(place)) void openDocument(place);
  });
});
onDocumentClosed(() => {
  const { view, id } = route.value;
  if (view === 'documents' && id !== '') location.replace(linkToListed(''));
});

let typing: number | undefined;
searchField.addEventListener('input', () => {
  clearTimeout(typing);
  typing = window.setTimeout(
    () => location.replace(linkToListed(route.value.id, { search: searchField.value.trim() })),
    250,
  );
});
searchField.addEventListener('keydown', ({ key }) => {
  if (key === 'ArrowDown') moveTo(active.value);
});

function totalText() {
  const count = shownTotal();
  if (listStateOf() === 'failed') return '';
  if (count === undefined) return failure.value ? '' : 'Loading …';
  return searchOf() === '' && listStateOf() === ''
    ? countOf(count, 'document')
    : `${showCount(count)} found`;
}

function listView() {
  if (listStateOf() === 'failed') return failedView(searchOf().toLowerCase());
  return html`${errorText(failure.value)}${isTemporary(failure.value) ? smallButton('Retry', fetchNear) : nothing}
    ${shownTotal() !== 0 || !server.value ? list : hasRunningTask() ? nothing : emptyList()}`;
}

export function documentsView() {
  const { namespace } = route.value;
  fetched.value;
  const mayRefresh = total.value && !unrefreshable.has(namespace);
  return html`<section class="documents-view" @scroll=${measure}>
    <header>
      <h1>Documents in ${namespace}</h1>
      <span class="quiet grow" role="status">${totalText()}</span>
      ${
        mayWriteHere()
          ? html`${uploadButton()}<button @click=${() => openAdd()}>Add URL or text</button>
              ${
                mayRefresh
                  ? html`<button
                @click=${() => refresh(namespace, namespace)}>Refresh all</button>`
                  : nothing
              }
              ${
                currentNamespace()
                  ? html`<button
                @click=${deleteNamespace}>Delete namespace …</button>`
                  : nothing
              }`
          : nothing
      }
    </header>
    ${tasksView()} ${schedulesView()}
    <div class="find">${searchField} ${stateFilter()}</div>
    ${listView()}
  </section>`;
}
