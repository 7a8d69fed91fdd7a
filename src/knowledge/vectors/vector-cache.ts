/**
 * Vectors of one model by the SHA-256 of what was embedded, in memory and on disk, shared by all namespaces: a text is embedded once,
 * however often it stands somewhere and however often the process starts. In memory in blocks of Float32Array: one array that grows
 * would hold everything twice while it is copied. A vector's place is the same in memory and in the file; a free one is used again.
 * Two processes on one file may lose each other's vectors, which are then made again; a wrong vector for a key does not come of it.
 */
import { KnowledgeError, systemErrorCode } from '../../errors.ts';
import { createVectorFile } from './vector-file.ts';

export interface VectorCache {
  /** Reads what is on disk. Call once, before anything else. */
  open(): Promise<void>;
  /** Length of the vectors; 0 until there is one. */
  readonly dimensions: number;
  has(key: string): boolean;
  /** Where the key's vector is, until `retain` lets go of it; undefined where there is none. */
  placeOf(key: string): number | undefined;
  /** Dot product of each vector and a query of `dimensions` numbers: their cosine, because all are of length 1. */
  scoresOf(places: Int32Array, query: Float32Array): Float64Array;
  /** Whether no more should be put in. */
  isFull(): boolean;
  /** @throws KnowledgeError `model_failed` where a vector cannot be compared with those that are there */
  check(vector: Float32Array): void;
  /**
   * There at once, on disk when it resolves; a disk that fails is a warning.
   * @throws KnowledgeError `model_failed` where the vectors are of another length than those that are there
   */
  add(vectors: ReadonlyMap<string, Float32Array>): Promise<void>;
  /** Forgets the vectors of all other keys, in memory at once, and on disk when it resolves. */
  retain(isHeld: (key: string) => boolean): Promise<void>;
}

export interface VectorCacheOptions {
  /** Of vector files alone. */
  readonly folder: string;
  readonly model: string;
  readonly onWarning: (message: string, error: unknown) => void;
}

/** Over all namespaces: 768 MB, 125,000 vectors of 1,536 numbers. */
const maxNumbers = 192_000_000;
const vectorsPerBlock = 1_024;

function dotProduct(query: Float32Array, vectors: Float32Array, from: number): number {
  let sum = 0;
  for (let at = 0; at < query.length; at++) sum += (query[at] as number) * (vectors[from + at] as number);
  return sum;
}

export function createVectorCache({ folder, model, onWarning }: VectorCacheOptions): VectorCache {
  const file = createVectorFile(folder, model);
  const places = new Map<string, number>();
  /** Per place; undefined: free. */
  const keys: (string | undefined)[] = [];
  const blocks: Float32Array[] = [];
  const free: number[] = [];
  let dimensions = 0;
  /** Whether the places of the file are those in memory. */
  let isFileAligned = false;
  let writing: Promise<void> = Promise.resolve();

  const vectorAt = (place: number): Float32Array => {
    const from = (place % vectorsPerBlock) * dimensions;
    return (blocks[Math.floor(place / vectorsPerBlock)] as Float32Array).subarray(from, from + dimensions);
  };

  const recordOf = (place: number) => {
    const key = keys[place];
    return key === undefined ? undefined : { key, vector: vectorAt(place) };
  };

  function put(key: string, vector: Float32Array): number {
    const place = free.pop() ?? keys.length;
    if (place === blocks.length * vectorsPerBlock) blocks.push(new Float32Array(vectorsPerBlock * dimensions));
    vectorAt(place).set(vector);
    keys[place] = key;
    places.set(key, place);
    return place;
  }

  async function write(changed: readonly number[]): Promise<void> {
    if (places.size === 0) return file.remove();
    const rewrite = () => file.replace(dimensions, keys.length, recordOf);
    const wasAligned = isFileAligned;
    // Before the write, because what happens meanwhile may take it back.
    isFileAligned = true;
    if (!wasAligned) return rewrite();
    await file.write(dimensions, changed, recordOf).catch((error: unknown) => {
      // Everything derived may be deleted at any time.
      if (systemErrorCode(error) === 'ENOENT') return rewrite();
      throw error;
    });
  }

  /** One write after another; each writes what the places hold by then. */
  function save(changed: number[]): Promise<void> {
    if (changed.length === 0) return writing;
    const inOrder = changed.sort((a, b) => a - b);
    writing = writing
      .then(() => write(inOrder))
      .catch((error: unknown) => {
        isFileAligned = false;
        onWarning('Vectors could not be written to disk; a restart will make them again.', error);
      });
    return writing;
  }

  function check(vector: Float32Array): void {
    if (vector.length === dimensions) return;
    throw new KnowledgeError(
      'model_failed',
      `The embedding model answers with ${vector.length} numbers where its kept vectors have ${dimensions}; removing the folder "vectors" in INDEX_DIR makes all of them again.`,
    );
  }

  return {
    check,
    async open() {
      await file.removeOthers();
      const loaded = await file.load((_, key, vector) => {
        dimensions = vector.length;
        if (!places.has(key)) put(key, vector);
      });
      // Free places are left out of memory; the first write gives the file the same order.
      isFileAligned = loaded !== undefined && loaded.places === keys.length;
    },
    get dimensions() {
      return dimensions;
    },
    has: (key) => places.has(key),
    placeOf: (key) => places.get(key),
    scoresOf(wanted, query) {
      const scores = new Float64Array(wanted.length);
      for (let index = 0; index < wanted.length; index++) {
        const place = wanted[index] as number;
        scores[index] = dotProduct(
          query,
          blocks[Math.floor(place / vectorsPerBlock)] as Float32Array,
          (place % vectorsPerBlock) * dimensions,
        );
      }
      return scores;
    },
    isFull: () => places.size * dimensions >= maxNumbers,

    async add(vectors) {
      const changed: number[] = [];
      for (const [key, vector] of vectors) {
        if (places.size === 0) dimensions = vector.length;
        check(vector);
        if (!places.has(key)) changed.push(put(key, vector));
      }
      await save(changed);
    },

    async retain(isHeld) {
      const freed: number[] = [];
      for (const [key, place] of places) {
        if (isHeld(key)) continue;
        places.delete(key);
        keys[place] = undefined;
        vectorAt(place).fill(0);
        freed.push(place);
      }
      free.push(...freed);
      if (places.size === 0) {
        keys.length = 0;
        blocks.length = 0;
        free.length = 0;
        isFileAligned = false;
      }
      await save(freed);
    },
  };
}
