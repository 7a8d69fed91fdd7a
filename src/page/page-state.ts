/** Status view: contents and configuration of the server, and the caller's rights. */
import { effect } from '@webreflection/signal';
import { html, nothing } from 'lit-html';
import { hasKey, keyNeeded, signOut } from './api.ts';
import {
  chip,
  fieldList,
  figures,
  loadingText,
  numberCells,
  scrollingTable,
  showBytes,
  showCount,
  showDecimal,
  smallButton,
  wordsOf,
} from './format.ts';
import type { NamespaceSummary, ServerState } from './openapi.d.ts';
import { linkTo, namespaces, refreshState, route, server, stateFailure } from './session.ts';

const pollMs = 5_000;

// Also until the server has answered once: the page shows nothing before.
effect(() => {
  if ((route.value.view !== 'status' && server.value) || keyNeeded.value) return undefined;
  const timer = setInterval(() => {
    if (document.visibilityState === 'visible') void refreshState();
  }, pollMs);
  return () => clearInterval(timer);
});

function mirrorText({ mirror }: ServerState) {
  if (!mirror) return 'off';
  const age =
    mirror.ageMs === null
      ? 'not connected yet'
      : `synced ${showDecimal(mirror.ageMs / 1_000)} s ago`;
  return html`${age} ${mirror.isWritten ? nothing : chip('out of date: cannot write KNOWLEDGE_DIR', true)}`;
}

export const modelText = (model: string): string =>
  model === 'extractive' ? 'No model (quotes only)' : model;

/**
 * A value with the names of its settings, and whether they are set. Callers without the right admin
 * see only the names.
 */
function withSettings(value: unknown, ...names: readonly string[]) {
  const isSet = (name: string) =>
    server.value?.settings?.some((one) => one.name === name && !one.isDefault);
  const origin = server.value?.settings ? (names.some(isSet) ? ' set' : ' default') : '';
  return html`${value} <span class="quiet origin">${names.map((name) => html`<code>${name}</code> `)}${origin}</span>`;
}

/** Each agent with the texts that address it. */
const mentionText = ({ agents }: ServerState) =>
  agents.map(
    ({ id, requiresMention, mentions }) =>
      html`<code>${id}</code>: ${requiresMention ? mentions.join(' or ') : 'not required'}<br />`,
  );

const configuration = (state: ServerState) =>
  fieldList([
    ['Version', state.version],
    ['Model', withSettings(modelText(state.model), 'LLM_MODEL')],
    ['Semantic search', withSettings(state.embeddingModel ?? 'off', 'EMBEDDING_MODEL')],
    ['Database sync', withSettings(mirrorText(state), 'DATABASE_URL')],
    [
      'Call log',
      withSettings(
        state.hasSampleCalls
          ? 'sample'
          : state.calls === 'embedded'
            ? 'this server'
            : 'calling service',
        'CALLS_APP_ID',
        'CALLS_BASE_URL',
        'CALLS_FILE',
      ),
    ],
    [
      'Mention',
      withSettings(mentionText(state), 'REQUIRE_MENTION', 'AGENT_MENTIONS', 'DIRECT_AGENT_ID'),
    ],
  ]);

/** Label of each limit, and the setting that changes it. */
const limitLabels: Readonly<Record<string, readonly [label: string, setting: string]>> = {
  maxBodyBytes: ['Request size', 'MAX_BODY_BYTES'],
  maxSourceBytes: ['Source size', 'MAX_SOURCE_BYTES'],
  maxUploadBytes: ['Upload size, 10 sources', 'MAX_SOURCE_BYTES'],
  maxUploadFiles: ['Files per upload', ''],
  maxSources: ['Sources per request', ''],
  rateLimitPerMinute: ['Requests', 'RATE_LIMIT_PER_MINUTE'],
  askLimitPerMinute: ['Questions', 'RATE_LIMIT_PER_MINUTE'],
  searchLimitPerMinute: ['Searches', 'RATE_LIMIT_PER_MINUTE'],
  ingestLimitPerMinute: ['Adding and refreshing documents', 'RATE_LIMIT_PER_MINUTE'],
};

function limitText(name: string, limit: number | null) {
  if (limit === null) return 'no separate limit';
  if (limit === 0) return 'no limit';
  if (name.endsWith('PerMinute')) return `${showCount(limit)} per minute`;
  return `up to ${(name.endsWith('Bytes') ? showBytes : showCount)(limit)}`;
}

const limitFields = ({ limits }: ServerState) =>
  Object.entries(limits).map(([name, limit]) => {
    const [label = wordsOf(name), setting = ''] = limitLabels[name] ?? [];
    const text = limitText(name, limit);
    return [
      label,
      setting === ''
        ? html`${text} <span class="quiet origin">fixed</span>`
        : withSettings(text, setting),
    ] as const;
  });

