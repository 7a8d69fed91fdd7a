/**
 * Work of people on groups of unanswered questions: merge, split, drafts, reviews. Every change is
 * stored before its caller learns of it, in one transaction.
 */
import { hash, randomUUID } from 'node:crypto';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { openGap, selectGroupOf, wordingKeyOf } from './answer-tables.ts';
import { createGroup, type NewGap } from './gap-groups.ts';
import { gapOf } from './gaps.ts';
import { threadKeyOf } from './hand-off-table.ts';
import { type Store, type Transaction, toStorable } from './store.ts';
import { addCounts } from './weekly-counts.ts';

type Group = Readonly<{
  id: string;
  namespace: string;
  state: 'open' | 'answered' | 'dismissed';
  /** Document of its approved answer. */
  document: string | null;
}>;

export type Draft = Readonly<{
  text: string;
  author: string;
}>;

/** What a reviewer approved. */
export type Review = Draft &
  Readonly<{
    /** Title of its document. */
    question: string;
    /** Earlier document: its id in a request, its file and time where it is stored. */
    replaces?: string | undefined;
  }>;
export type ReviewedDraft = Readonly<{ namespace: string; draftId: string; review: Review }>;

/** A message of a person in a conversation. `id` is unique; a repeated one changes nothing. */
export type ThreadReply = Draft &
  Readonly<{
    id: string;
    thread: string;
    /** First message of its thread; undefined: it is in none. */
    parent?: string | undefined;
    isEdited?: boolean;
  }>;

const draftIdOf = ({ thread, id }: Pick<ThreadReply, 'thread' | 'id'>) =>
  hash('sha256', `${thread}\0${id}`, 'base64url');

/** Per gap; more are refused. */
const maxDrafts = 20;
export const maxDraftChars = 20_000;

/** A gap in another namespace fails like a missing one. */
export const gapNotFound = () =>
  new KnowledgeError('gap_not_found', 'Gap not found. GET /api/gaps?state=all lists the gaps.');

const selectGroup = 'SELECT id, namespace, state, document FROM gap_groups WHERE id = $1';
const insertDraft = `
  INSERT INTO gap_drafts (id, gap_group, body, author, people, created_at)
  VALUES ($1, $2, $3, $4, $5, $6)`;
const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

const countDrafts =
  'SELECT CAST(count(*) AS integer) AS count FROM gap_drafts WHERE gap_group = $1';
type DraftRow = Draft & Readonly<{ document: string | null; review: string | null }>;
const selectDraft = 'SELECT body AS text, author, document, review FROM gap_drafts WHERE id = $1';
const selectReviews = `
  SELECT namespace, gap_drafts.id AS "draftId", review
  FROM gap_drafts JOIN gap_groups ON gap_groups.id = gap_group WHERE review IS NOT NULL`;
/** Drafts that no reviewer approved, or is approving. */
const isWaiting = 'id = $1 AND document IS NULL AND review IS NULL';
const updateEdited = `
  UPDATE gap_drafts SET body = $2 WHERE ${isWaiting} AND author = $3 RETURNING id`;
const updateApproved = `
  UPDATE gap_drafts SET document = $2, body = $3, author = $4, review = NULL WHERE id = $1
  RETURNING gap_group AS "group"`;
const selectQuestions = `
  SELECT namespace, wording, question, last_asked_at AS at FROM gaps
  WHERE gap_group = $1 ORDER BY count DESC, id`;
/**
 * A thread begins with the question, with its answer, or with an earlier message. A reply without
 * one answers the newest question without one.
 */
const selectHandedOff = `
  SELECT namespace, question, asker FROM handed_off
  WHERE thread = $1 AND at >= $2 AND question <> '' AND (
    (CAST($3 AS text) IS NULL AND parent IS NULL)
    OR $3 IN (message, parent)
    OR run_id = (SELECT run_id FROM chat_answers WHERE message = $3))
  ORDER BY at DESC LIMIT 1`;
type HandedOff = Readonly<Record<'namespace' | 'question' | 'asker', string>>;

