/** The name of a column of metadata as JSON text: before U+E000 it is one already. */
const nameOf = (field: string) => `
  CASE left(metadata->>'${field}', 1) WHEN chr(57344) THEN substr(metadata->>'${field}', 2) ELSE to_json(metadata->>'${field}')::text END`;
const isoOf = (column: string) => `
  to_char(coalesce("${column}Z" AT TIME ZONE 'UTC', "${column}"), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * Moves the threads of earlier versions out of the tables of @mastra/pg, and drops these. Texts are taken from the JSON as they are written
 * there, because PostgreSQL refuses some of the escapes.
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
