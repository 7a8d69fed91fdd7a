/** Tables of the loop from unanswered questions to reviewed answers, and of counts per week. */
import type { SqlDialect } from './store.ts';

/**
 * `gap_groups`: similar questions; `gap_terms`: index of their words; `gap_ways`: entry points.
 * `handed_off`: runs that a person got, to recognize replies and repeated hand-offs.
 */
export const loopTables = ({ keyText }: SqlDialect) => `
  CREATE TABLE gap_groups (
    id ${keyText} PRIMARY KEY, namespace ${keyText} NOT NULL, state ${keyText} NOT NULL,
    changed_at ${keyText} NOT NULL, document ${keyText});
  CREATE INDEX gap_groups_namespace ON gap_groups (namespace);
  ALTER TABLE gaps ADD COLUMN gap_group ${keyText};
  CREATE INDEX gaps_group ON gaps (gap_group);
  CREATE TABLE gap_terms (
    namespace ${keyText} NOT NULL, term ${keyText} NOT NULL, wording ${keyText} NOT NULL,
    gap_group ${keyText} NOT NULL REFERENCES gap_groups (id) ON DELETE CASCADE,
    is_name integer NOT NULL, PRIMARY KEY (namespace, term, wording));
  CREATE INDEX gap_terms_wording ON gap_terms (namespace, wording);
  CREATE INDEX gap_terms_group ON gap_terms (gap_group);
  CREATE TABLE gap_ways (
    namespace ${keyText} NOT NULL, wording ${keyText} NOT NULL, way ${keyText} NOT NULL,
    count integer NOT NULL, PRIMARY KEY (namespace, wording, way),
    FOREIGN KEY (namespace, wording) REFERENCES gaps (namespace, wording) ON DELETE CASCADE);
  CREATE TABLE gap_drafts (
    id ${keyText} PRIMARY KEY,
    gap_group ${keyText} NOT NULL REFERENCES gap_groups (id) ON DELETE CASCADE,
    body text NOT NULL, author text NOT NULL, people text NOT NULL, created_at ${keyText} NOT NULL,
    document ${keyText});
  CREATE INDEX gap_drafts_group ON gap_drafts (gap_group);
  CREATE TABLE handed_off (
    run_id ${keyText} PRIMARY KEY, namespace ${keyText} NOT NULL, thread ${keyText},
    question text NOT NULL, asker text NOT NULL, at ${keyText} NOT NULL);
  CREATE INDEX handed_off_thread ON handed_off (thread);
  CREATE TABLE weekly_counts (
    namespace ${keyText} NOT NULL, week ${keyText} NOT NULL, what ${keyText} NOT NULL,
    count integer NOT NULL, PRIMARY KEY (namespace, week, what));`;

/**
 * `review`: what a reviewer approved, while its document is written. `reply_to`: where an answer
 * was sent in a chat, until its user learns of a hand-off.
 */
export const reviewTables = `
  ALTER TABLE gap_drafts ADD COLUMN review text;
  ALTER TABLE chat_answers ADD COLUMN reply_to text;`;

/** The chat message of a question, and the first one of its thread, to recognize replies to it. */
export const threadColumns = ({ keyText }: SqlDialect) => `
  ALTER TABLE handed_off ADD COLUMN message ${keyText};
  ALTER TABLE handed_off ADD COLUMN parent ${keyText};`;
