/**
 * Calls view: all filters of `GET /v3/calls` (stored in the URL), totals, pages of calls and one
 * call's record.
 */
import { effect } from '@webreflection/signal';
import { html, nothing, render } from 'lit-html';
import { keyNeeded, needsKey, sendableKey } from './api.ts';
import { createDialog } from './dialogs.ts';
import {
  chip,
  countOf,
  errorText,
  figures,
  loadingText,
  localTime,
  numberCells,
  recordFields,
  scrollingTable,
  showCount,
  showDay,
  showDecimal,
  shownValue,
  showTime,
  wordsOf,
} from './format.ts';
import { isWide } from './reader.ts';
import {
  createFetched,
  linkTo,
  may,
  onReturn,
  onRoute,
  readRoute,
  route,
  server,
} from './session.ts';

type CallRecord = Readonly<{ sessionId: string; initiatedAt?: number; [field: string]: unknown }>;
type Pagination = Readonly<Record<'total' | 'current_page' | 'total_pages', number>>;
type CallList = Readonly<{ data: readonly CallRecord[]; meta: { pagination: Pagination } }>;
type CallFigures = Readonly<
  Record<'calls' | 'voiceMinutes' | 'videoMinutes' | 'durationMinutes', number>
>;
type CallGroups = Readonly<{ groups: readonly (CallFigures & { key: string })[]; leftOut: number }>;
type CallsTotals = Readonly<{ total: CallFigures; by: Record<'day' | 'type', CallGroups> }>;

const calls = createFetched<CallList>();
const totals = createFetched<CallsTotals>();
const record = createFetched<{ readonly data: CallRecord }>();

let callsKey = '';

const choices: readonly (readonly [name: string, label: string, values: readonly string[]])[] = [
  ['type', 'Type', ['voice', 'video']],
  ['mode', 'Mode', ['call', 'meet', 'presenter']],
  ['receiverType', 'Receiver type', ['user', 'group']],
  ['hasRecording', 'Recording', ['true', 'false']],
];
const statuses = ['initiated', 'cancelled', 'unanswered', 'rejected', 'busy', 'ongoing', 'ended'];
const times = { initiatedAt: 'Initiated', startedAt: 'Started', endedAt: 'Ended' };
const amounts = {
  duration: 'Duration (minutes)',
  voiceMinutes: 'Voice minutes',
  videoMinutes: 'Video minutes',
  totalParticipants: 'Participants',
};
const bounds = { gte: 'from', lte: 'to' };

const filtersOf = (query: URLSearchParams) => [...query].filter(([name]) => name !== 'page');

/**
 * `onBehalfOf` is sent as a header. A server without keys still requires an `apikey` for calls, but
 * accepts any value.
 */
function headersOf(query: URLSearchParams): Record<string, string> {
  const user = query.get('onBehalfOf');
  const key = callsKey || (server.peek()?.caller.isAnonymous ? 'page' : '');
  return { ...(user && { onBehalfOf: user }), ...(key && { apikey: key }) };
}

let loadedQuery = '';
function loadLists(query: URLSearchParams) {
  const headers = headersOf(query);
  const filters = filtersOf(query).filter(([name]) => name !== 'onBehalfOf');
  const sent = (more: object) => new URLSearchParams([...filters, ...Object.entries(more)]);
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  void calls.load(`v3/calls?${sent({ page: query.get('page') ?? '1' })}`, headers, true);
  void totals.load(`v3/calls/summary?${sent({ by: 'day,type', timeZone })}`, headers, true);
}

function loadRecord(id: string, query: URLSearchParams) {
  record.forget();
  if (id !== '') void record.load(`v3/calls/${encodeURIComponent(id)}`, headersOf(query));
}

/**
 * Links may have `from` and `to`, a day or minute, for the time when calls were initiated. @returns
 * undefined if they have neither
 */
function expandDates(query: URLSearchParams) {
  const expanded = new URLSearchParams(query);
  for (const [bound, name] of Object.entries(bounds)) {
    const day = expanded.get(name) ?? '';
    const seconds = secondsOf(
      day.length === 10 ? `${day}T${bound === 'gte' ? '00:00' : '23:59'}` : day.slice(0, 16),
      bound,
    );
    if (!/^\d+$/.test(seconds)) continue;
    expanded.delete(name);
    expanded.set(boundName('initiatedAt', bound), seconds);
  }
  return Object.values(bounds).some((name) => query.has(name) && !expanded.has(name))
    ? expanded
    : undefined;
}

onRoute('calls', ({ id, query }) => {
  if (!may('calls')) return;
  const expanded = expandDates(query);
  if (expanded) {
    location.replace(linkTo({ id, query: expanded }));
    return;
  }
  const { answer, failure } = calls.now();
  if (query.toString() !== loadedQuery || !answer || failure) loadLists(query);
  loadedQuery = query.toString();
  loadRecord(id, query);
});

