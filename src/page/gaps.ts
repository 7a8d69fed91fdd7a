/** Gaps view: unanswered questions, a form to write their answers, and outdated answers. */
import { computed, effect, signal } from '@webreflection/signal';
import { html, nothing } from 'lit-html';
import { api, messageOf } from './api.ts';
import type {
  ChangedQuote,
  Gap,
  GapDraft,
  IngestReport,
  ListedAnswer,
  Reason,
  WeekFigures,
} from './api-types.d.ts';
import { turnAt } from './ask.ts';
import { askInNewThread } from './conversation.ts';
import { countOf, errorText, listOf, localTime, showDay, showShare, showTime } from './format.ts';
import { renderMarkdown } from './markdown.ts';
import { type DocumentPlace, openDocument } from './reader.ts';
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

const gaps = createFetched<{ readonly gaps: readonly Gap[] }>();
const insights = createFetched<{ readonly weeks: readonly WeekFigures[] }>();
const stale = createFetched<{ readonly answers: readonly ListedAnswer[] }>();

type Draft = Readonly<
  Record<'namespace' | 'question' | 'title' | 'text' | 'author' | 'reviewBy', string>
>;

interface Writing {
  readonly step: 'open' | 'saving' | 'asking' | 'asked';
  readonly failure?: string;
  readonly documentId?: string;
  readonly number?: number;
  readonly reason?: Reason | undefined;
}

const draft = signal<Draft | undefined>(undefined);
const writing = signal<Writing>({ step: 'open' });
let lastAuthor = '';
const askedAgain = signal<{ readonly runId: string; readonly number: number } | undefined>(
  undefined,
);

const maxTitleChars = 300;

function newDraft(namespace: string, question: string): Draft {
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

function focusOn(part: string): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`.writer ${part}`)?.focus());
}

function startWriting(): void {
  writing.value = { step: 'open' };
  focusOn('[name=text]');
}

function openDraft(namespace: string, question: string): void {
  const before = draft.value;
  if (before?.namespace === namespace && before.question === question) return;
  draft.value = question === '' ? undefined : newDraft(namespace, question);
  startWriting();
}

/** FNV-1a hash of a question: its id in the address. */
function questionId(question: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(question)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(36);
}
/** The most frequent wording of a gap changes, so its other wordings lead to it too. */
const isLinked = ({ question, variants }: Gap) =>
  [question, ...variants].some((one) => questionId(one) === route.value.id);

const isListed = computed(
  () =>
    (gaps.now().answer?.gaps.some(isLinked) ||
      stale.now().answer?.answers.some(({ runId }) => runId === route.value.id)) ??
    false,
);
let scrolledTo = '';
// Scrolls to the linked entry once it is rendered; a later reload of the lists does not scroll.
effect(() => {
  const { view, id } = route.value;
  if (view !== 'gaps' || !isListed.value || id === scrolledTo) return;
  scrolledTo = id;
  requestAnimationFrame(() => {
    const entry = document.querySelector<HTMLElement>('.gaps li[aria-current]');
    entry?.scrollIntoView({ block: 'center' });
    entry?.querySelector<HTMLElement>('h3 a')?.focus({ preventScroll: true });
  });
});

const entryHead = (id: string, question: string) =>
  html`<h3><a href=${linkTo({ id })}>${question}</a></h3>`;

function loadLists(namespace = route.value.namespace): void {
  if (!may('admin')) return;
  const query = `namespace=${encodeURIComponent(namespace)}`;
  void gaps.load(`api/gaps?${query}&limit=200`);
  void insights.load(`api/insights?${query}`);
  void stale.load(`api/answers?${query}&state=stale&limit=100`);
}

onRoute('gaps', ({ namespace, query }) => {
  openDraft(namespace, query.get('question')?.trim() ?? '');
  loadLists(namespace);
});
onReturn('gaps', loadLists);

function typed({ target }: Event): void {
  const { name, value } = target as HTMLInputElement;
  if (draft.value) draft.value = { ...draft.value, [name]: value };
}

async function store({ namespace, title, text, author, reviewBy }: Draft): Promise<string> {
  const source = {
    text,
    title: title.trim(),
    author: author.trim(),
    ...(reviewBy === '' ? {} : { reviewBy }),
  };
  const { results } = await api<IngestReport>('api/tools/ingestSources', {
    method: 'POST',
    body: { namespace, sources: [source] },
    accepts: [422],
  });
  const [row] = results;
  if (!row?.document)
    throw new Error(row?.error?.message ?? 'The answer was not saved. Retry in a moment.');
  return row.document.id;
}

