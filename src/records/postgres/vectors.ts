/**
 * Vectors by model and text, shared by all servers of a database. A row without a vector is a claim
 * to embed its text.
 */
import { CircuitBreaker } from '../../../packages/shared/src/concurrency/circuit-breaker.ts';
import type { SharedVectors } from '../../search/vectors/shared-vectors.ts';
import type { Database } from './database.ts';

export const vectorTables = `
  CREATE TABLE vectors (
    model text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, vector bytea,
    claimed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (model, key));`;

const selectVectors =
  'SELECT key, vector FROM vectors WHERE model = $1 AND key = ANY($2::text[]) AND vector IS NOT NULL';
/** Ordered by key, as in `insertVectors`, to avoid deadlocks. */
const insertClaims = `
  INSERT INTO vectors (model, key) SELECT $1, key FROM unnest($2::text[]) AS wanted (key)
    ORDER BY key COLLATE "C"
  ON CONFLICT (model, key) DO UPDATE SET claimed_at = now()
    WHERE vectors.vector IS NULL AND vectors.claimed_at < now() - interval '1 minute'
  RETURNING key`;
const insertVectors = `
  INSERT INTO vectors (model, key, vector)
  SELECT $1, key, vector FROM unnest($2::text[], $3::bytea[]) AS embedded (key, vector)
    ORDER BY key COLLATE "C"
  ON CONFLICT (model, key) DO UPDATE SET vector = excluded.vector`;
const deleteClaims =
  'DELETE FROM vectors WHERE model = $1 AND key = ANY($2::text[]) AND vector IS NULL';
const deleteVectors = 'DELETE FROM vectors WHERE model = $1 AND key = ANY($2::text[])';

const toBytes = ({ buffer, byteOffset, byteLength }: Float32Array) =>
  Buffer.from(buffer, byteOffset, byteLength);
/** Copies, because Float32Array needs an offset divisible by four. */
const toVector = (bytes: Buffer) => new Float32Array(Uint8Array.from(bytes).buffer);

export class PostgresVectors implements SharedVectors {
  readonly #query;
  readonly #model;
  readonly #breaker;

  /** @param onWarning called once per outage */
  constructor(
    { query }: Pick<Database, 'query'>,
    model: string,
    onWarning: (message: string, error: unknown) => void,
  ) {
    this.#query = query;
    this.#model = model;
    const warning =
      'The shared vectors are unreachable. Until they are back, each server embeds texts itself.';
    const onOpen = (error: unknown) => onWarning(warning, error);
    this.#breaker = new CircuitBreaker({ pauseMs: 0, onOpen });
  }

  async claim(keys: readonly string[]) {
    const found = new Map<string, Float32Array>();
    let claimed = new Set(keys);
    await this.#unlessAway(async () => {
      type Row = { key: string; vector: Buffer };
      for (const { key, vector } of await this.#query<Row>(selectVectors, [this.#model, keys]))
        found.set(key, toVector(vector));
      const missing = keys.filter((key) => !found.has(key));
      claimed = new Set(missing);
      if (missing.length === 0) return;
      const rows = await this.#query<Omit<Row, 'vector'>>(insertClaims, [this.#model, missing]);
      claimed = new Set(rows.map(({ key }) => key));
    });
    return { found, claimed };
  }

  settle(claimed: readonly string[], vectors: ReadonlyMap<string, Float32Array>) {
    return this.#unlessAway(async () => {
      const values = [[...vectors.keys()], [...vectors.values()].map(toBytes)];
      if (vectors.size > 0) await this.#query(insertVectors, [this.#model, ...values]);
      const left = claimed.filter((key) => !vectors.has(key));
      if (left.length > 0) await this.#query(deleteClaims, [this.#model, left]);
    });
  }

  async forget(keys: readonly string[]) {
    if (keys.length > 0)
      await this.#unlessAway(() => this.#query(deleteVectors, [this.#model, keys]));
  }

  async #unlessAway(work: () => Promise<unknown>) {
    await this.#breaker.run(work).catch(() => undefined);
  }
}
