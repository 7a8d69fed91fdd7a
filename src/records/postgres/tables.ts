/** Tables of the documents, and those of the state whose columns differ from SQLite. */
export const tables = `
  CREATE TABLE installation (
    one boolean PRIMARY KEY DEFAULT true CHECK (one), id uuid NOT NULL DEFAULT gen_random_uuid(),
    system_identifier text);
  INSERT INTO installation (system_identifier) SELECT system_identifier::text FROM pg_control_system();
  CREATE SEQUENCE document_version;
  CREATE TABLE namespaces (name text COLLATE "C" PRIMARY KEY, generation bigint NOT NULL DEFAULT 0);
  CREATE TABLE documents (
    namespace text COLLATE "C" NOT NULL, file text COLLATE "C" NOT NULL,
    generation bigint NOT NULL, content bytea, revision text,
    version bigint NOT NULL DEFAULT nextval('document_version'),
    changed xid8 NOT NULL DEFAULT pg_current_xact_id(),
    changed_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (namespace, file),
    CHECK ((content IS NULL) = (revision IS NULL)));
  CREATE INDEX documents_changed ON documents (changed);
  CREATE INDEX documents_removed ON documents (changed_at) WHERE content IS NULL;
  CREATE TABLE answers (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run_id text COLLATE "C" NOT NULL UNIQUE,
    namespace text COLLATE "C" NOT NULL,
    reader_key text, asked_at text NOT NULL, question text NOT NULL, checked text NOT NULL,
    answer text NOT NULL);
  CREATE TABLE answer_askers (
    run_id text COLLATE "C" PRIMARY KEY REFERENCES answers (run_id) ON DELETE CASCADE,
    asker text COLLATE "C" NOT NULL);
  CREATE TABLE feedback (
    id bigint GENERATED ALWAYS AS IDENTITY, run_id text COLLATE "C" NOT NULL
    REFERENCES answers (run_id) ON DELETE CASCADE,
    caller text COLLATE "C" NOT NULL, rating text NOT NULL, comment text, given_at text NOT NULL,
    PRIMARY KEY (run_id, caller));
  CREATE TABLE gaps (
    id bigint GENERATED ALWAYS AS IDENTITY, namespace text COLLATE "C" NOT NULL,
    wording text COLLATE "C" NOT NULL, topic text NOT NULL,
    question text NOT NULL, count integer NOT NULL, first_asked_at text COLLATE "C" NOT NULL,
    last_asked_at text COLLATE "C" NOT NULL,
    coverage double precision NOT NULL, closest text NOT NULL, PRIMARY KEY (namespace, wording));
  CREATE TABLE model_tokens (
    day text COLLATE "C", key text COLLATE "C", tokens bigint NOT NULL, PRIMARY KEY (day, key));
  CREATE TABLE chat_deliveries (
    key text COLLATE "C" PRIMARY KEY, taken_until timestamptz NOT NULL,
    is_settled boolean NOT NULL DEFAULT false);
  CREATE TABLE schedules (namespace text COLLATE "C" PRIMARY KEY, schedules text);
  CREATE TABLE jobs (
    id text COLLATE "C" PRIMARY KEY, namespace text COLLATE "C" NOT NULL, owner text NOT NULL,
    arrived timestamptz NOT NULL DEFAULT clock_timestamp(), claimed timestamptz,
    ended boolean NOT NULL DEFAULT false,
    cancelled boolean NOT NULL DEFAULT false, forgotten text[] NOT NULL DEFAULT '{}',
    edition integer NOT NULL DEFAULT 0, runner uuid,
    leased_until timestamptz);
  CREATE TABLE job_lines (
    job text COLLATE "C" NOT NULL REFERENCES jobs ON DELETE CASCADE,
    position bigint GENERATED ALWAYS AS IDENTITY, line text NOT NULL,
    document text COLLATE "C", PRIMARY KEY (job, position));
  CREATE INDEX job_lines_document ON job_lines (document) WHERE document IS NOT NULL;`;
