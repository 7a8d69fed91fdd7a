/** Gaps: what was asked and not answered, an answer written by a person and asked again, and answers whose passage is gone. */
import { signal } from '@webreflection/signal';
import { html, nothing } from 'lit-html';
import { api, messageOf } from './api.ts';
import type { Gap, IngestReport, ListedAnswer, Reason } from './api-types.d.ts';
import { turnAt } from './ask.ts';
import { askAfresh } from './conversation.ts';
import { countOf, failureText, loadingText, localTime, showDay, showShare, showTime } from './format.ts';
import { renderMarkdown } from './markdown.ts';
import { openDocument } from './reader.ts';
import { createFetched, type Fetched, linkTo, may, onReturn, onRoute, refreshState, route, server } from './session.ts';

const gaps = createFetched<{ readonly gaps: readonly Gap[] }>();
const stale = createFetched<{ readonly answers: readonly ListedAnswer[] }>();

interface Draft {
  readonly namespace: string;
  readonly question: string;
  readonly title: string;
  readonly text: string;
  readonly author: string;
  readonly reviewBy: string;
}

interface Writing {
  readonly step: 'open' | 'storing' | 'asking' | 'asked';
  readonly failure?: string;
  readonly documentId?: string;
  readonly number?: number;
  readonly reason?: Reason | undefined;
}

const draft = signal<Draft | undefined>(undefined);
const writing = signal<Writing>({ step: 'open' });
let lastAuthor = '';
const askedAgain = signal<{ readonly runId: string; readonly number: number } | undefined>(undefined);

const inMonths = (months: number) => {
  const day = new Date();
  day.setMonth(day.getMonth() + months);
  return localTime(day).slice(0, 10);
};

const maxTitleChars = 300;

function newDraft(namespace: string, question: string): Draft {
  return { namespace, question, title: question.slice(0, maxTitleChars), text: '', author: lastAuthor, reviewBy: inMonths(6) };
}

function focusOn(part: string): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`.writer ${part}`)?.focus());
}

function openDraft(namespace: string, question: string): void {
  const before = draft.value;
  if (before?.namespace === namespace && before.question === question) return;
  writing.value = { step: 'open' };
  draft.value = question === '' ? undefined : newDraft(namespace, question);
  focusOn('[name=text]');
}

function loadLists(namespace: string): void {
  const of = `namespace=${encodeURIComponent(namespace)}`;
  void gaps.load(`api/gaps?${of}&limit=200`);
  void stale.load(`api/answers?${of}&state=stale&limit=100`);
}

let listed = '';
onRoute('gaps', ({ namespace, query }) => {
  if (namespace !== listed) {
    gaps.forget();
    stale.forget();
    listed = namespace;
  }
  openDraft(namespace, query.get('question')?.trim() ?? '');
  if (may('admin')) loadLists(namespace);
});

onReturn('gaps', () => {
  if (may('admin')) loadLists(route.value.namespace);
});

function typed({ target }: Event): void {
  const { name, value } = target as HTMLInputElement;
  if (draft.value) draft.value = { ...draft.value, [name]: value };
}

async function store({ namespace, title, text, author, reviewBy }: Draft): Promise<string> {
  const source = { text, title: title.trim(), author: author.trim(), ...(reviewBy === '' ? {} : { reviewBy }) };
  const { results } = await api<IngestReport>('api/tools/ingestSources', {
    method: 'POST',
    body: { namespace, sources: [source] },
    accepts: [422],
  });
  const [row] = results;
  if (!row?.document) throw new Error(row?.error?.message ?? 'The text was not stored.');
  return row.document.id;
}

