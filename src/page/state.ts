/** Status view: contents and configuration of the server, and the caller's rights. */
import { effect } from '@webreflection/signal';
import { html, nothing } from 'lit-html';
import { hasKey, keyNeeded, signOut } from './api.ts';
import type { NamespaceSummary, ServerState } from './api-types.d.ts';
import { fieldList, figures, showBytes, showCount, showDecimal, wordsOf } from './format.ts';
import { linkTo, namespaces, refreshState, route, server, stateFailure } from './session.ts';

const pollMs = 5_000;

effect(() => {
  if (route.value.view !== 'state' || keyNeeded.value) return undefined;
  const timer = setInterval(() => {
    if (document.visibilityState === 'visible') void refreshState();
  }, pollMs);
  return () => clearInterval(timer);
});

function mirrorText({ mirror }: ServerState) {
  if (!mirror) return 'off';
  const age = mirror.ageMs === null ? 'not connected yet' : `synced ${showDecimal(mirror.ageMs / 1_000)} s ago`;
  return html`${age} ${mirror.isWritten ? nothing : html`<span class="chip bad">out of date: cannot write KNOWLEDGE_DIR</span>`}`;
}

export const modelText = (model: string): string => (model === 'extractive' ? 'No model (quotes only)' : model);

const configuration = (state: ServerState) =>
  fieldList([
    ['Version', state.version],
    ['Model', modelText(state.model)],
    ['Semantic search', state.embeddingModel ?? 'off'],
    ['Search engine', state.searchEngine === 'memory' ? 'in memory' : 'PostgreSQL'],
    ['Database sync', mirrorText(state)],
    ['Call log', state.calls === 'embedded' ? 'this server' : 'calling service'],
    ['Mention', state.mention ?? 'not required'],
  ]);

const limitLabels: Readonly<Record<string, string>> = {
  ...{ maxBodyBytes: 'Request size', maxSourceBytes: 'Source size', maxUploadBytes: 'Upload size' },
  ...{ maxUploadFiles: 'Files per upload', maxSources: 'Sources per request', rateLimitPerMinute: 'Requests' },
  ...{ askLimitPerMinute: 'Questions', searchLimitPerMinute: 'Searches', ingestLimitPerMinute: 'Adding and refreshing documents' },
};

function limitText(name: string, limit: number | null): string {
  if (limit === null) return 'no separate limit';
  if (limit === 0) return 'no limit';
  if (name.endsWith('PerMinute')) return `${showCount(limit)} per minute`;
  return `up to ${(name.endsWith('Bytes') ? showBytes : showCount)(limit)}`;
}

const callerCard = ({ caller }: ServerState) => html`<div class="card">
  <h2>Your access</h2>
  ${fieldList([
    ['Authentication', caller.isAnonymous ? 'none (anonymous)' : 'API key or token'],
    ['Rights', caller.rights.map((right) => html`<span class="chip">${right}</span> `)],
    ['Namespaces', caller.namespaces ? caller.namespaces.map((name) => html`<span class="chip">${name}</span> `) : 'all'],
  ])}
  <div class="tools">
    ${hasKey() ? html`<button class="small" @click=${signOut}>Sign out</button>` : nothing}
    <a class="button small" href="swagger-ui">API reference</a>
    <a class="button small" href="api/openapi.json">OpenAPI file</a>
  </div>
</div>`;

const namespaceRow = ({ name, documents, chunks, bytes, schedules }: NamespaceSummary) => html`<tr>
  <th scope="row"><a href=${linkTo({ view: 'documents', namespace: name })}>${name}</a></th>
  <td class="number">${showCount(documents)}</td>
  <td class="number">${showCount(chunks)}</td>
  <td class="number">${showBytes(bytes)}</td>
  <td class="number">${showCount(schedules.length)}</td>
</tr>`;

const namespaceTable = () => html`<div class="scroller" tabindex="0" role="region" aria-label="Namespaces">
  <table>
    <thead>
      <tr>
        <th scope="col">Namespace</th>
        <th scope="col" class="number">Documents</th>
        <th scope="col" class="number">Passages</th>
        <th scope="col" class="number">Size</th>
        <th scope="col" class="number">Refresh schedules</th>
      </tr>
    </thead>
    <tbody>${namespaces.value.map(namespaceRow)}</tbody>
  </table>
</div>`;

export function stateView() {
  const [state, failure] = [server.value, stateFailure.value];
  return html`<section class="state">
    <h1>Status</h1>
    ${failure === '' ? nothing : html`<p class="error" role="alert">${failure}${state ? ' Showing the last known status.' : ''}</p>`}
    ${
      state
        ? html`${figures([
            [showCount(state.documents), state.documents === 1 ? 'document' : 'documents'],
            [showCount(state.chunks), state.chunks === 1 ? 'passage' : 'passages'],
            [showCount(state.namespaces), state.namespaces === 1 ? 'namespace' : 'namespaces'],
          ])}
            <div class="cards">
              <div class="card"><h2>Configuration</h2>${configuration(state)}</div>
              <div class="card"><h2>Limits</h2>${fieldList(Object.entries(state.limits).map(([name, limit]) => [limitLabels[name] ?? wordsOf(name), limitText(name, limit)]))}</div>
              ${callerCard(state)}
              <div class="card"><h2>Namespaces</h2>${namespaces.value.length === 0 ? html`<p class="quiet">No namespaces yet.</p>` : namespaceTable()}</div>
            </div>`
        : html`<p class="quiet" role="status">${failure === '' ? 'Loading …' : nothing}</p>`
    }
  </section>`;
}
