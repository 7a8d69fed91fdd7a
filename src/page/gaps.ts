/** Gaps view: unanswered questions, a form to write their answers, and outdated answers. */
import { computed, effect, signal } from '@webreflection/signal';
import { html, nothing } from 'lit-html';
import { api, messageOf } from './api.ts';
import { turnAt } from './ask.ts';
import { askInNewThread } from './conversation.ts';
import {
  chip,
  errorText,
  listOf,
  localTime,
  numberCells,
  scrollingTable,
  showShare,
} from './format.ts';
import { closedCard, gapLists, isLinked, loadGaps, openCard } from './gap-card.ts';
import { renderMarkdown } from './markdown.ts';
import type { Finished, Gap, IngestReport, ListedAnswer, WeekFigures } from './openapi.d.ts';
import { outdatedCard } from './outdated-card.ts';
import { openDocument } from './reader.ts';
import {
  createFetched,
  linkTo,
  may,
  onReturn,
  onRoute,
  refreshState,
  route,
  server,
} from './session.ts';

const insights = createFetched<{ readonly weeks: readonly WeekFigures[] }>();
const stale = createFetched<{ readonly answers: readonly ListedAnswer[] }>();

type Draft = Readonly<ReturnType<typeof newDraft>>;

type Writing = Readonly<{
  step: 'open' | 'saving' | 'asking' | 'asked';
  failure?: string;
  documentId?: string;
  number?: number;
  reason?: Finished['reason'] | undefined;
}>;

const draft = signal<Draft | undefined>(undefined);
const writing = signal<Writing>({ step: 'open' });
let lastAuthor = '';

const maxTitleChars = 300;

function newDraft(namespace: string, question: string) {
  const reviewAt = new Date();
  reviewAt.setMonth(reviewAt.getMonth() + 6);
  const reviewBy = localTime(reviewAt).slice(0, 10);
  return {
    namespace,
    question,
    title: question.slice(0, maxTitleChars),
    text: '',
    author: lastAuthor,
    reviewBy,
  };
}

function focusOn(part: string) {
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`.writer ${part}`)?.focus());
}

function startWriting() {
  writing.value = { step: 'open' };
  focusOn('[name=text]');
}

function openDraft(namespace: string, question: string) {
  const before = draft.value;
  if (before?.namespace === namespace && before.question === question) return;
  draft.value = question === '' ? undefined : newDraft(namespace, question);
  startWriting();
}

const isListed = computed(
  () =>
    Object.values(gapLists).some((list) => list.now().answer?.gaps.some(isLinked)) ||
    stale.now().answer?.answers.some(({ runId }) => runId === route.value.id),
);
let scrolledTo = '';
// Scrolls to the linked entry once it is rendered; a later reload of the lists does not scroll.
effect(() => {
  const { view, id } = route.value;
  if (view !== 'gaps' || !isListed.value || id === scrolledTo) return;
  scrolledTo = id;
  requestAnimationFrame(() => {
    const entry = document.querySelector<HTMLElement>('.gaps li[aria-current]');
    entry?.closest('details')?.setAttribute('open', '');
    entry?.scrollIntoView({ block: 'center' });
    entry?.querySelector<HTMLElement>('h3 a')?.focus({ preventScroll: true });
  });
});

function loadLists(namespace = route.value.namespace) {
  if (!may('admin')) return;
  const query = `namespace=${encodeURIComponent(namespace)}`;
  loadGaps(namespace);
  void insights.load(`api/insights?${query}`);
  void stale.load(`api/answers?${query}&state=stale&limit=100`);
}

onRoute('gaps', ({ namespace, query }) => {
  openDraft(namespace, query.get('question')?.trim() ?? '');
  loadLists(namespace);
});
onReturn('gaps', loadLists);

function typed({ target }: Event) {
  const { name, value } = target as HTMLInputElement;
  if (draft.value) draft.value = { ...draft.value, [name]: value };
}

async function store({ namespace, title, text, author, reviewBy }: Draft) {
  const about = { title: title.trim(), author: author.trim(), ...(reviewBy && { reviewBy }) };
  const body = { namespace, sources: [{ text, ...about }] };
  const path = 'api/tools/ingestSources';
  const { results } = await api<IngestReport>(path, { body, accepts: [422] });
  const [row] = results;
  if (!row?.document)
    throw new Error(row?.error?.message ?? 'The answer was not saved. Retry in a moment.');
  return row.document.id;
}