async function write(event: SubmitEvent): Promise<void> {
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
  <p class="quiet">Write a full sentence that repeats the words of the question, so that search finds it.</p>
  <div class="inline">
    <label class="grow">Author ${required}<input name="author" required maxlength="200" pattern=".*\\S.*"
      title="Person responsible for the answer" .value=${now.author} autocomplete="name" /></label>
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
    return html`<p class="warning">Saved as a document, but asking again failed. Ask the question on the Ask page.</p>`;
  return html`<p class="warning">
    Saved as a document, but it does not answer the question yet. Edit it: write one sentence that repeats the words of the question.</p>`;
}

function written(now: Draft, done: Writing) {
  const { step, reason, documentId = '', number = -1 } = done;
  return html`<div role="status" tabindex="-1">${outcome(done)}</div>
    ${turnAt(number)}
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
      class="warning">Your key is read-only. Ask someone with write access to write the answer.</p>`
    }
  </div>`;
}

const documentButton = (place: DocumentPlace) =>
  html`<button class="link" @click=${() => openDocument(place)}>${place.title}</button> `;

const closestDocuments = ({ namespace, closest }: Gap) =>
  closest.length === 0
    ? html`<p class="quiet">No related documents.</p>`
    : html`<p class="near"><span class="quiet">Related documents:</span> ${closest.map((one) => documentButton({ ...one, namespace }))}</p>`;

const ratedAnswer = ({ namespace, answer, runId }: Gap) =>
  answer || runId
    ? html`<details>
        <summary>Answer rated as not helpful</summary>
        ${answer ? html`<div class="then">${renderMarkdown(answer)}</div>` : nothing}
        ${runId ? html`<p><a href=${linkTo({ view: 'ask', namespace, id: runId })}>Open this answer</a></p>` : nothing}
      </details>`
    : nothing;

/** Id of the gap whose change failed, and why. */
const failed = signal<{ readonly id: string; readonly problem: string } | undefined>(undefined);

async function changeGap(id: string, work: string, body: object = {}): Promise<void> {
  try {
    await api(`api/gaps/${id}/${work}`, { method: 'POST', body });
    failed.value = undefined;
  } catch (error) {
    failed.value = { id, problem: messageOf(error) };
  }
  loadLists();
}

const personalNote = (personal: readonly string[]) =>
  personal.length === 0
    ? nothing
    : html`<p class="warning">Personal data? Check before approving: ${personal.join(', ')}</p>`;

function draftItem({ id }: Gap, { id: draft, text, author, createdAt, personal }: GapDraft) {
  const approve = (event: SubmitEvent) => {
    event.preventDefault();
    const reviewed = String(new FormData(event.target as HTMLFormElement).get('reviewed') ?? '');
    void changeGap(id, 'approve', { draft, text: reviewed });
  };
  return html`<form class="below" @submit=${approve}>
    <label>Draft of ${author}, ${showTime(createdAt)}
      <textarea name="reviewed" rows="4" required .value=${text}></textarea></label>
    ${personalNote(personal)}
    ${may('write') ? html`<button class="primary small">Approve as document</button>` : nothing}
  </form>`;
}

function proposalForm({ id }: Gap) {
  const propose = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const { proposed, by } = Object.fromEntries(new FormData(form));
    void changeGap(id, 'draft', { text: proposed, author: by });
    form.reset();
  };
  return html`<details>
    <summary>Propose an answer for review</summary>
    <form class="below" @submit=${propose}>
      <label>Draft (Markdown) <textarea name="proposed" rows="4" required></textarea></label>
      <label>Written by <input name="by" required maxlength="200" autocomplete="name" /></label>
      <button class="small">Save draft</button>
    </form>
  </details>`;
}

const reviewTools = (gap: Gap) => html`
  ${gap.drafts.filter(({ document }) => document === null).map((draft) => draftItem(gap, draft))}
  ${proposalForm(gap)}
  ${errorText(failed.value?.id === gap.id ? failed.value.problem : undefined)}
  <div class="tools"><button class="small" @click=${() => changeGap(gap.id, 'dismiss')}>Dismiss</button></div>`;

const percent = (share: number | null) => (share === null ? '–' : showShare(share));

const weekRow = (one: WeekFigures) => html`<tr>
  <th scope="row">${one.week}</th><td>${one.questions}</td><td>${one.answered}</td>
  <td>${one.closest}</td><td>${one.refused}</td><td>${one.handedOff}</td>
  <td>${percent(one.resolved)}</td><td>${one.gapsOpened} / ${one.gapsClosed}</td>
