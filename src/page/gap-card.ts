/**
 * Lists of gaps: drafts and their review, merge and split by hand, and the answers given before an
 * approved one.
 */
import { signal } from '@webreflection/signal';
import { html, nothing } from 'lit-html';
import { api, messageOf } from './api.ts';
import { countOf, errorText, listOf, showShare, showTime, smallButton } from './format.ts';
import { renderMarkdown } from './markdown.ts';
import type { Gap, GapDraft, ListedAnswer } from './openapi.d.ts';
import { outdatedCard } from './outdated-card.ts';
import { openDocument } from './reader.ts';
import { createFetched, linkTo, may, route, showNotice } from './session.ts';

const createList = () => createFetched<{ readonly gaps: readonly Gap[] }>();
/** By the state that the server filters by. */
export const gapLists = {
  unanswered: createList(),
  answered: createList(),
  dismissed: createList(),
};

export function loadGaps(namespace: string): void {
  const query = `namespace=${encodeURIComponent(namespace)}&limit=200`;
  for (const [state, list] of Object.entries(gapLists))
    void list.load(`api/gaps?${query}&state=${state}`);
}

/** FNV-1a hash of a question: its id in the address. */
function questionId(question: string) {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(question)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(36);
}
/** The most frequent wording of a gap changes, so its other wordings lead to it too. */
export const isLinked = ({ question, variants }: Gap): boolean =>
  [question, ...variants].some((one) => questionId(one) === route.value.id);

/** Id of the gap that was changed last, and why that failed. */
const failed = signal({ id: '', problem: '' });

async function changeGap({ id, namespace }: Gap, work: string, done: string, body: object = {}) {
  let problem = '';
  try {
    await api(`api/gaps/${id}/${work}`, { body });
    showNotice(done);
  } catch (error) {
    problem = messageOf(error);
  }
  failed.value = { id, problem };
  loadGaps(namespace);
  return problem === '';
}

/** Calls `work` with the fields of a sent form. If it returns true, the form is empty again. */
const onSubmit = (work: (fields: FormData) => Promise<boolean>) => async (event: SubmitEvent) => {
  event.preventDefault();
  const form = event.target as HTMLFormElement;
  if (await work(new FormData(form))) form.reset();
};

function draftForm(gap: Gap, { id: draft, text, author, createdAt, personal }: GapDraft) {
  const approve = onSubmit(async (fields) => {
    const text = fields.get('reviewed');
    await changeGap(gap, 'approve', 'Approved. The answer is now a document.', { draft, text });
    return false;
  });
  return html`<form class="below" @submit=${approve}>
    <label>Draft of ${author}, ${showTime(createdAt)}
      <textarea name="reviewed" rows="4" required .value=${text}></textarea></label>
    ${personal.length === 0 ? nothing : html`<p class="warning">Personal data? Check before approving: ${personal.map((one) => html`<mark>${one}</mark> `)}</p>`}
    ${may('write') ? html`<button class="primary small">Approve as document</button>` : nothing}
  </form>`;
}

function proposalForm(gap: Gap) {
  const propose = onSubmit((fields) =>
    changeGap(gap, 'draft', 'Saved for review.', {
      text: fields.get('proposed'),
      author: fields.get('by'),
    }),
  );
  return html`<details>
    <summary>Propose an answer for review</summary>
    <form class="below" @submit=${propose}>
      <label>Draft (Markdown) <textarea name="proposed" rows="4" required></textarea></label>
      <label>Written by <input name="by" required maxlength="200" autocomplete="name" /></label>
      <button class="small">Save draft</button>
    </form>
  </details>`;
}

function mergeForm(gap: Gap) {
  const others = gapLists.unanswered.now().answer?.gaps.filter(({ id }) => id !== gap.id) ?? [];
  const merge = onSubmit((fields) =>
    changeGap(gap, 'merge', 'Merged.', { into: fields.get('into') }),
  );
  return others.length === 0
    ? nothing
    : html`<details>
    <summary>Merge into another question</summary>
    <form class="below inline" @submit=${merge}>
      <label class="grow">Same question as <select name="into">
        ${others.map(({ id, question }) => html`<option value=${id}>${question}</option>`)}
      </select></label>
      <button class="small">Merge</button>
    </form>
  </details>`;
}

const failureOf = ({ id }: Gap) => errorText(failed.value.id === id && failed.value.problem);