async function write(event: SubmitEvent) {
  event.preventDefault();
  const written = draft.value;
  if (!written || writing.value.step === 'saving') return;
  const { question, namespace } = written;
  // The user may have opened another question since.
  const setStep = (to: Writing) => {
    if (draft.value?.question === question && draft.value.namespace === namespace)
      writing.value = to;
  };
  lastAuthor = written.author;
  setStep({ step: 'saving' });
  try {
    const documentId = await store(written);
    let number = -1;
    const reason = await askInNewThread(question, namespace, (turnNumber) => {
      number = turnNumber;
      setStep({ step: 'asking', documentId, number });
      focusOn('[role=status]');
    });
    setStep({ step: 'asked', documentId, number, reason });
    void refreshState();
  } catch (error) {
    setStep({ step: 'open', failure: messageOf(error) });
  }
  if (route.value.namespace === namespace) loadLists();
}

/** Shown once there is something to show. */
const preview = (text: string) =>
  text.trim() === ''
    ? nothing
    : html`<div class="preview" role="group" aria-label="Preview">
  <span>Preview</span>
  <div>${renderMarkdown(text)}</div>
</div>`;

/** Marks a required field. Screen readers announce the field itself as required. */
const required = html`<span class="required" aria-hidden="true">*</span>`;

const writerForm = (
  now: Draft,
  { step, failure }: Writing,
) => html`<form @submit=${write} @input=${typed}>
  <label>Question (becomes the document title) ${required}<input name="title" required
    maxlength=${maxTitleChars} .value=${now.title} autocomplete="off" /></label>
  <div class="halves">
    <label>Answer (Markdown) ${required}<textarea name="text" required rows="9" .value=${now.text}></textarea></label>
    ${preview(now.text)}
  </div>
  <p class="quiet">Write a sentence that repeats the words of the question, so that search finds it.</p>
  <div class="inline">
    <label class="grow">Author ${required}<input name="author" required maxlength="200" pattern=".*\\S.*"
      title="Person responsible" .value=${now.author} autocomplete="name" /></label>
    <label>Review by <input name="reviewBy" type="date" .value=${now.reviewBy} /></label>
  </div>
  <p class="quiet">Fields with ${required} are required.</p>
  ${errorText(failure)}
  <div class="tools">
    <button class="primary" ?disabled=${step === 'saving'}>${step === 'saving' ? 'Saving …' : 'Save and ask again'}</button>
    <a class="button" href=${linkTo({})}>Close</a>
  </div>
</form>`;

function outcome({ step, reason }: Writing) {
  if (step === 'asking') return html`<p class="quiet">Saved. Asking again …</p>`;
  if (reason === 'answered') return html`<p>Saved as a document. The question is now answered.</p>`;
  if (reason === undefined)
    return html`<p class="warning">Saved as a document, but asking again failed. Ask on the Ask page.</p>`;
  return html`<p class="warning">
    Saved as a document, but it does not answer the question yet. Edit it: write one sentence that repeats the words of the question.</p>`;
}

function written(now: Draft, done: Writing) {
  const { step, reason, documentId = '', number = -1 } = done;
  return html`<div role="status" tabindex="-1">${outcome(done)}</div>
    ${turnAt(number, now.question)}
    <div class="tools">
      ${
        step === 'asked' && reason !== 'answered'
          ? html`<button class="primary"
        @click=${startWriting}>Edit answer</button>`
          : nothing
      }
      <button @click=${() => openDocument({ namespace: now.namespace, documentId, title: now.title })}>Open document</button>
      <a class="button" href=${linkTo({})}>Close</a>
    </div>`;
}

function writer() {
  const now = draft.value;
  const done = writing.value;
  if (!now) return nothing;
  const isForm = done.step === 'open' || done.step === 'saving';
  return html`<div class="card writer">
    <h2>${isForm ? 'Write an answer' : now.title}</h2>
    ${
      may('write')
        ? isForm
          ? writerForm(now, done)
          : written(now, done)
        : html`<p
      class="warning">Your key is read-only. Ask someone with write access.</p>`
    }
  </div>`;
}

