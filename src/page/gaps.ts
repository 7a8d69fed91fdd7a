/** Gaps view: unanswered questions, a form to write their answers, and outdated answers. */
import { computed, effect, signal } from '@webreflection/signal';
import { html, nothing } from 'lit-html';
import { api, messageOf } from './api.ts';
import { errorText, listOf, localTime, scrollingTable, showDay, showShare } from './format.ts';
import { closedCard, gapLists, isLinked, loadGaps, openCard } from './gap-card.ts';
import { renderMarkdown } from './markdown.ts';
import type { ChangedQuote, Gap, IngestReport, ListedAnswer, WeekFigures } from './openapi.d.ts';
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
  showNotice,
} from './session.ts';

const insights = createFetched<{ readonly weeks: readonly WeekFigures[] }>();
const stale = createFetched<{ readonly answers: readonly ListedAnswer[] }>();

type Draft = Readonly<
  Record<'namespace' | 'question' | 'title' | 'text' | 'author' | 'reviewBy', string>
>;

const draft = signal<Draft | undefined>(undefined);
const saving = signal({ isBusy: false, failure: '' });
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

const isDrafted = (namespace: string, question: string) =>
  draft.value?.namespace === namespace && draft.value.question === question;

function openDraft(namespace: string, question: string) {
  if (isDrafted(namespace, question)) return;
  draft.value = question === '' ? undefined : newDraft(namespace, question);
  saving.value = { isBusy: false, failure: '' };
  requestAnimationFrame(() => document.querySelector<HTMLElement>('.writer [name=text]')?.focus());
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

/** Saves the answer as a document and asks the question again, to show what it answers now. */
async function write(event: SubmitEvent) {
  event.preventDefault();
  if (!draft.value || saving.value.isBusy) return;
  const { question, namespace, title, text, author, reviewBy } = draft.value;
  lastAuthor = author;
  saving.value = { isBusy: true, failure: '' };
  let failure = '';
  try {
    const about = { title: title.trim(), author: author.trim(), ...(reviewBy && { reviewBy }) };
    const body = { namespace, sources: [{ text, ...about }] };
    const path = 'api/tools/ingestSources';
    const { results } = await api<IngestReport>(path, { body, accepts: [422] });
    const [row] = results;
    if (!row?.document)
      throw new Error(row?.error?.message ?? 'The answer was not saved. Retry in a moment.');
    showNotice('Saved as a document.');
    void refreshState();
  } catch (error) {
    failure = messageOf(error);
  }
  // The user may have opened another question since.
  if (!isDrafted(namespace, question)) return;
  saving.value = { isBusy: false, failure };
  if (failure === '' && route.value.view === 'gaps')
    location.hash = linkTo({ view: 'ask', namespace, query: { question } });
}

/** Marks a required field. Screen readers announce the field itself as required. */
const required = html`<span class="required" aria-hidden="true">*</span>`;

const writerForm = (now: Draft) => html`<form @submit=${write} @input=${typed}>
  <label>Question (becomes the document title) ${required}<input name="title" required
    maxlength=${maxTitleChars} .value=${now.title} autocomplete="off" /></label>
  <label>Answer (Markdown) ${required}<textarea name="text" required rows="9" .value=${now.text}></textarea></label>
  <p class="quiet">Write a sentence that repeats the words of the question, so that search finds it.</p>
  <div class="inline">
    <label class="grow">Author ${required}<input name="author" required maxlength="200" pattern=".*\\S.*"
      title="Person responsible" .value=${now.author} autocomplete="name" /></label>
    <label>Review by <input name="reviewBy" type="date" .value=${now.reviewBy} /></label>
  </div>
  <p class="quiet">Fields with ${required} are required.</p>
  ${errorText(saving.value.failure)}
  <div class="tools">
    <button class="primary" ?disabled=${saving.value.isBusy}>Save and ask again</button>
    <a class="button" href=${linkTo({})}>Close</a>
  </div>
</form>`;

function writer() {
  if (!draft.value) return nothing;
  return html`<div class="card writer">
    <h2>Write an answer</h2>
    ${
      may('write')
        ? writerForm(draft.value)
        : html`<p
      class="warning">Your key is read-only. Ask someone with write access.</p>`
    }
  </div>`;
}

const weekRow = (one: WeekFigures) => html`<tr>
  <th scope="row">${one.week}</th>
  ${[
    one.questions,
    one.answered,
    one.closest,
    one.refused,
    one.handedOff,
    one.resolved === null ? '–' : showShare(one.resolved),
    `${one.gapsOpened} / ${one.gapsClosed}`,
  ].map((figure) => html`<td class="number">${figure}</td>`)}
</tr>`;

const figures = [
  '>Questions',
  '>Answered',
  '>Closest',
  '>Refused',
  '>Handed off',
  '>Without a person',
  '>Gaps opened / closed',
];
const insightsTable = (weeks: readonly WeekFigures[] = []) =>
  weeks.length === 0
    ? nothing
    : html`<h2>Weeks</h2>
  <div class="card">${scrollingTable(
    'Figures per week',
    ['Week of', ...figures],
    weeks.slice(0, 8).map(weekRow),
  )}</div>`;

const counted = (count: number | undefined) =>
  count ? html` <span class="chip">${count}</span>` : nothing;

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
  const listed = (gaps: typeof open | undefined, problem?: unknown) =>
    listOf(gaps, problem, openCard, 'No unanswered questions.', 'stack', keyOf);
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

function changeItem(namespace: string, { documentId, title, quote, now }: ChangedQuote) {
  const place = {
    namespace,
    documentId,
    title,
    ...(now && { start: now.start, end: now.end, quote: now.text }),
  };
  return html`<div class="halves">
      <div><h4>Quoted text</h4><blockquote>${quote}</blockquote></div>
      <div><h4>Current text</h4>${
        now
          ? html`<blockquote>${now.text}</blockquote>`
          : html`<p
        class="quiet">No similar text in the document.</p>`
      }</div>
    </div>
    <p class="near"><button class="link" @click=${() => openDocument(place)}>${title}</button></p>`;
}

/** An answer whose quotes its documents no longer contain, with both texts. */
const outdatedCard = ({
  runId,
  namespace,
  question,
  askedAt,
  text,
  changed,
}: ListedAnswer) => html`<li class="card"
    aria-current=${runId === route.value.id ? 'true' : nothing}>
  <h3><a href=${linkTo({ id: runId })}>${question}</a></h3>
  <p class="facts"><span>answered ${showDay(askedAt)}</span></p>
  <details>
    <summary>Earlier answer</summary>
    <div class="then">${renderMarkdown(text)}</div>
  </details>
  ${changed.map((change) => changeItem(namespace, change))}
  <div class="tools"><a class="button small"
    href=${linkTo({ view: 'ask', namespace, query: { question } })}>Ask again</a></div>
</li>`;

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