async function write(event: SubmitEvent): Promise<void> {
  event.preventDefault();
  const written = draft.value;
  if (!written || writing.value.step === 'storing') return;
  const { question, namespace } = written;
  // Meanwhile another question may have been opened.
  const tellStep = (to: Writing) => {
    if (draft.value?.question === question && draft.value.namespace === namespace) writing.value = to;
  };
  lastAuthor = written.author;
  tellStep({ step: 'storing' });
  try {
    const documentId = await store(written);
    let number = -1;
    const reason = await askAfresh(question, namespace, (given) => {
      number = given;
      tellStep({ step: 'asking', documentId, number });
      focusOn('[role=status]');
    });
    tellStep({ step: 'asked', documentId, number, reason });
    void refreshState();
  } catch (error) {
    tellStep({ step: 'open', failure: messageOf(error) });
  }
  if (route.value.namespace === namespace) loadLists(namespace);
}

function writeMore(): void {
  writing.value = { step: 'open' };
  focusOn('[name=text]');
}

const preview = (text: string) => html`<div class="preview" role="group" aria-label="Preview">
  <span>Preview</span>
  <div>${text.trim() === '' ? html`<p class="quiet">As its readers will see it.</p>` : renderMarkdown(text)}</div>
</div>`;

const writerForm = (now: Draft, { step, failure }: Writing) => html`<form @submit=${write} @input=${typed}>
  <label>Question, and title of the document <input name="title" required maxlength=${maxTitleChars} .value=${now.title} autocomplete="off" /></label>
  <div class="halves">
    <label>Answer, as Markdown <textarea name="text" required rows="9" .value=${now.text}></textarea></label>
    ${preview(now.text)}
  </div>
  <p class="quiet">An answer is found by its words: say it in a full sentence that uses those of the question.</p>
  <div class="inline">
    <label class="grow">Author <input name="author" required maxlength="200" pattern=".*\\S.*" title="who answers for the text" .value=${now.author} autocomplete="name" /></label>
    <label>To be reviewed by <input name="reviewBy" type="date" .value=${now.reviewBy} /></label>
  </div>
  ${failureText(failure)}
  <div class="tools">
    <button class="primary" ?disabled=${step === 'storing'}>${step === 'storing' ? 'Storing …' : 'Store and ask again'}</button>
    <a class="button" href=${linkTo({})}>Close</a>
  </div>
</form>`;

function outcome({ step, reason }: Writing) {
  if (step === 'asking') return html`<p class="quiet">Stored. Asking again …</p>`;
  if (reason === 'answered') return html`<p>Stored as a document, and answered now.</p>`;
  if (reason === undefined) return html`<p class="warning">Stored as a document, but asking again failed.</p>`;
  return html`<p class="warning">
    Stored as a document, but it does not answer the question yet: say it in one sentence with the words of the question.</p>`;
}

function written(now: Draft, done: Writing) {
  const { step, reason, documentId = '', number = -1 } = done;
  return html`<div role="status" tabindex="-1">${outcome(done)}</div>
    ${turnAt(number)}
    <div class="tools">
      ${step === 'asked' && reason !== 'answered' ? html`<button class="primary" @click=${writeMore}>Change the text</button>` : nothing}
      <button @click=${() => openDocument({ namespace: now.namespace, documentId, title: now.title })}>Open the document</button>
      <a class="button" href=${linkTo({})}>Close</a>
    </div>`;
}

function writer() {
  const [now, done] = [draft.value, writing.value];
  if (!now) return nothing;
  const isForm = done.step === 'open' || done.step === 'storing';
  return html`<div class="card writer">
    <h2>${isForm ? 'Write an answer' : now.title}</h2>
    ${may('write') ? (isForm ? writerForm(now, done) : written(now, done)) : html`<p class="warning">Your key may read here, but not write.</p>`}
  </div>`;
}

const nearest = ({ namespace, closest }: Gap) =>
  closest.length === 0
    ? html`<p class="quiet">No document comes near it.</p>`
    : html`<p class="near"><span class="quiet">Nearest:</span> ${closest.map(
        ({ documentId, title }) =>
          html`<button class="link" @click=${() => openDocument({ namespace, documentId, title })}>${title}</button> `,
      )}</p>`;

