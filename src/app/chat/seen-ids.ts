/**
 * Which messages were answered already: a platform sends again what it is not sure of, and a captured request could be sent again by anybody.
 * The newest are kept, in two generations so that forgetting the oldest costs nothing; on disk they outlive the process.
 */
import { rename } from 'node:fs/promises';
import { LineFile, linesOf, parseLine } from '../../disk/line-file.ts';
import { systemErrorCode } from '../../errors.ts';

const usualGeneration = 10_000;

export class SeenIds {
  readonly #path: string;
  readonly #generation: number;
  readonly #file: LineFile;
  #older = new Set<string>();
  #newer = new Set<string>();

  /** @param path of JSON Lines @param generation ids that are kept at least, and half of what is kept at most */
  constructor(path: string, generation = usualGeneration) {
    this.#path = path;
    this.#generation = generation;
    this.#file = new LineFile(path);
  }

  get #olderPath(): string {
    return `${this.#path}.older`;
  }

  async open(): Promise<void> {
    this.#older = await idsOf(new LineFile(this.#olderPath));
    this.#newer = await idsOf(this.#file);
  }

  has(id: string): boolean {
    return this.#newer.has(id) || this.#older.has(id);
  }

  /** Known from now on; resolves when it is with the system. */
  async add(ids: readonly string[]): Promise<void> {
    const isFull = this.#newer.size >= this.#generation;
    if (isFull) [this.#older, this.#newer] = [this.#newer, new Set()];
    for (const id of ids) this.#newer.add(id);
    // What is being appended meanwhile may be in either file: both are read.
    if (isFull) await rename(this.#path, this.#olderPath).catch(unlessMissing);
    await Promise.all(ids.map((id) => this.#file.append(JSON.stringify({ id }))));
  }
}

function unlessMissing(error: unknown): void {
  if (systemErrorCode(error) !== 'ENOENT') throw error;
}

async function idsOf(file: LineFile): Promise<Set<string>> {
  const ids = linesOf(await file.read()).map((line) => parseLine(line)?.['id']);
  return new Set(ids.filter((id) => typeof id === 'string'));
}