onReturn('calls', () => {
  if (may('calls')) loadLists(route.value.query);
});

/**
 * Convert between Unix seconds and a form field with minute precision. An upper bound includes its
 * whole minute.
 */
const fieldTime = (seconds: string) =>
  Number(seconds) > 0 ? localTime(new Date(Number(seconds) * 1_000)).slice(0, 16) : '';
const secondsOf = (minute: string, bound: string) =>
  minute === ''
    ? ''
    : String(new Date(`${minute}:${bound === 'gte' ? '00' : '59'}`).getTime() / 1_000);

const boundName = (name: string, bound: string) => `${name}[${bound}]`;

function queryOf(form: HTMLFormElement) {
  const fields = new FormData(form);
  const textOf = (name: string) => String(fields.get(name) ?? '').trim();
  const filters = new Map(filtersOf(route.value.query));
  const set = (name: string, value: string) =>
    value === '' ? filters.delete(name) : filters.set(name, value);
  for (const name of [...choices.map(([name]) => name), 'uid', 'onBehalfOf', 'participantsCount'])
    set(name, textOf(name));
  filters.delete('status');
  set('statuses', fields.getAll('statuses').join(','));
  for (const bound of Object.keys(bounds))
    for (const name of Object.keys({ ...amounts, ...times })) {
      const field = boundName(name, bound);
      set(field, name in times ? secondsOf(textOf(field), bound) : textOf(field));
    }
  return Object.fromEntries(filters);
}

function filter(event: SubmitEvent) {
  event.preventDefault();
  const to = linkTo({ query: queryOf(event.target as HTMLFormElement) });
  if (location.hash === to) loadLists(route.value.query);
  else location.hash = to;
}

function clearFilters(event: Event) {
  (event.target as HTMLButtonElement).form?.reset();
  location.hash = linkTo({});
}

/** One spelling on the page of the values that the API stores in two. */
const spellings: Readonly<Record<string, string>> = { audio: 'voice', canceled: 'cancelled' };
const spelled = (value: string) => spellings[value] ?? value;

const choiceText = (name: string, value: string) =>
  name === 'hasRecording' ? (value === 'true' ? 'yes' : 'no') : spelled(value);

function choice(name: string, label: string, values: readonly string[]) {
  const chosen = spelled(filterValue(name));
  return html`<label>${label}
    <select name=${name}>
      ${['', ...values].map(
        (value) => html`<option value=${value}
        .selected=${value === chosen}>${value === '' ? 'Any' : choiceText(name, value)}</option>`,
      )}
    </select>
  </label>`;
}

const filterValue = (name: string) => route.value.query.get(name) ?? '';

function statusBoxes() {
  const chosen = [...filterValue('statuses').split(','), filterValue('status')].map(spelled);
  return html`<fieldset class="inline boxes">
    <legend>Status</legend>
    ${statuses.map(
      (status) => html`<label><input type="checkbox" name="statuses" value=${status}
      .checked=${chosen.includes(status)} />${status}</label>`,
    )}
  </fieldset>`;
}

const fieldsOf = (name: string, field: (name: string) => unknown) => html`<fieldset class="inline">
  <legend>${filterLabels[name]}</legend>
  ${Object.entries(bounds).map(([bound, words]) => html`<label>${words} ${field(boundName(name, bound))}</label>`)}
</fieldset>`;

const timeField = (name: string) =>
  html`<input type="datetime-local" name=${name} .value=${fieldTime(filterValue(name))} />`;
const amountField = (name: string) =>
  html`<input type="number" min="0" step="any" name=${name} .value=${filterValue(name)} />`;

const text = (name: string, label: string, placeholder: string) =>
  html`<label>${label} <input name=${name} maxlength="100" placeholder=${placeholder}
    .value=${filterValue(name)} autocomplete="off" /></label>`;

const filterForm = () => html`<form class="filters" @submit=${filter}>
  <div class="inline">
    ${choices.map(([name, label, values]) => choice(name, label, values))}
    ${text('uid', 'Participant', 'User ID')}
    ${text('onBehalfOf', 'On behalf of', 'User ID')}
  </div>
  <div class="inline">${fieldsOf('initiatedAt', timeField)}${statusBoxes()}</div>
  <details>
    <summary>More filters</summary>
    <div class="inline">
      ${['startedAt', 'endedAt'].map((name) => fieldsOf(name, timeField))}
      ${Object.keys(amounts).map((name) => fieldsOf(name, amountField))}
      <fieldset class="inline">
        <legend>Exact number of participants</legend>
        <label>count <input type="number" min="0" name="participantsCount"
          .value=${filterValue('participantsCount')} /></label>
      </fieldset>
    </div>
  </details>
  <div class="tools">
    <button class="primary">Apply filters</button>
    <button type="button" @click=${clearFilters}>Clear filters</button>
  </div>
</form>`;

