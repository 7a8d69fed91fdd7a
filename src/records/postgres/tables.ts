/** Tables of the documents, and those of the state whose columns differ from SQLite. */
import { answerTables } from '../answer-tables.ts';
import { scheduleTables } from '../schedule-table.ts';
import { postgresDialect } from '../store.ts';

const { keyText } = postgresDialect;
export const tables = `
  CREATE TABLE installation (
    one boolean PRIMARY KEY DEFAULT true CHECK (one), id uuid NOT NULL DEFAULT gen_random_uuid(),
    system_identifier text);
  INSERT INTO installation (system_identifier) SELECT system_identifier::text FROM pg_control_system();
  CREATE SEQUENCE document_version;
  CREATE TABLE namespaces (name ${keyText} PRIMARY KEY, generation bigint NOT NULL DEFAULT 0);
  CREATE TABLE documents (
    namespace ${keyText} NOT NULL, file ${keyText} NOT NULL,
    generation bigint NOT NULL, content bytea, revision text,
    version bigint NOT NULL DEFAULT nextval('document_version'),
    changed xid8 NOT NULL DEFAULT pg_current_xact_id(),
    changed_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (namespace, file),
    CHECK ((content IS NULL) = (revision IS NULL)));
  CREATE INDEX documents_changed ON documents (changed);
  CREATE INDEX documents_removed ON documents (changed_at) WHERE content IS NULL;
  ${answerTables(postgresDialect)}
  CREATE TABLE feedback (
    id bigint GENERATED ALWAYS AS IDENTITY, run_id ${keyText} NOT NULL
    REFERENCES answers (run_id) ON DELETE CASCADE,
    caller ${keyText} NOT NULL, rating text NOT NULL, comment text, given_at text NOT NULL,
    PRIMARY KEY (run_id, caller));
  CREATE TABLE gaps (
    id bigint GENERATED ALWAYS AS IDENTITY, namespace ${keyText} NOT NULL,
    wording ${keyText} NOT NULL, topic text NOT NULL,
    question text NOT NULL, count integer NOT NULL, first_asked_at ${keyText} NOT NULL,
    last_asked_at ${keyText} NOT NULL,
    coverage double precision NOT NULL, closest text NOT NULL, PRIMARY KEY (namespace, wording));
  CREATE TABLE model_tokens (
    day ${keyText}, key ${keyText}, tokens bigint NOT NULL, PRIMARY KEY (day, key));
  CREATE TABLE chat_deliveries (
    key ${keyText} PRIMARY KEY, taken_until timestamptz NOT NULL,
    is_settled boolean NOT NULL DEFAULT false);
  ${scheduleTables(postgresDialect)}
  CREATE TABLE jobs (
    id ${keyText} PRIMARY KEY, namespace ${keyText} NOT NULL, owner text NOT NULL,
    arrived timestamptz NOT NULL DEFAULT clock_timestamp(), claimed timestamptz,
    ended boolean NOT NULL DEFAULT false,
    cancelled boolean NOT NULL DEFAULT false, forgotten text[] NOT NULL DEFAULT '{}',
    edition integer NOT NULL DEFAULT 0, runner uuid,
    leased_until timestamptz);
  CREATE TABLE job_lines (
    job ${keyText} NOT NULL REFERENCES jobs ON DELETE CASCADE,
    position bigint GENERATED ALWAYS AS IDENTITY, line text NOT NULL,
    document ${keyText}, PRIMARY KEY (job, position));
  CREATE INDEX job_lines_document ON job_lines (document) WHERE document IS NOT NULL;`;
