/**
 * Search engine over PostgreSQL, for more chunks than fit into memory (experimental). BM25 in the
 * database (pg_textsearch) proposes chunks; this module ranks them like the in-process index.
 * Indexed words combine the hashes of namespace and term, so one index serves all namespaces and
 * languages, and the database does no tokenizing or stemming.
 */

import { retry } from '../../../packages/shared/src/concurrency/retry.ts';
import { TimeSlicer } from '../../../packages/shared/src/concurrency/time-slicer.ts';
import { indexHeader } from '../../../packages/shared/src/disk/snapshot-file.ts';
import { KnowledgeError } from '../../../packages/shared/src/errors.ts';
import type { Language } from '../../../packages/shared/src/language/languages.ts';
import { terms } from '../../../packages/shared/src/language/tokens.ts';
import { type Candidate, type CandidateSource, searchCandidates } from '../../search/candidates.ts';
import { headingWeight, titleWeight } from '../../search/scoring.ts';
import type {
  EngineDocument,
  EngineIndex,
  EngineQuery,
  SearchEngine,
} from '../../search/search-engine.ts';
import type { Query } from '../store.ts';
import type { SearchDatabase } from './search-tables.ts';

/** Documents indexed by another version of the program do not count as indexed. */
const versionPrefix = `${indexHeader} `;

/** FNV-1a over UTF-16 with the finalizer of MurmurHash3. @returns 0 to 2³² − 1 */
function hashOf(text: string) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * Longer terms are truncated in the counts, because PostgreSQL indexes reject long keys. UTF-16
 * units.
 */
const maxKeyLength = 256;
const keyOf = (term: string) =>
  term.length <= maxKeyLength ? term : term.slice(0, maxKeyLength).toWellFormed();

/**
 * Machine byte order, which is little-endian on all supported platforms. Base64, because every
 * driver reads it fast.
 */
const toBase64 = (numbers: readonly number[]) =>
  Buffer.from(Uint32Array.from(numbers).buffer).toString('base64');

/** Copies, because Uint32Array needs an offset divisible by four. */
const toNumbers = (base64: string) =>
  new Uint32Array(new Uint8Array(Buffer.from(base64, 'base64')).buffer);

/** Word for BM25: letters and digits that PostgreSQL parses as one word. */
const wordOf = (namespace: string) => {
  const place = hashOf(namespace).toString(36);
  return (number: number) => `t${number.toString(36)}n${place}`;
};

type ChunkRow = Readonly<{
  titleLength: number;
  headingLength: number;
  encoded: string;
  words: string;
}>;

type ReadDocument = Readonly<{
  chunks: readonly ChunkRow[];
  /** Number of terms in all chunks. */
  length: number;
  /** Term key → number of chunks. */
  holders: ReadonlyMap<string, number>;
}>;

async function readDocument(
  namespace: string,
  { title, language, chunks }: EngineDocument,
): Promise<ReadDocument> {
  const slicer = new TimeSlicer();
  const holders = new Map<string, number>();
  let total = 0;
  const word = wordOf(namespace);
  const rows: ChunkRow[] = [];
  for (const { headingPath, text } of chunks) {
    const fields = [title, headingPath.join('\n'), text].map((field) => [
      ...terms(field, language),
    ]);
    for (const key of new Set(fields.flat().map(keyOf)))
      holders.set(key, (holders.get(key) ?? 0) + 1);
    const [ofTitle = [], ofHeadings = [], ofText = []] = fields.map((field) => field.map(hashOf));
    const numbers = [...ofTitle, ...ofHeadings, ...ofText];
    total += numbers.length;
    const counted = [
      ...Array<number[]>(titleWeight).fill(ofTitle),
      ...Array<number[]>(headingWeight).fill(ofHeadings),
      ofText,
    ].flat();
    rows.push({
      titleLength: ofTitle.length,
      headingLength: ofHeadings.length,
      encoded: toBase64(numbers),
      words: counted.map(word).join(' '),
    });
    await slicer.pause();
  }
  return { chunks: rows, length: total, holders };
}

type StoredDocument = Readonly<{
  version: string;
  language: Language;
  chunks: number;
  /** Text, because `pg` returns a bigint as text. */
  length: string;
  terms: readonly string[];
  holders: readonly number[];
}>;

/**
 * The total wait is long, because another server may need minutes for a large document.
 * Milliseconds.
 */
const lockPolls = { firstPauseMs: 100, maxPauseMs: 100, totalMs: 600_000 };
/** Rows per statement: some hundred kilobytes. */
const chunksPerStatement = 200;
/** Documents per transaction when a namespace is deleted: well within the statement timeout. */
const documentsPerTransaction = 500;

// The functions below change a namespace in a transaction that has its lock.

async function storedIn(
  query: Query<unknown>,
  ...place: [namespace: string, document: string]
): Promise<StoredDocument | undefined> {
  const [found] = await query<StoredDocument>(
    'SELECT version, language, chunks, length, terms, holders FROM search_documents WHERE namespace = $1 AND document = $2',
    place,
  );
  return found;
}

