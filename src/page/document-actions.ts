import { html, nothing } from 'lit-html';
import { ApiFailure, api } from './api.ts';
import { markDeleted, storedChanged } from './background-tasks.ts';
import { askToConfirm, offerUndo } from './dialogs.ts';
import { countOf, showTime } from './format.ts';
import { startRefresh } from './job-list.ts';
import type { StoredDocument } from './openapi.d.ts';
import { closeDocument } from './reader.ts';
import {
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

export function deleteNamespace(): void {
  const { namespace } = route.value;
  askToConfirm({
    title: `Delete namespace ${namespace}?`,
    text: `This deletes ${countOf(currentNamespace()?.documents ?? 0, 'document')}, all refresh schedules and all answers that quote these documents. This cannot be undone.`,
    label: 'Delete namespace',
    word: namespace,
    act: () => api(namespacePathOf(namespace), { method: 'DELETE' }),
    done() {
      closeDocument();
      showNotice(`${namespace} was deleted.`);
      storedChanged(true);
    },
  });
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

export function documentActions(stored: StoredDocument) {
  const { namespace, title, id, isRefreshable } = stored;
  if (!may('write')) return nothing;
  return html`${
    isRefreshable
      ? html`<button class="small"
    @click=${() => refresh(namespace, title, [id])}>Refresh</button>`
      : nothing
  }
    <button class="small" @click=${() => deleteDocument(stored)}>Delete</button>`;
}

async function deleteSchedule(id: string, source: string) {
  try {
    await api(`${namespacePathOf()}/schedules/${encodeURIComponent(id)}`, { method: 'DELETE' });
    showNotice(`${source} will no longer be refreshed automatically.`);
    await refreshState();
  } catch (error) {
    showError(error);
  }
}

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
            ? html`<button class="small" aria-label=${`Stop refreshing: ${source}`}
          @click=${() => deleteSchedule(id, source)}>Stop refreshing</button>`
            : nothing
        }
      </li>`,
    )}</ul>
  </details>`;
}
