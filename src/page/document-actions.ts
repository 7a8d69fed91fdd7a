import { html, nothing } from 'lit-html';
import { api } from './api.ts';
import type { StoredDocument } from './api-types.d.ts';
import { storedChanged } from './background-tasks.ts';
import { askToConfirm, type Confirmation } from './dialogs.ts';
import { countOf, showTime } from './format.ts';
import { startRefresh } from './jobs.ts';
import { closeDocument } from './reader.ts';
import { may, namespacePath, namespacePathOf, namespaces, refreshState, route, showError, showNotice } from './session.ts';

export const refresh = (namespace: string, label: string, documents?: readonly string[]) =>
  startRefresh(namespace, `Refresh ${label}`, documents).catch(showError);

function askToDelete(what: string, path: string, question: Omit<Confirmation, 'act' | 'done'>): void {
  askToConfirm({
    ...question,
    act: () => api(path, { method: 'DELETE' }),
    done() {
      closeDocument();
      showNotice(`${what} was deleted.`);
      storedChanged(true);
    },
  });
}

export function deleteNamespace(): void {
  const { namespace } = route.value;
  const count = namespaces.value.find(({ name }) => name === namespace)?.documents ?? 0;
  askToDelete(namespace, namespacePath.value, {
    title: `Delete namespace ${namespace}?`,
    text: `This deletes ${countOf(count, 'document')}, all refresh schedules and all answers that quote these documents. This cannot be undone.`,
    label: 'Delete namespace',
    word: namespace,
  });
}

const deleteDocument = ({ namespace, id, title }: StoredDocument) =>
  askToDelete(title, `${namespacePathOf(namespace)}/documents/${encodeURIComponent(id)}`, {
    title: 'Delete this document?',
    text: html`This deletes <b>${title}</b> from ${namespace}, with the answers that quote it. This cannot be undone.`,
    label: 'Delete',
  });

export function documentActions(stored: StoredDocument) {
  if (!may('write')) return nothing;
  const { namespace, title, id, isRefreshable } = stored;
  return html`${isRefreshable ? html`<button class="small" @click=${() => refresh(namespace, title, [id])}>Refresh</button>` : nothing}
    <button class="small" @click=${() => deleteDocument(stored)}>Delete …</button>`;
}

async function deleteSchedule(id: string, source: string): Promise<void> {
  try {
    await api(`${namespacePath.value}/schedules/${encodeURIComponent(id)}`, { method: 'DELETE' });
    showNotice(`${source} will no longer be refreshed automatically.`);
    await refreshState();
  } catch (error) {
    showError(error);
  }
}

export function schedulesView() {
  const schedules = namespaces.value.find(({ name }) => name === route.value.namespace)?.schedules ?? [];
  if (schedules.length === 0) return nothing;
  return html`<details class="card work">
    <summary>${countOf(schedules.length, 'refresh schedule')}</summary>
    <ul class="plain" tabindex="0" aria-label="Refresh schedules">${schedules.map(
      ({ id, source, refreshEvery, nextAt }) => html`<li>
        <span class="grow">${source}<br /><span class="quiet">Every ${refreshEvery}, next refresh: ${showTime(nextAt)}</span></span>
        ${may('write') ? html`<button class="small" aria-label=${`Stop refreshing: ${source}`} @click=${() => deleteSchedule(id, source)}>Stop refreshing</button>` : nothing}
      </li>`,
    )}</ul>
  </details>`;
}
