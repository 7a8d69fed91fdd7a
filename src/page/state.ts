/** State: what the server holds and runs with, and what its user may do. */
import { effect } from '@webreflection/signal';
import { html, nothing } from 'lit-html';
import { hasKey, keyNeeded } from './api.ts';
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
  if (!mirror) return 'none';
  const age = mirror.ageMs === null ? 'not reached yet' : `${showDecimal(mirror.ageMs / 1_000)} s old`;
  return html`${age} ${mirror.isWritten ? nothing : html`<span class="chip bad">behind</span>`}`;
}

export const modelText = (model: string): string => (model === 'extractive' ? 'Without a model: quotes only' : model);

const runsWith = (state: ServerState) =>
  fieldList([
    ['Version', state.version],
    ['Model', modelText(state.model)],
    ['Search by meaning', state.embeddingModel ?? 'off'],
    ['Search engine', state.searchEngine === 'memory' ? 'in memory' : 'PostgreSQL'],
    ['Mirror of the database', mirrorText(state)],
    ['Calls', state.calls === 'embedded' ? 'from the call log of this server' : 'from the calling service'],
    ['Asked as', state.mention ?? 'anything: no mention is needed'],
  ]);

function limitText(name: string, limit: number | null): string {
  if (!limit) return 'no limit';
  if (name.endsWith('PerMinute')) return `${showCount(limit)} a minute`;
  return `up to ${(name.endsWith('Bytes') ? showBytes : showCount)(limit)}`;
}

// The page is all that knows the key, and what was read with it.
const forgetKey = () => location.reload();

const callerCard = ({ caller }: ServerState) => html`<div class="card">
  <h2>You</h2>
  ${fieldList([
    ['Known by', caller.isAnonymous ? 'nothing: callers without a key may do this' : 'the key or token that you gave'],
    ['May', caller.rights.map((right) => html`<span class="chip">${right}</span> `)],
    ['Namespaces', caller.namespaces ? caller.namespaces.map((name) => html`<span class="chip">${name}</span> `) : 'all'],
  ])}
  <div class="tools">
    ${hasKey() ? html`<button class="small" @click=${forgetKey}>Forget the key</button>` : nothing}
    <a class="button small" href="swagger-ui">Every operation of the API</a>
    <a class="button small" href="api/openapi.json">OpenAPI</a>
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
        <th scope="col" class="number">Chunks</th>
        <th scope="col" class="number">Size</th>
        <th scope="col" class="number">Schedules</th>
      </tr>
    </thead>
    <tbody>${namespaces.value.map(namespaceRow)}</tbody>
  </table>
</div>`;

export function stateView() {
  const [state, failure] = [server.value, stateFailure.value];
  return html`<section class="state">
    <h1>State</h1>
    ${failure === '' ? nothing : html`<p class="error" role="alert">${failure}${state ? ' What stands here is what it said last.' : ''}</p>`}
    ${
      state
        ? html`${figures([
            [showCount(state.documents), state.documents === 1 ? 'document' : 'documents'],
            [showCount(state.chunks), state.chunks === 1 ? 'chunk' : 'chunks'],
            [showCount(state.namespaces), state.namespaces === 1 ? 'namespace' : 'namespaces'],
          ])}
            <div class="cards">
              <div class="card"><h2>Runs with</h2>${runsWith(state)}</div>
              <div class="card"><h2>Limits</h2>${fieldList(Object.entries(state.limits).map(([name, limit]) => [wordsOf(name.replace(/^max|Bytes$|PerMinute$/g, '')), limitText(name, limit)]))}</div>
              ${callerCard(state)}
              <div class="card"><h2>Namespaces</h2>${namespaces.value.length === 0 ? html`<p class="quiet">None yet.</p>` : namespaceTable()}</div>
            </div>`
        : html`<p class="quiet" role="status">${failure === '' ? 'Loading …' : nothing}</p>`
    }
  </section>`;
}