const filterLabels: Readonly<Record<string, string>> = {
  ...Object.fromEntries(choices),
  ...times,
  ...amounts,
  uid: 'Participant',
  onBehalfOf: 'On behalf of',
  statuses: 'Status',
  participantsCount: 'Exact number of participants',
};
const signs: Readonly<Record<string, string>> = { gte: '≥', lte: '≤', gt: '>', lt: '<' };

function filterText([field, value]: readonly [string, string]) {
  const [name = field, operator = ''] = field.split(/[[\]]/);
  const shown = value.split(',').map((one) => choiceText(name, one));
  return `${filterLabels[name] ?? wordsOf(name)} ${signs[operator] ?? '='} ${name.endsWith('At') ? showTime(Number(value) * 1_000) : shown.join(', ')}`;
}

const minutes = (value: number) => (value < 10 ? showDecimal(value) : showCount(Math.round(value)));

function totalsCard() {
  const { answer, failure } = totals.now();
  if (failure) return calls.now().failure ? nothing : errorText(failure);
  if (!answer || answer.total.calls === 0) return nothing;
  const { total, by } = answer;
  const { groups, leftOut } = by.day;
  const types = by.type.groups.map(
    ({ key, calls: count, voiceMinutes, videoMinutes }) =>
      html`<span><b>${spelled(key) || 'no type'}</b>: ${countOf(count, 'call')}, ${minutes(voiceMinutes + videoMinutes)} min</span>`,
  );
  const days = groups.map(
    ({ key, voiceMinutes, videoMinutes }) =>
      // JavaScript reads a date without a time as midnight UTC.
      html`<tr><th scope="row">${showDay(`${key}T12:00`)}</th>${numberCells(minutes(voiceMinutes), minutes(videoMinutes))}</tr>`,
  );
  return html`${figures([
    [total.calls === 1 ? 'call' : 'calls', showCount(total.calls)],
    ['minutes of call time', minutes(total.durationMinutes)],
    ['voice minutes, summed over participants', minutes(total.voiceMinutes)],
    ['video minutes, summed over participants', minutes(total.videoMinutes)],
  ])}
    <div class="card">
      <p class="facts">${types}</p>
      <details>
        <summary>Minutes by day</summary>
        ${scrollingTable('Minutes by day', ['Day', '>Voice (min)', '>Video (min)'], days)}
      </details>
      ${leftOut > 0 ? html`<p class="quiet">Shows the last ${showCount(groups.length)} days with calls. ${countOf(leftOut, 'earlier day')} ${leftOut === 1 ? 'is' : 'are'} not shown.</p>` : nothing}
    </div>`;
}

const shown = (value: unknown) => (value === undefined || value === '' ? '–' : String(value));

function callRow(call: CallRecord) {
  return html`<tr>
    <td><a href=${linkTo({ id: call.sessionId, query: route.value.query })}>${showTime((call.initiatedAt ?? 0) * 1_000)}</a></td>
    <td>${spelled(shown(call['type']))}</td>
    <td>${chip(spelled(shown(call['status'])))}</td>
    <td>${shown(call['mode'])}</td>
    <td class="long">${shown(call['initiator'])}</td>
    <td class="long">${shown(call['receiver'])}</td>
    ${numberCells(shown(call['totalDuration']), shown(call['totalParticipants']))}
    <td>${call['hasRecording'] ? 'yes' : 'no'}</td>
  </tr>`;
}

const columns = [
  'Initiated',
  'Type',
  'Status',
  'Mode',
  'From',
  'To',
  '>Duration',
  '>Participants',
  'Recording',
];

function pager({ total, current_page: page, total_pages: pages }: Pagination) {
  const others = Object.fromEntries(filtersOf(route.value.query));
  const step = (to: number, label: string) =>
    to >= 1 && to <= pages && to !== page
      ? html`<a class="button small" href=${linkTo({ query: { ...others, page: String(to) } })}>${label}</a>`
      : nothing;
  return html`<div class="tools pager" role="group" aria-label="Pages of calls">
    ${step(page - 1, 'Newer')}
    <span class="quiet">Page ${showCount(page)} of ${showCount(pages)}, ${countOf(total, 'call')}</span>
    ${step(page + 1, 'Older')}
  </div>`;
}

function nothingFound() {
  if (filtersOf(route.value.query).length === 0)
    return html`<div class="empty"><h2>No calls yet</h2></div>`;
  return html`<div class="empty"><h2>No calls match these filters</h2><p><a
    href=${linkTo({})}>Show all calls</a></p></div>`;
}