async function addTo(
  query: Query<unknown>,
  namespace: string,
  { id, version, language }: EngineDocument,
  { chunks, length, holders }: ReadDocument,
) {
  const counts = [chunks.length, length, [...holders.keys()], [...holders.values()]];
  await query(
    'INSERT INTO search_documents VALUES ($1, $2, $3, $4, $5, $6, $7::text[], $8::integer[])',
    [namespace, id, version, language, ...counts],
  );
  const names = ['titleLength', 'headingLength', 'encoded', 'words'] as const;
  for (let first = 0; first < chunks.length; first += chunksPerStatement) {
    const rows = chunks.slice(first, first + chunksPerStatement);
    await query(
      `INSERT INTO search_chunks
        SELECT $1, $2, $3::integer + place - 1, title_length, heading_length, decode(encoded,
          'base64'), words
        FROM unnest($4::integer[], $5::integer[], $6::text[], $7::text[])
          WITH ORDINALITY AS row (title_length, heading_length, encoded, words, place)`,
      [namespace, id, first, ...names.map((name) => rows.map((row) => row[name]))],
    );
  }
  await addTotals(query, [namespace, language, 1, chunks.length, length]);
}

async function leave(
  query: Query<unknown>,
  namespace: string,
  document: string,
  { language, chunks, length }: StoredDocument,
) {
  for (const deleteRows of [
    'DELETE FROM search_documents WHERE namespace = $1 AND document = $2',
    'DELETE FROM search_chunks WHERE namespace = $1 AND document = $2',
  ])
    await query(deleteRows, [namespace, document]);
  await addTotals(query, [namespace, language, -1, -chunks, -Number(length)]);
}

const addTotals = (query: Query<unknown>, values: readonly unknown[]) =>
  query(
    `INSERT INTO search_totals AS held VALUES ($1, $2, $3, $4, $5) ON CONFLICT (namespace,
      language) DO UPDATE
      SET documents = held.documents + excluded.documents,
      chunks = held.chunks + excluded.chunks, length = held.length + excluded.length`,
    values,
  );

/** Updates document frequencies; skips terms with equal counts in the old and new document. */
async function count(
  query: Query<unknown>,
  namespace: string,
  before: StoredDocument | undefined,
  holders: ReadonlyMap<string, number>,
) {
  const changes = new Map(holders);
  for (const [index, term] of (before?.terms ?? []).entries())
    changes.set(term, (changes.get(term) ?? 0) - (before?.holders[index] ?? 0));
  const changed = [...changes].filter(([, change]) => change !== 0);
  await query(
    `INSERT INTO search_terms AS held SELECT $1, term, change FROM unnest($2::text[],
      $3::integer[]) AS row (term, change)
      ON CONFLICT (namespace, term) DO UPDATE SET chunks = held.chunks + excluded.chunks`,
    [namespace, changed.map(([term]) => term), changed.map(([, change]) => change)],
  );
  const fewer = changed.filter(([, change]) => change < 0).map(([term]) => term);
  if (fewer.length > 0)
    await query(
      'DELETE FROM search_terms WHERE namespace = $1 AND term = ANY($2::text[]) AND chunks <= 0',
      [namespace, fewer],
    );
}

/**
 * Deletes some documents; after the last document also the counts. @returns whether documents may
 * remain
 */
async function dropSome(query: Query<unknown>, namespace: string) {
  const [gone] = await query<{ documents: number }>(
    `WITH gone AS (
        DELETE FROM search_documents WHERE (namespace, document) IN
          (SELECT namespace, document FROM search_documents WHERE namespace = $1 LIMIT $2)
        RETURNING namespace, document
      ), chunks AS (DELETE FROM search_chunks USING gone WHERE search_chunks.namespace = $1
      AND search_chunks.document = gone.document)
      SELECT count(*)::integer AS documents FROM gone`,
    [namespace, documentsPerTransaction],
  );
  if (gone?.documents === documentsPerTransaction) return true;
  await query('DELETE FROM search_terms WHERE namespace = $1', [namespace]);
  await query('DELETE FROM search_totals WHERE namespace = $1', [namespace]);
  return false;
}

/** `encoded`: the terms as base64. */
interface CandidateRow extends Omit<Candidate, 'terms' | 'end'> {
  readonly encoded: string;
  readonly averageLength: number;
}

function toCandidate({ encoded, averageLength: _, ...place }: CandidateRow): Candidate {
  const terms = toNumbers(encoded);
  return { ...place, terms, end: terms.length };
}

class PostgresIndex implements EngineIndex, CandidateSource {
  readonly numberOf = hashOf;
  readonly #database;
  readonly #namespace;

  constructor(database: SearchDatabase, namespace: string) {
    this.#database = database;
    this.#namespace = namespace;
  }

