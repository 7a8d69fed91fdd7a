import { html, nothing, render } from 'lit-html';
import { ApiFailure, api, messageOf, needsKey } from './api.ts';
import { markDeleted, storedChanged } from './background-tasks.ts';
import { createDialog, offerUndo } from './dialogs.ts';
import { countOf, errorText, showTime } from './format.ts';
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

const dialog = createDialog('Confirm');

export function deleteNamespace(): void {
  const { namespace } = route.value;
  let isBusy = false;
  let failure = '';
  let typed = '';
  const show = () =>
    render(
      html`<form @submit=${submit}>
        <h2>Delete namespace ${namespace}?</h2>
        <p>This deletes ${countOf(currentNamespace()?.documents ?? 0, 'document')}, all refresh schedules and all answers that quote these documents. This cannot be undone.</p>
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