export class GapDesk {
  readonly #store;
  readonly #clock;

  constructor(store: Store, clock: () => Date) {
    this.#store = store;
    this.#clock = clock;
  }

  get #now() {
    return this.#clock().toISOString();
  }

  #change<T>(work: (transaction: Transaction) => Promise<T>) {
    return this.#store.transact(async (transaction) => {
      await transaction.lock('gapGroups');
      return work(transaction);
    });
  }

  /** @throws KnowledgeError `gap_not_found` */
  async find(id: string, { query }: Pick<Store, 'query'> = this.#store) {
    const [group] = await query<Group>(selectGroup, [toStorable(id)]);
    if (!group) throw gapNotFound();
    return group;
  }

  async #setState(transaction: Transaction, id: string, to: Group['state']) {
    const { query } = transaction;
    const { namespace, state } = await this.find(id, transaction);
    await query('UPDATE gap_groups SET state = $2, changed_at = $3 WHERE id = $1', [
      id,
      to,
      this.#now,
    ]);
    if ((state === 'open') === (to === 'open')) return;
    const counts = to === 'open' ? { gapsOpened: 1 } : { gapsClosed: 1 };
    await addCounts(query, namespace, this.#now, counts);
  }

  async #addDraft(
    transaction: Transaction,
    id: string,
    { text, author }: Draft,
    { draftId, people }: Readonly<{ draftId: string; people: readonly string[] }>,
  ) {
    const { query } = transaction;
    const [counted] = await query<{ count: number }>(countDrafts, [id]);
    if (counted && counted.count >= maxDrafts)
      throw new KnowledgeError('limit_reached', `A gap has at most ${maxDrafts} drafts.`);
    await this.#setState(transaction, id, 'open');
    const texts = [text, author, JSON.stringify(people)].map(toStorable);
    await query(insertDraft, [draftId, id, ...texts, this.#now]);
  }

  /** Moves all questions and drafts of a group into another one of its namespace. */
  async merge(id: string, into: string) {
    await this.#change(async (transaction) => {
      const from = await this.find(id, transaction);
      const to = await this.find(into, transaction);
      if (from.namespace !== to.namespace || id === into) throw gapNotFound();
      for (const table of ['gaps', 'gap_terms', 'gap_drafts'])
        await transaction.query(`UPDATE ${table} SET gap_group = $2 WHERE gap_group = $1`, [
          id,
          into,
        ]);
      await transaction.query('DELETE FROM gap_groups WHERE id = $1', [id]);
    });
  }

  /**
   * Moves questions of a group into a new one. @returns its id @throws KnowledgeError
   * `invalid_request` unless some, but not all, move
   */
  split(id: string, questions: readonly string[]) {
    return this.#change(async ({ query }) => {
      const rows = await query<NewGap>(selectQuestions, [id]);
      const moved = rows.filter(({ question }) => questions.includes(question));
      const [first] = moved;
      if (!first || moved.length === rows.length)
        throw new KnowledgeError(
          'invalid_request',
          'questions must be some, but not all, of the wordings of the gap.',
        );
      const group = await createGroup(query, first);
      for (const { namespace, wording } of moved)
        for (const table of ['gaps', 'gap_terms'])
          await query(`UPDATE ${table} SET gap_group = $3 WHERE namespace = $1 AND wording = $2`, [
            namespace,
            wording,
            group,
          ]);
      return group;
    });
  }

  /** Adds a draft and opens the gap. @throws KnowledgeError `gap_not_found`, `limit_reached` */
  draft(id: string, draft: Draft) {
    return this.#change((transaction) =>
      this.#addDraft(transaction, id, draft, { draftId: randomUUID(), people: [] }),
    );
  }

  /**
   * Makes a person's reply a draft, if a question of its thread was handed off in the last `hours`:
   * the newest one. An edit changes the draft until its approval. @returns whether it is a draft
   */
  addReply(reply: ThreadReply, hours: number) {
    const { thread, parent, author, isEdited = false } = reply;
    const draftId = draftIdOf(reply);
    const text = reply.text.slice(0, maxDraftChars);
    return this.#change(async (transaction) => {
      const { query } = transaction;
      if ((await query(selectDraft, [draftId])).length > 0) {
        const edited = [draftId, ...[text, author].map(toStorable)];
        return !isEdited || (await query(updateEdited, edited)).length > 0;
      }
      const since = new Date(this.#clock().getTime() - hours * 3_600_000).toISOString();
      const place = [threadKeyOf(thread), since, parent === undefined ? null : toStorable(parent)];
      const [handedOff] = await query<HandedOff>(selectHandedOff, place);
      // Those who asked add to their question.
      if (!handedOff || isSame(handedOff.asker, author)) return false;
      const group = await this.#gapOf(transaction, handedOff);
      const people = [author, handedOff.asker].filter((one) => one !== '');
      await this.#addDraft(transaction, group, { text, author }, { draftId, people });
      return true;
    });
  }

  /** Deletes the draft of a reply until its approval. @returns whether there was one */
  removeReply(reply: Pick<ThreadReply, 'thread' | 'id'>) {
    return this.#store.erase(async ({ query }) => {
      const removed = `DELETE FROM gap_drafts WHERE ${isWaiting} RETURNING id`;
      return (await query(removed, [draftIdOf(reply)])).length > 0;
    });
  }

  /** Returns the gap of a question, opened if its answer was not one. */
  async #gapOf(transaction: Transaction, { namespace, question }: HandedOff) {
    const gap = gapOf(question);
    const place = [namespace, wordingKeyOf(gap.words)];
    const own = () => transaction.query<{ group: string | null }>(selectGroupOf, place);
    const [known] = await own();
    if (known?.group) return known.group;
    const times = { firstAskedAt: this.#now, lastAskedAt: this.#now };
    const asked = { count: 1, coverage: 0, closest: '[]', ...times };
    await openGap(transaction, this.#store.dialect, { namespace, ...gap, ...asked });
    return (await own())[0]?.group ?? '';
  }

  setState(id: string, to: Group['state']) {
    return this.#change((transaction) => this.#setState(transaction, id, to));
  }

  /**
   * Stores a review before its document is written. One that has not ended has priority.
   * @returns what to write, or the document if it has this text @throws KnowledgeError
   * `gap_not_found`
   */
  beginReview({ draftId, review }: ReviewedDraft): Promise<{ review: Review; document?: string }> {
    return this.#change(async ({ query }) => {
      const [draft] = await query<DraftRow>(selectDraft, [draftId]);
      if (!draft) throw gapNotFound();
      if (draft.review !== null) return { review: JSON.parse(draft.review) as Review };
      const { document, text, author } = draft;
      if (document !== null && text === review.text && author === review.author)
        return { review, document };
      const stored = toStorable(JSON.stringify(review));
      await query('UPDATE gap_drafts SET review = $2 WHERE id = $1', [draftId, stored]);
      return { review };
    });
  }

  async cancelReview(draftId: string) {
    await this.#store.query('UPDATE gap_drafts SET review = NULL WHERE id = $1', [draftId]);
  }

  /** Reviews whose server ended before their documents were saved as answers of their gaps. */
  async unfinishedReviews(): Promise<ReviewedDraft[]> {
    const rows = await this.#store.query<{ namespace: string; draftId: string; review: string }>(
      selectReviews,
    );
    return rows.map(({ review, ...draft }) => ({ ...draft, review: JSON.parse(review) as Review }));
  }

  /** Saves that a document was made of a draft, with the text as approved. */
  async approve(
    draftId: string,
    { document, text, author }: Draft & Readonly<{ document: string }>,
  ) {
    await this.#change(async (transaction) => {
      const { query } = transaction;
      const texts = [text, author].map(toStorable);
      const [draft] = await query<{ group: string }>(updateApproved, [draftId, document, ...texts]);
      if (!draft) throw gapNotFound();
      await this.#setState(transaction, draft.group, 'answered');
      await query('UPDATE gap_groups SET document = $2 WHERE id = $1', [draft.group, document]);
    });
  }
}