  async versions() {
    const rows = await this.#database.query<{ document: string; version: string }>(
      'SELECT document, version FROM search_documents WHERE namespace = $1',
      [this.#namespace],
    );
    const current = rows.filter(({ version }) => version.startsWith(versionPrefix));
    return new Map(
      current.map(({ document, version }) => [document, version.slice(versionPrefix.length)]),
    );
  }

  /** If several servers add the same version, only the first one writes it. */
  async upsert(document: EngineDocument) {
    const held = await this.#database.query<{ version: string }>(
      'SELECT version FROM search_documents WHERE namespace = $1 AND document = $2',
      [this.#namespace, document.id],
    );
    const version = versionPrefix + document.version;
    if (held[0]?.version === version) return;
    const read = await readDocument(this.#namespace, document);
    await this.#change(async (query, namespace) => {
      const before = await storedIn(query, namespace, document.id);
      if (before?.version === version) return;
      if (before) await leave(query, namespace, document.id, before);
      await addTo(query, namespace, { ...document, version }, read);
      await count(query, namespace, before, read.holders);
    });
  }

  async remove(...documentIds: string[]) {
    for (const documentId of documentIds)
      await this.#change(async (query, namespace) => {
        const before = await storedIn(query, namespace, documentId);
        if (!before) return;
        await leave(query, namespace, documentId, before);
        await count(query, namespace, before, new Map());
      });
  }

  async statistics() {
    const rows = await this.#database.query<{ language: Language; chunks: string }>(
      'SELECT language, chunks FROM search_totals WHERE namespace = $1 AND documents > 0',
      [this.#namespace],
    );
    return {
      chunks: rows.reduce((sum, { chunks }) => sum + Number(chunks), 0),
      languages: rows.map(({ language }) => language),
    };
  }

  async documentFrequencies(asked: Iterable<string>) {
    const all = [...asked];
    const rows = await this.#database.query<{ term: string; chunks: string }>(
      'SELECT term, chunks FROM search_terms WHERE namespace = $1 AND term = ANY($2::text[])',
      [this.#namespace, all.map(keyOf)],
    );
    const counts = new Map(rows.map(({ term, chunks }) => [term, Number(chunks)]));
    const known = all.filter((term) => counts.has(keyOf(term)));
    return new Map(known.map((term) => [term, counts.get(keyOf(term)) ?? 0]));
  }

  async propose({ terms: asked, limit }: EngineQuery) {
    const numbers = new Set(
      asked.flatMap(({ alternatives }) => alternatives.map(({ term }) => hashOf(term))),
    );
    if (numbers.size === 0) return { candidates: [], averageLength: 0 };
    const rows = await this.#database.query<CandidateRow>(
      `SELECT document AS "documentId", chunk, 0 AS start, title_length AS "titleEnd",
          title_length + heading_length AS "textStart", encode(terms, 'base64') AS encoded,
          (SELECT sum(length)::float8 / sum(chunks)::float8 FROM search_totals
          WHERE namespace = $1) AS "averageLength"
        FROM (SELECT * FROM search_chunks ORDER BY words <@> to_bm25query($2, 'search_words')
          LIMIT $3) AS proposed
        WHERE namespace = $1`,
      [this.#namespace, Array.from(numbers, wordOf(this.#namespace)).join(' '), limit],
    );
    return { candidates: rows.map(toCandidate), averageLength: rows[0]?.averageLength ?? 0 };
  }

  search(query: EngineQuery) {
    return searchCandidates(this, query);
  }

  /** No-op: each change is already stored when its promise resolves. */
  async flush() {}

  async drop() {
    while (await this.#change(dropSome));
  }

  /**
   * Runs one change of a namespace at a time across all servers. Polls for the lock, so that
   * waiting does not occupy a connection.
   */
  #change<Result>(
    work: (query: Query<unknown>, namespace: string) => Promise<Result>,
  ): Promise<Result> {
    const isLocked = new KnowledgeError(
      'storage_unavailable',
      'Another server is changing this namespace. Retry in a moment.',
      { retryAfterSeconds: 5 },
    );
    const change = () =>
      this.#database.transact(async ({ query, tryLock }) => {
        if (!(await tryLock('searchNamespace', this.#namespace))) throw isLocked;
        return work(query, this.#namespace);
      });
    return retry(change, { ...lockPolls, isRetryable: (error) => error === isLocked });
  }
}

export class PostgresEngine implements SearchEngine {
  readonly isShared = true;
  readonly #database;

  /** @param database with the tables of `migrateSearch` */
  constructor(database: SearchDatabase) {
    this.#database = database;
  }

  async open(namespace: string): Promise<EngineIndex> {
    return new PostgresIndex(this.#database, namespace);
  }

  async retain(namespaces: ReadonlySet<string>) {
    const rows = await this.#database.query<{ namespace: string }>(
      'SELECT DISTINCT namespace FROM search_totals WHERE namespace <> ALL($1::text[])',
      [[...namespaces]],
    );
    for (const { namespace } of rows) await new PostgresIndex(this.#database, namespace).drop();
  }
}