</tr>`;

/** The newest weeks; the API has all. */
const insightsTable = (weeks: readonly WeekFigures[] | undefined) =>
  !weeks || weeks.length === 0
    ? nothing
    : html`<h2>Weeks</h2>
  <div class="card scroller" tabindex="0" role="region" aria-label="Figures per week"><table>
    <thead><tr><th scope="col">Week of</th><th scope="col">Questions</th><th scope="col">Answered</th>
      <th scope="col">Closest</th><th scope="col">Refused</th><th scope="col">Handed off</th>
      <th scope="col">Without a person</th><th scope="col">Gaps opened / closed</th></tr></thead>
    <tbody>${weeks.slice(0, 8).map(weekRow)}</tbody>
  </table></div>`;

const gapItem = (
  gap: Gap,
) => html`<li class="card" aria-current=${isLinked(gap) ? 'true' : nothing}>
  ${entryHead(questionId(gap.question), gap.question)}
  <p class="facts">
    <span>asked ${gap.count === 1 ? 'once' : `${countOf(gap.count, 'time')}`}</span>
    <span title=${`First asked ${showTime(gap.firstAskedAt)}`}>last asked ${showTime(gap.lastAskedAt)}</span>
    <span>documents cover ${showShare(gap.coverage)} of it</span>
    ${gap.ways?.length ? html`<span>by ${gap.ways.map(({ entryPoint }) => entryPoint).join(', ')}</span>` : nothing}
    ${gap.state === 'drafted' ? html`<span class="chip">draft to review</span>` : nothing}
  </p>
  ${
    gap.variants.length === 0
      ? nothing
      : html`<details ?open=${isLinked(gap)}>
          <summary>${countOf(gap.variants.length, 'other wording')}</summary>
          <ul>${gap.variants.map((variant) => html`<li>${variant}</li>`)}</ul>
        </details>`
  }
  ${ratedAnswer(gap)} ${closestDocuments(gap)}
  ${
    may('write')
      ? html`<a class="button small"
    href=${linkTo({ query: { question: gap.question } })}>Write an answer</a>`
      : nothing
  }
  ${gap.id ? reviewTools(gap) : nothing}
</li>`;

function changeItem(namespace: string, { documentId, title, quote, now }: ChangedQuote) {
  const place = {
    namespace,
    documentId,
    title,
    ...(now ? { start: now.start, end: now.end, quote: now.text } : {}),
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
    <p class="near">${documentButton(place)}</p>`;
}

function staleItem({ runId, namespace, question, askedAt, text, changed }: ListedAnswer) {
  const noteTurn = (number: number) => {
    askedAgain.value = { runId, number };
  };
  return html`<li class="card" aria-current=${runId === route.value.id ? 'true' : nothing}>
    ${entryHead(runId, question)}
    <p class="facts"><span>answered ${showDay(askedAt)}</span></p>
    <details>
      <summary>Earlier answer</summary>
      <div class="then">${renderMarkdown(text)}</div>
    </details>
    ${changed.map((change) => changeItem(namespace, change))}
    <div class="tools"><button class="small"
      @click=${() => askInNewThread(question, namespace, noteTurn)}>Ask again</button></div>
    ${askedAgain.value?.runId === runId ? turnAt(askedAgain.value.number) : nothing}
  </li>`;
}

const counted = (count: number | undefined) =>
  count ? html` <span class="chip">${count}</span>` : nothing;

export function gapsView() {
  return html`<section class="gaps">
    <h1>Gaps</h1>
    <p class="quiet">Questions that the documents in <b>${route.value.namespace}</b> do not answer, and outdated answers. Each answer that you write becomes a document.</p>
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
/** Most asked first; a linked gap is always shown. */
const firstGaps = (all: readonly Gap[] | undefined) =>
  all?.filter((gap, at) => isWhole.value || at < maxFirst || isLinked(gap));
const showAll = () => {
  isWhole.value = true;
};
const shownGaps = (all: readonly Gap[] | undefined) =>
  !all || all.length <= maxFirst || isWhole.value
    ? nothing
    : html`<p class="quiet">The ${maxFirst} that would help most people.
        <button class="link" @click=${showAll}>Show all</button></p>`;

function lists() {
  const unanswered = gaps.now();
  const drifted = stale.now();
  const isUnknown = route.value.id !== '' && unanswered.answer && drifted.answer && !isListed.value;
  return html`${
    isUnknown
      ? html`<p class="warning"
    role="status">The linked question is not in these lists. It was answered since, or the link is wrong.</p>`
      : nothing
  }
    <div class="cards">
      <div>
        <h2>Unanswered questions${counted(unanswered.answer?.gaps.length)}</h2>
        ${shownGaps(unanswered.answer?.gaps)}
        ${listOf(firstGaps(unanswered.answer?.gaps), unanswered.failure, gapItem, 'No unanswered questions.', 'stack')}
      </div>
      <div>
        <h2>Outdated answers${counted(drifted.answer?.answers.length)}</h2>
        ${listOf(drifted.answer?.answers, drifted.failure, staleItem, 'No outdated answers: all quotes still match their documents.', 'stack')}
      </div>
    </div>
    ${insightsTable(insights.now().answer?.weeks)}`;
}
