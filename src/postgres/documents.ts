export const documentTables = `
  CREATE TABLE installation (
    one boolean PRIMARY KEY DEFAULT true CHECK (one), id uuid NOT NULL DEFAULT gen_random_uuid(), system_identifier text
  );
  INSERT INTO installation (system_identifier) SELECT system_identifier::text FROM pg_control_system();
  CREATE SEQUENCE document_version;
  CREATE TABLE namespaces (name text COLLATE "C" PRIMARY KEY, generation bigint NOT NULL DEFAULT 0);
  CREATE TABLE documents (
    namespace text COLLATE "C" NOT NULL,
    file text COLLATE "C" NOT NULL,
    generation bigint NOT NULL,
    content bytea,
    revision text,
    version bigint NOT NULL DEFAULT nextval('document_version'),
    changed xid8 NOT NULL DEFAULT pg_current_xact_id(),
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace, file),
    CHECK ((content IS NULL) = (revision IS NULL))
  );
  CREATE INDEX documents_changed ON documents (changed);
  CREATE INDEX documents_removed ON documents (changed_at) WHERE content IS NULL;`;