const gapItem = (gap: Gap) => html`<li class="card">
  <h3>${gap.question}</h3>
  <p class="facts">
    <span>asked ${gap.count === 1 ? 'once' : `${countOf(gap.count, 'time')}`}</span>
    <span title=${`first ${showTime(gap.firstAskedAt)}`}>last ${showTime(gap.lastAskedAt)}</span>
    <span title="how much of it the best passage holds">coverage ${showShare(gap.coverage)}</span>
  </p>
  ${
    gap.variants.length === 0
      ? nothing
      : html`<details>
          <summary>${countOf(gap.variants.length, 'other wording')}</summary>
          <ul>${gap.variants.map((variant) => html`<li>${variant}</li>`)}</ul>
        </details>`
  }
  ${nearest(gap)}
  ${may('write') ? html`<a class="button small" href=${linkTo({ query: { question: gap.question } })}>Write an answer</a>` : nothing}
</li>`;

type Change = ListedAnswer['changed'][number];

function changeItem(namespace: string, { documentId, title, quote, now }: Change) {
  const place = { namespace, documentId, title, ...(now ? { start: now.start, end: now.end, quote: now.text } : {}) };
  return html`<div class="halves">
      <div><h4>It rested on</h4><blockquote>${quote}</blockquote></div>
      <div><h4>There now</h4>${now ? html`<blockquote>${now.text}</blockquote>` : html`<p class="quiet">Nothing like it.</p>`}</div>
    </div>
    <p class="near"><button class="link" @click=${() => openDocument(place)}>${title}</button></p>`;
}

const staleItem = ({ runId, namespace, question, askedAt, text, changed }: ListedAnswer) => html`<li class="card">
  <h3>${question}</h3>
  <p class="facts"><span>answered ${showDay(askedAt)}</span></p>
  <details>
    <summary>The answer then</summary>
    <div class="then">${renderMarkdown(text)}</div>
  </details>
  ${changed.map((change) => changeItem(namespace, change))}
  <div class="tools">
    <button
      class="small"
      @click=${() =>
        askAfresh(question, namespace, (number) => {
          askedAgain.value = { runId, number };
        })}
    >
      Ask again
    </button>
  </div>
  ${askedAgain.value?.runId === runId ? turnAt(askedAgain.value.number) : nothing}
</li>`;

function list<Answer, Item>(
  { answer, failure }: Fetched<Answer>,
  itemsOf: (answer: Answer) => readonly Item[],
  item: (one: Item) => unknown,
  empty: string,
) {
  if (failure) return failureText(failure);
  if (!answer) return loadingText();
  const items = itemsOf(answer);
  return items.length === 0 ? html`<p class="quiet">${empty}</p>` : html`<ul class="plain stack">${items.map(item)}</ul>`;
}

const counted = (count: number | undefined) => (count ? html` <span class="chip">${count}</span>` : nothing);

export function gapsView() {
  return html`<section class="gaps">
    <h1>Gaps</h1>
    <p class="quiet">What <b>${route.value.namespace}</b> was asked and does not answer. A written answer becomes a document, with its author and the day of its review.</p>
    ${writer()}
    ${server.value && !may('admin') ? html`<p class="empty">What others asked takes the right <b>admin</b>.</p>` : lists()}
  </section>`;
}

function lists() {
  const [unanswered, drifted] = [gaps.now(), stale.now()];
  return html`<div class="cards">
      <div>
        <h2>Not answered${counted(unanswered.answer?.gaps.length)}</h2>
        ${list(unanswered, ({ gaps }) => gaps, gapItem, 'Nothing: whatever was asked here was answered.')}
      </div>
      <div>
        <h2>Answered from a passage that is gone${counted(drifted.answer?.answers.length)}</h2>
        ${list(drifted, ({ answers }) => answers, staleItem, 'Nothing: the documents still hold what answers quote.')}
      </div>
    </div>`;
}