const documentLinks = ({ namespace, closest }: Gap) =>
  closest.length === 0
    ? html`<p class="quiet">No related documents.</p>`
    : html`<p class="near"><span class="quiet">Related documents:</span> ${closest.map((one) => html`<button class="link" @click=${() => openDocument({ ...one, namespace })}>${one.title}</button> `)}</p>`;

const ratedAnswer = ({ namespace, answer, runId }: Gap) =>
  answer || runId
    ? html`<details>
        <summary>Answer rated as not helpful</summary>
        ${answer ? html`<div class="then">${renderMarkdown(answer)}</div>` : nothing}
        ${runId ? html`<p><a href=${linkTo({ view: 'ask', namespace, id: runId })}>Open this answer</a></p>` : nothing}
      </details>`
    : nothing;

const card = (gap: Gap, facts: unknown, content: unknown) => html`<li class="card"
    aria-current=${isLinked(gap) ? 'true' : nothing}>
  <h3><a href=${linkTo({ id: questionId(gap.question) })}>${gap.question}</a></h3>
  <p class="facts">
    <span>asked ${gap.count === 1 ? 'once' : countOf(gap.count, 'time')}</span>
    <span title=${`First asked ${showTime(gap.firstAskedAt)}`}>last asked ${showTime(gap.lastAskedAt)}</span>
    ${facts}
  </p>
  ${content}
</li>`;

function variantList(gap: Gap) {
  const split = (question: string) => changeGap(gap, 'split', 'Split.', { questions: [question] });
  return gap.variants.length === 0
    ? nothing
    : html`<details ?open=${isLinked(gap)}>
        <summary>${countOf(gap.variants.length, 'other wording')}</summary>
        <ul>${gap.variants.map((one) => html`<li>${one} ${smallButton('Split', () => split(one), `Split: ${one}`)}</li>`)}</ul>
      </details>`;
}

export function openCard(gap: Gap) {
  const drafts = (gap.drafts ?? []).filter(({ document }) => document === null);
  return card(
    gap,
    html`<span>documents cover ${showShare(gap.coverage)} of it</span>
    ${gap.ways?.length ? html`<span>by ${gap.ways.map(({ entryPoint }) => entryPoint).join(', ')}</span>` : nothing}`,
    html`${variantList(gap)} ${ratedAnswer(gap)} ${documentLinks(gap)}
    ${drafts.map((draft) => draftForm(gap, draft))}
    <div class="tools">
      ${may('write') ? html`<a class="button small" href=${linkTo({ query: { question: gap.question } })}>Write an answer</a>` : nothing}
      ${gap.id ? smallButton('Dismiss', () => changeGap(gap, 'dismiss', 'Dismissed.')) : nothing}
    </div>
    ${gap.id ? html`${proposalForm(gap)} ${mergeForm(gap)}` : nothing}
    ${failureOf(gap)}`,
  );
}

const earlier = createFetched<{ readonly answers: readonly ListedAnswer[] }>();
/** Id of the gap whose earlier answers are shown. */
const shown = signal('');

function showEarlier({ id, namespace }: Gap, document: string) {
  shown.value = shown.value === id ? '' : id;
  const query = new URLSearchParams({ namespace, document, state: 'stale', limit: '100' });
  if (shown.value !== '') void earlier.load(`api/answers?${query}`);
}

const earlierAnswers = () =>
  html`<div class="below" role="status">${listOf(earlier.now().answer?.answers, earlier.now().failure, outdatedCard, 'No answer before said otherwise.', 'stack')}</div>`;

export function closedCard(gap: Gap) {
  const { id, namespace, question } = gap;
  const approved = gap.drafts.findLast(({ document }) => document !== null);
  const documentId = approved?.document ?? '';
  return card(
    gap,
    approved ? html`<span>answered by ${approved.author}</span>` : nothing,
    html`<div class="tools">
      ${
        approved
          ? html`${smallButton('Open answer', () => openDocument({ namespace, documentId, title: question }))}
        <button class="small" aria-expanded=${shown.value === id}
          @click=${() => showEarlier(gap, documentId)}>Who got another answer?</button>`
          : nothing
      }
      ${smallButton('Reopen', () => changeGap(gap, 'reopen', 'Opened again.'))}
    </div>
    ${shown.value === id ? earlierAnswers() : nothing} ${failureOf(gap)}`,
  );
}
