import { signal } from '@webreflection/signal';
import { html, nothing, render } from 'lit-html';
import { ApiFailure, api, messageOf, needsKey } from './api.ts';
import { markDeleted, storedChanged } from './background-tasks.ts';
import { createDialog, offerUndo } from './dialogs.ts';
import { chip, countOf, errorText, listOf, showDay, showTime, smallButton } from './format.ts';
import { readsIn, startRefresh } from './job-list.ts';
import type { JobList, ListedAnswer, StoredDocument } from './openapi.d.ts';
import { closeDocument } from './reader.ts';
import {
  createFetched,
  currentNamespace,
  may,
  namespacePathOf,
  refreshState,
  route,
  showError,
  showNotice,
} from './session.ts';

export const refresh = (namespace: string, label: string, documents?: readonly string[]) =>
  startRefresh(namespace, `Refresh ${label}`, documents).catch(showError);

const dialog = createDialog('Confirm');

/** If the deletion fails, the dialog stays open and shows the error. */
export function deleteNamespace(): void {
  const { namespace } = route.value;
  const count = countOf(currentNamespace()?.documents ?? 0, 'document');
  let isBusy = false;
  let failure = '';
  let typed = '';
  const show = () =>
    render(
      html`<form @submit=${submit}>
        <h2>Delete namespace ${namespace}?</h2>
        <p>This deletes ${count}, all refresh schedules and all answers that quote these documents. This cannot be undone.</p>
        <label>Type <b>${namespace}</b> to confirm <input autocomplete="off" .value=${typed}
          @input=${type} /></label>
        ${errorText(failure)}
        <div class="tools">
          <button type="button" @click=${() => dialog.close()}>Cancel</button>
          <button class="danger" ?disabled=${isBusy || typed !== namespace}>Delete namespace</button>
        </div>
      </form>`,
      dialog,
    );
  const type = ({ target }: Event) => {
    typed = (target as HTMLInputElement).value;
    show();
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    isBusy = true;
    failure = '';
    show();
    try {
      await api(namespacePathOf(namespace), { method: 'DELETE' });
      dialog.close();
      closeDocument();
      showNotice(`${namespace} was deleted.`);
      storedChanged(true);
    } catch (error) {
      failure = messageOf(error);
      if (needsKey(error)) dialog.close();
    }
    isBusy = false;
    show();
  };
  show();
  dialog.showModal();
}

/** The request outlives the page. */
const sendWhileClosing = (path: string, init: RequestInit) =>
  fetch(path, { ...init, keepalive: true });
const isGone = (error: unknown) =>
  error instanceof ApiFailure && ['document_not_found', 'namespace_not_found'].includes(error.code);

/** Hides the document at once, and deletes it when it can no longer be undone. */
function deleteDocument({ namespace, id, title }: StoredDocument) {
  const key = `${namespace}/${id}`;
  const restore = () => markDeleted(key, 0);
  // Closing first returns the focus to the row in the list, which then shows the next document.
  closeDocument();
  markDeleted(key, Number.POSITIVE_INFINITY);
  offerUndo({
    text: `“${title}” was deleted, with the answers that quote it.`,
    undo: restore,
    async act() {
      try {
        await api(`${namespacePathOf(namespace)}/documents/${encodeURIComponent(id)}`, {
          method: 'DELETE',
          send: sendWhileClosing,
        });
      } catch (error) {
        if (!isGone(error)) {
          restore();
          showError(error);
          return;
        }
      }
      markDeleted(key, Date.now());
      storedChanged(true);
    },
  });
}

const reads = createFetched<JobList>();
const quotes = createFetched<{
  readonly answers: readonly ListedAnswer[];
  readonly isPartial: boolean;
}>();
const historyOf = signal('');

function toggleHistory({ target }: Event, { namespace, id }: StoredDocument) {
  const { open } = target as HTMLDetailsElement;
  if (open || historyOf.value === id) historyOf.value = open ? id : '';
  if (!open) return;
  const of = encodeURIComponent(id);
  if (may('write')) void reads.load(`${namespacePathOf(namespace)}/jobs?document=${of}`);
  if (may('admin'))
    void quotes.load(
      `api/answers?namespace=${encodeURIComponent(namespace)}&document=${of}&limit=20`,
    );
}

function readsView({ fetchedAt, revision }: StoredDocument) {
  const { answer, failure } = reads.now();
  const rows = answer ? readsIn(answer) : [];
  return html`<h3>Reads</h3>
    <p class="facts">${fetchedAt ? html`<span>last fetched ${showTime(fetchedAt)}</span>` : nothing}<span>revision ${revision.slice(0, 19)}</span></p>
    ${errorText(failure)}
    ${
      answer && rows.length === 0
        ? html`<p
      class="quiet">None of the last 20 jobs read it: it was uploaded, or put into the folder of the server.</p>`
        : nothing
    }
    <ul class="plain">
      ${rows.map(
        ({ row: { status, error }, at }) =>
          html`<li>${chip(status, status === 'failed')} ${showTime(at)} ${error?.message ?? nothing}</li>`,
      )}
    </ul>`;
}

function quotesView() {
  if (!may('admin')) return nothing;
  const { answer, failure } = quotes.now();
  const item = ({ question, askedAt, state }: ListedAnswer) =>
    html`<li>${question} <span class="quiet">${showDay(askedAt)}</span> ${state === 'stale' ? chip('outdated', true) : nothing}</li>`;
  return html`<h3>Answers that quote it</h3>
    ${listOf(answer?.answers, failure, item, 'No stored answer quotes this document.')}
    ${answer?.isPartial ? html`<p class="quiet">Older answers are not listed.</p>` : nothing}`;
}

export function documentActions(stored: StoredDocument) {
  const { namespace, title, id, isRefreshable } = stored;
  const isOpen = historyOf.value === id;
  return html`${
    may('write')
      ? html`${isRefreshable ? smallButton('Refresh', () => refresh(namespace, title, [id])) : nothing}
          ${smallButton('Delete', () => deleteDocument(stored))}`
      : nothing
  }
    <details class="history" ?open=${isOpen} @toggle=${(event: Event) => toggleHistory(event, stored)}>
      <summary>History</summary>
      ${
        isOpen
          ? html`<div tabindex="0" role="region"
        aria-label="History">${readsView(stored)} ${quotesView()}</div>`
          : nothing
      }
    </details>`;
}

const deleteSchedule = (id: string, source: string) =>
  api(`${namespacePathOf()}/schedules/${encodeURIComponent(id)}`, { method: 'DELETE' })
    .then(() => {
      showNotice(`${source} will no longer be refreshed automatically.`);
      return refreshState();
    })
    .catch(showError);

export function schedulesView() {
  const { schedules = [] } = currentNamespace() ?? {};
  if (schedules.length === 0) return nothing;
  return html`<details class="card work">
    <summary>${countOf(schedules.length, 'refresh schedule')}</summary>
    <ul class="plain" tabindex="0" aria-label="Refresh schedules">${schedules.map(
      ({ id, source, refreshEvery, nextAt }) => html`<li>
        <span class="grow">${source}<br /><span
          class="quiet">Every ${refreshEvery}, next refresh: ${showTime(nextAt)}</span></span>
        ${
          may('write')
            ? smallButton(
                'Stop refreshing',
                () => deleteSchedule(id, source),
                `Stop refreshing: ${source}`,
              )
            : nothing
        }
      </li>`,
    )}</ul>
  </details>`;
}
