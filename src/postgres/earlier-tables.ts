/** Tables created by earlier versions. Never change these texts. */
export const documentTables = `
  CREATE TABLE installation (
    one boolean PRIMARY KEY DEFAULT true CHECK (one), id uuid NOT NULL DEFAULT gen_random_uuid(), system_identifier text);
  INSERT INTO installation (system_identifier) SELECT system_identifier::text FROM pg_control_system();
  CREATE SEQUENCE document_version;
  CREATE TABLE namespaces (name text COLLATE "C" PRIMARY KEY, generation bigint NOT NULL DEFAULT 0);
  CREATE TABLE documents (
    namespace text COLLATE "C" NOT NULL, file text COLLATE "C" NOT NULL, generation bigint NOT NULL, content bytea, revision text,
    version bigint NOT NULL DEFAULT nextval('document_version'), changed xid8 NOT NULL DEFAULT pg_current_xact_id(),
    changed_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (namespace, file), CHECK ((content IS NULL) = (revision IS NULL)));
  CREATE INDEX documents_changed ON documents (changed);
  CREATE INDEX documents_removed ON documents (changed_at) WHERE content IS NULL;`;

export const earlierAnswerTables = `
  CREATE TABLE answers (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run_id text COLLATE "C" NOT NULL UNIQUE, namespace text COLLATE "C" NOT NULL,
    reader_key text, asked_at text NOT NULL, question text NOT NULL, checked text NOT NULL, answer text NOT NULL);
  CREATE TABLE feedback (
    id bigint GENERATED ALWAYS AS IDENTITY, run_id text COLLATE "C" NOT NULL REFERENCES answers (run_id) ON DELETE CASCADE,
    caller text COLLATE "C" NOT NULL, rating text NOT NULL, comment text, given_at text NOT NULL, PRIMARY KEY (run_id, caller));
  CREATE TABLE gaps (
    id bigint GENERATED ALWAYS AS IDENTITY, namespace text COLLATE "C" NOT NULL, wording text COLLATE "C" NOT NULL, topic text NOT NULL,
    question text NOT NULL, count integer NOT NULL, first_asked_at text COLLATE "C" NOT NULL, last_asked_at text COLLATE "C" NOT NULL,
    coverage double precision NOT NULL, closest text NOT NULL, PRIMARY KEY (namespace, wording));`;

/** Separate table, because servers of earlier versions do not write the asker. */
export const answerAskerTable = `
  CREATE TABLE answer_askers (
    run_id text COLLATE "C" PRIMARY KEY REFERENCES answers (run_id) ON DELETE CASCADE, asker text COLLATE "C" NOT NULL);`;

export const notificationColumn = 'ALTER TABLE answers ADD COLUMN told text;';

export const earlierTokenTables = `
  CREATE TABLE model_tokens (
    day text COLLATE "C", key text COLLATE "C", tokens bigint NOT NULL, PRIMARY KEY (day, key));`;

export const earlierChatDeliveryTables = `
  CREATE TABLE chat_deliveries (
    key text COLLATE "C" PRIMARY KEY, taken_until timestamptz NOT NULL, is_settled boolean NOT NULL DEFAULT false);`;

export const earlierScheduleTables = `
  CREATE TABLE schedules (namespace text COLLATE "C" PRIMARY KEY, schedules text);`;

export const earlierJobTables = `
  CREATE TABLE jobs (
    id text COLLATE "C" PRIMARY KEY, namespace text COLLATE "C" NOT NULL, owner text NOT NULL,
    arrived timestamptz NOT NULL DEFAULT clock_timestamp(), claimed timestamptz, ended boolean NOT NULL DEFAULT false,
    cancelled boolean NOT NULL DEFAULT false, forgotten text[] NOT NULL DEFAULT '{}', edition integer NOT NULL DEFAULT 0, runner uuid,
    leased_until timestamptz);
  CREATE TABLE job_lines (
    job text COLLATE "C" NOT NULL REFERENCES jobs ON DELETE CASCADE, position bigint GENERATED ALWAYS AS IDENTITY, line text NOT NULL,
    PRIMARY KEY (job, position));`;

/** Metadata field as JSON text. A value with the prefix U+E000 is already JSON. */
const nameOf = (field: string) => `
  CASE left(metadata->>'${field}', 1) WHEN chr(57344) THEN substr(metadata->>'${field}', 2) ELSE to_json(metadata->>'${field}')::text END`;
const isoOf = (column: string) => `
  to_char(coalesce("${column}Z" AT TIME ZONE 'UTC', "${column}"), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * Moves threads of earlier versions out of the tables of @mastra/pg and drops those tables. Keeps
 * JSON escapes, because PostgreSQL rejects some.
 */
export const moveMastraThreads = `
  DO $move$
  DECLARE earlier text;
  BEGIN
    IF to_regclass(format('%I.mastra_threads', current_schema())) IS NOT NULL
      AND to_regclass(format('%I.mastra_messages', current_schema())) IS NOT NULL
    THEN
      INSERT INTO threads (id, owner, namespace, resource, thread, created_at, updated_at)
        SELECT id, metadata->>'owner', metadata->>'namespace', ${nameOf('resource')}, ${nameOf('thread')}, ${isoOf('createdAt')}, ${isoOf('updatedAt')}
        FROM mastra_threads WHERE metadata->>'owner' IS NOT NULL;
      INSERT INTO messages (message_id, thread_id, role, content, created_at)
        SELECT id, thread_id, role, said, at
        FROM (SELECT *, ${isoOf('createdAt')} AS at,
          substring(content FROM '^\\{"format":2,"parts":\\[\\{"type":"text","text":("(?:[^"\\\\]|\\\\.)*")') AS said FROM mastra_messages) AS kept
        WHERE said IS NOT NULL AND role IN ('user', 'assistant') AND thread_id IN (SELECT id FROM threads) ORDER BY at;
      INSERT INTO message_documents (message_id, document)
        SELECT DISTINCT message_id, quoted[1]
        FROM mastra_messages AS kept JOIN messages ON message_id = kept.id,
          regexp_matches(substring(kept.content FROM '"documents":(\\[[^]]*\\])'), '"([^"\\\\]+)"', 'g') AS quoted;
      DELETE FROM threads WHERE NOT EXISTS (SELECT FROM messages WHERE thread_id = threads.id);
    END IF;
    FOREACH earlier IN ARRAY ARRAY['mastra_messages', 'mastra_threads', 'mastra_resources', 'mastra_observational_memory'] LOOP
      EXECUTE format('DROP TABLE IF EXISTS %I.%I', current_schema(), earlier);
    END LOOP;
  END $move$;`;