/** Shows names of settings as code. */
const withCode = (text: string) =>
  text
    .split(/([A-Z]+_[A-Z_]*[A-Z](?:=\w+)?)/)
    .map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part));

type Step = NonNullable<ServerState['checklist']>[number];

const stepItem = ({ id, label, isDone, hint }: Step) => html`<li class=${isDone ? 'done' : 'open'}>
  <span class="tick" role="img" aria-label=${isDone ? 'Done' : 'Open'}>${isDone ? '✓' : ''}</span>
  <span>${label}${
    !isDone || id === 'model'
      ? html`<br /><span
    class="quiet">${withCode(hint)}</span>`
      : nothing
  }</span>
</li>`;

function stepList(title: string, steps: readonly Step[]) {
  const done = steps.filter(({ isDone }) => isDone).length;
  return html`<h3>${title} <span class="quiet" role="status">${done} of ${steps.length} done</span></h3>
    <ul class="plain" aria-label=${title}>${steps.map(stepItem)}</ul>`;
}

function checklist({ checklist: steps }: ServerState) {
  if (!steps) return nothing;
  const { must = [], may = [] } = Object.groupBy(steps, ({ isRequired }) =>
    isRequired ? 'must' : 'may',
  );
  return html`<div class="card checklist">
    <h2>Attach to a chat platform</h2>
    ${stepList('Must', must)} ${stepList('May', may)}
  </div>`;
}

function settingsTable({ settings }: ServerState) {
  if (!settings) return nothing;
  const rows = settings
    .toSorted((a, b) => Number(a.isDefault) - Number(b.isDefault))
    .map(
      ({ name, value, isDefault }) => html`<tr>
        <th scope="row"><code>${name.split(/(?<=_)/).map((part) => html`${part}<wbr />`)}</code></th>
        <td class="long">${value ?? (isDefault ? '–' : 'set, not shown')}</td>
        <td>${isDefault ? 'default' : 'environment'}</td>
      </tr>`,
    );
  return html`<details class="card">
    <summary><h2>All settings</h2></summary>
    ${scrollingTable('All settings', ['Setting', 'Value', 'From'], rows)}
  </details>`;
}

const signIn = () => {
  keyNeeded.value = true;
};
/** In the header for callers who have no Status view. */
export const signButton = () =>
  hasKey() ? smallButton('Sign out', signOut) : smallButton('Sign in', signIn);

const callerCard = ({ caller }: ServerState) => html`<div class="card">
  <h2>Your access</h2>
  ${fieldList([
    ['Authentication', caller.isAnonymous ? 'none (anonymous)' : 'API key or token'],
    ['Rights', caller.rights.map((right) => html`${chip(right)} `)],
    ['Namespaces', caller.namespaces?.map((name) => html`${chip(name)} `) ?? 'all'],
  ])}
  <div class="tools">
    ${hasKey() || (caller.isAnonymous && !caller.rights.includes('admin')) ? signButton() : nothing}
    <a class="button small" href="swagger-ui">API reference</a>
    <a class="button small" href="api/openapi.json">OpenAPI file</a>
  </div>
</div>`;

const namespaceRow = ({ name, documents, chunks, bytes, schedules }: NamespaceSummary) => html`<tr>
  <th scope="row"><a href=${linkTo({ view: 'documents', namespace: name })}>${name}</a></th>
  ${numberCells(showCount(documents), showCount(chunks), showBytes(bytes), showCount(schedules.length))}
</tr>`;

const namespaceColumns = ['Namespace', '>Documents', '>Passages', '>Size', '>Refresh schedules'];

export function stateView() {
  const state = server.value;
  const failure = stateFailure.value;
  return html`<section class="state">
    <h1>Status</h1>
    ${
      failure === ''
        ? nothing
        : html`<p class="error"
      role="alert">${failure}${state ? ' Showing the last known status.' : ''}</p>`
    }
    ${
      state
        ? html`${figures([
            [state.documents === 1 ? 'document' : 'documents', showCount(state.documents)],
            [state.chunks === 1 ? 'passage' : 'passages', showCount(state.chunks)],
            [state.namespaces === 1 ? 'namespace' : 'namespaces', showCount(state.namespaces)],
          ])}
            <div class="cards">
              ${checklist(state)}
              <div class="card"><h2>Configuration</h2>${configuration(state)}</div>
              <div class="card"><h2>Limits</h2>${fieldList(limitFields(state))}</div>
              ${callerCard(state)}
              <div class="card"><h2>Namespaces</h2>${
                namespaces.value.length === 0
                  ? html`<p
                class="quiet">No namespaces yet.</p>`
                  : scrollingTable(
                      'Namespaces',
                      namespaceColumns,
                      namespaces.value.map(namespaceRow),
                    )
              }</div>
            </div>
            ${settingsTable(state)}`
        : failure === ''
          ? loadingText()
          : nothing
    }
  </section>`;
}