function submitCallsKey(event: SubmitEvent) {
  event.preventDefault();
  const { id, query } = route.value;
  const { key } = Object.fromEntries(new FormData(event.target as HTMLFormElement));
  callsKey = sendableKey(String(key).trim());
  loadLists(query);
  loadRecord(id, query);
}

const callsKeyForm = (failure: unknown) => html`<form class="card" @submit=${submitCallsKey}>
  <h2>The calling service needs its own key</h2>
  <p>This server has no key for it. Enter one. It is forgotten when you reload or close this tab.</p>
  ${callsKey === '' ? nothing : errorText(failure)}
  <div class="inline">
    <label class="grow">API key <input name="key" type="password" autocomplete="off" required /></label>
    <button class="primary">Continue</button>
  </div>
</form>`;

function callsTable() {
  const { answer, failure, isLoading = false } = calls.now();
  if (failure) return needsKey(failure) ? callsKeyForm(failure) : errorText(failure);
  if (!answer) return loadingText();
  if (answer.data.length === 0) return nothingFound();
  return html`${scrollingTable('Calls', columns, answer.data.map(callRow), isLoading)} ${pager(answer.meta.pagination)}`;
}

export function callsView() {
  if (server.value && !may('calls'))
    return html`<section><div class="empty"><h1>Calls</h1><p>Your key or token has no access to calls. Ask your administrator for the <b>calls</b> right.</p></div></section>`;
  return html`<section class="calls">
    <h1>Calls</h1>
    ${
      server.value?.hasSampleCalls
        ? html`<p class="warning">These calls are a sample that comes with the server. For your own, set <code>CALLS_APP_ID</code> and <code>CALLS_REGION</code>, or <code>CALLS_FILE</code>, and restart the server.</p>`
        : nothing
    }
    <details class="card" ?open=${isWide.value}>
      <summary>${['Filters', ...filtersOf(route.value.query).map(filterText)].join(' · ')}</summary>
      ${filterForm()}
    </details>
    ${totalsCard()} ${callsTable()}
  </section>`;
}

/** The fields of a record in the spelling of the page. */
const respelled = (record: object) =>
  Object.entries(record).map(([name, value]): [string, unknown] => [
    name.replace('Audio', 'Voice'),
    /^(?:type|status|state)$/.test(name) ? spelled(String(value)) : value,
  ]);

function participantsTable(people: readonly object[]) {
  const rows = people.map((one) => new Map(respelled(one)));
  const names = new Set([
    'uid',
    'state',
    'joinedAt',
    'leftAt',
    ...rows.flatMap((row) => [...row.keys()]),
  ]);
  return scrollingTable(
    'Participants',
    [...names].map(wordsOf),
    rows.map(
      (row) =>
        html`<tr>${[...names].map((name) => html`<td>${shownValue(name, row.get(name))}</td>`)}</tr>`,
    ),
  );
}

const groupOf = (name: string) => {
  if (/At$|Duration|Minutes/.test(name)) return 'Times';
  return /^mid$|Id$/.test(name) ? 'IDs' : 'Call';
};

/** Who took part first, then what, when and under which ids. */
function recordGroups({ participants, ...call }: CallRecord) {
  const people = Array.isArray(participants) ? participants : [];
  const fields = Object.groupBy(respelled(call), ([name]) => groupOf(name));
  return html`<h3>Participants</h3>
    ${people.length > 0 ? participantsTable(people) : html`<p class="quiet">None.</p>`}
    ${(['Call', 'Times', 'IDs'] as const).map((title) => html`<h3>${title}</h3>${recordFields(Object.fromEntries(fields[title] ?? []))}`)}`;
}

function recordView() {
  const { answer, failure } = record.now();
  return html`<header>
      <h2>Call details</h2>
      <button class="icon" @click=${() => dialog.close()} aria-label="Close call">✕</button>
    </header>
    ${failure ? errorText(failure) : answer ? recordGroups(answer.data) : loadingText()}`;
}

const dialog = createDialog('Call details');
dialog.className = 'record';
dialog.setAttribute('closedby', 'any');
/** Until the event `close`, which comes later. */
let isClosedByAddress = false;
dialog.addEventListener('close', () => {
  // The user may have left already; `route` learns it later.
  const { view, id, query } = readRoute();
  if (!isClosedByAddress && view === 'calls' && id !== '') location.replace(linkTo({ query }));
  isClosedByAddress = false;
});

effect(() => {
  const isOpen =
    route.value.view === 'calls' && route.value.id !== '' && may('calls') && !keyNeeded.value;
  if (isOpen) render(recordView(), dialog);
  if (isOpen && !dialog.open) dialog.showModal();
  else if (!isOpen && dialog.open) {
    isClosedByAddress = true;
    dialog.close();
  }
});