const weekRow = (one: WeekFigures) => html`<tr>
  <th scope="row">${one.week}</th>
  ${numberCells(
    one.questions,
    one.answered,
    one.closest,
    one.refused,
    one.handedOff,
    one.resolved === null ? '–' : showShare(one.resolved),
    `${one.gapsOpened} / ${one.gapsClosed}`,
  )}
</tr>`;

const weekColumns = [
  'Week of',
  '>Questions',
  '>Answered',
  '>Closest',
  '>Refused',
  '>Handed off',
  '>Without a person',
  '>Gaps opened / closed',
];
/** All weeks as `GET /api/insights?format=csv` has them; a link to it would carry no key. */
function csvLink(weeks: readonly WeekFigures[]) {
  const rows = [Object.keys(weeks[0] ?? {}), ...weeks.map(Object.values)];
  // Names and figures need no quotes.
  return html`<a class="button small" download="weeks.csv" href=${`data:text/csv,${rows.join('%0D%0A')}`}>CSV</a>`;
}

/** The newest weeks; the CSV has all. */
const insightsTable = (weeks: readonly WeekFigures[] = []) =>
  weeks.length === 0
    ? nothing
    : html`<h2>Weeks</h2>
  <div class="card">${scrollingTable('Figures per week', weekColumns, weeks.slice(0, 8).map(weekRow))}${csvLink(weeks)}</div>`;

const counted = (count: number | undefined) => (count ? html` ${chip(count)}` : nothing);

export function gapsView() {
  return html`<section class="gaps">
    <h1>Gaps</h1>
    <p class="quiet">Questions that the documents in <b>${route.value.namespace}</b> do not answer, and outdated answers. Your answers become documents.</p>
    ${writer()}
    ${
      server.value && !may('admin')
        ? html`<p
      class="empty">You need the <b>admin</b> right to see other people’s questions. Ask your administrator for it.</p>`
        : lists()
    }
  </section>`;
}

const isWhole = signal(false);
const maxFirst = 10;
const keyOf = ({ id, question }: Gap) => id || question;
const listed = (gaps: readonly Gap[] | undefined, failure?: unknown) =>
  listOf(gaps, failure, openCard, 'No unanswered questions.', 'stack', keyOf);

/** Most asked first; a linked gap is always shown. */
function openList() {
  const { answer, failure } = gapLists.unanswered.now();
  const { drafted = [], open = [] } = Object.groupBy(answer?.gaps ?? [], ({ state }) =>
    state === 'drafted' ? 'drafted' : 'open',
  );
  const first = open.filter((gap, at) => isWhole.value || at < maxFirst || isLinked(gap));
  const showAll = () => {
    isWhole.value = true;
  };
  return html`${drafted.length > 0 ? html`<h2>Drafts to review${counted(drafted.length)}</h2>${listed(drafted)}` : nothing}
    <h2>Unanswered questions${counted(open.length)}</h2>
    ${
      first.length === open.length
        ? nothing
        : html`<p class="quiet" role="note">The ${maxFirst} that would help most people.
        <button class="link" @click=${showAll}>Show all</button></p>`
    }
    ${listed(answer && first, failure)}`;
}

function closedList(label: string, { answer, failure }: ReturnType<typeof gapLists.answered.now>) {
  return !answer || answer.gaps.length === 0
    ? errorText(failure)
    : html`${errorText(failure)}<details ?open=${answer.gaps.some(isLinked)}>
        <summary><h2>${label}${counted(answer.gaps.length)}</h2></summary>
        ${listOf(answer.gaps, undefined, closedCard, '', 'stack', keyOf)}
      </details>`;
}

function lists() {
  const drifted = stale.now();
  const isUnknown =
    route.value.id !== '' &&
    [...Object.values(gapLists), stale].every((list) => list.now().answer) &&
    !isListed.value;
  return html`${
    isUnknown
      ? html`<p class="warning"
    role="status">The linked question is not here: it was answered, or the link is wrong.</p>`
      : nothing
  }
    <div class="cards">
      <div>${openList()}</div>
      <div>
        <h2>Outdated answers${counted(drifted.answer?.answers.length)}</h2>
        ${listOf(drifted.answer?.answers, drifted.failure, outdatedCard, 'No outdated answers.', 'stack')}
        ${closedList('Answered questions', gapLists.answered.now())}
        ${closedList('Dismissed questions', gapLists.dismissed.now())}
      </div>
    </div>
    ${insightsTable(insights.now().answer?.weeks)}`;
}
