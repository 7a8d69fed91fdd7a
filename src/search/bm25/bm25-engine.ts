/**
 * In-process BM25 engine over typed arrays. Compacts when a third of the chunks is dead, without
 * blocking searches. Its files are only a cache: if a file is missing, damaged or of another
 * version, its documents must be indexed again.
 */
import { join } from 'node:path';
import { TimeSlicer } from '../../../packages/shared/src/concurrency/time-slicer.ts';
import { PartFiles } from '../../../packages/shared/src/disk/part-files.ts';
import { removeStrays } from '../../../packages/shared/src/disk/snapshot-file.ts';
import type { Language } from '../../../packages/shared/src/language/languages.ts';
import type {
  DocumentTerms,
  EngineDocument,
  EngineIndex,
  EngineQuery,
  SearchEngine,
} from '../search-engine.ts';
import { Uint32List } from './postings.ts';
import { Ranking } from './ranking.ts';
import { Segment, type SegmentPart, termsPerPart, type Vocabulary } from './segment.ts';

const maxDeadShare = 1 / 3;

/**
 * Estimate of text bytes per term. Low, so it reserves too much capacity; unused capacity costs no
 * memory.
 */
const bytesPerTerm = 4;

class Bm25Index implements EngineIndex {
  readonly #files: PartFiles | undefined;
  readonly #ranking = new Ranking();
  #segment = new Segment();
  /**
   * Cache of `#numbered`: `numbers` contains the term number of each of `words`, plus one; 0: not
   * yet looked up.
   */
  #mapped:
    | Readonly<{ words: readonly string[]; vocabulary: Vocabulary; numbers: Uint32List }>
    | undefined;

  /** @param folder folder for index files; undefined: in memory only */
  constructor(folder: string | undefined) {
    this.#files =
      folder === undefined
        ? undefined
        : new PartFiles({
            folder,
            maxWeight: termsPerPart,
            weightOf: (id) => this.#segment.lengthOf(id),
            contentOf: (ids) => this.#segment.parts(ids),
          });
  }

  async read(onDamaged: (error: unknown) => void) {
    const take = async (parts: AsyncIterable<unknown>) => {
      const ids: string[] = [];
      for await (const part of parts as AsyncIterable<SegmentPart>) {
        await this.#segment.addPart(part);
        ids.push(...part.documents.map(({ id }) => id));
      }
      return ids;
    };
    this.#segment.reserve(((await this.#files?.bytes()) ?? 0) / Uint32Array.BYTES_PER_ELEMENT);
    await this.#files?.read(take, onDamaged);
    // Marks documents of a truncated file as changed, so that they are saved again.
    for (const id of this.#segment.documents.keys())
      if (!this.#files?.has(id)) this.#files?.change(id);
  }

  async versions() {
    return new Map([...this.#segment.documents].map(([id, { version }]) => [id, version]));
  }

  reserve(bytes: number) {
    this.#segment.reserve(bytes / bytesPerTerm);
  }

  async upsert({ title, chunks, terms, ...document }: EngineDocument) {
    const numbered = terms
      ? { lengths: terms.lengths, terms: this.#numbered(terms) }
      : await this.#read(title, chunks, document.language);
    this.#files?.change(document.id);
    await this.#segment.add(document, numbered);
    await this.#compactIfNeeded();
  }

  async #read(title: string, chunks: EngineDocument['chunks'], language: Language) {
    const slicer = new TimeSlicer();
    const lengths: number[] = [];
    const terms = new Uint32List();
    for (const chunk of chunks) {
      lengths.push(...this.#segment.vocabulary.appendChunk(title, chunk, language, terms));
      await slicer.pause();
    }
    return { lengths: Uint32Array.from(lengths), terms: terms.view() };
  }

  /** Maps the numbers of a document's terms to those of this index, in place. */
  #numbered({ words, numbers }: DocumentTerms) {
    const { vocabulary } = this.#segment;
    if (this.#mapped?.words !== words || this.#mapped.vocabulary !== vocabulary)
      this.#mapped = { words, vocabulary, numbers: new Uint32List() };
    const known = this.#mapped.numbers;
    known.extend(Math.max(0, words.length - known.length));
    const { values } = known;
    for (let at = 0; at < numbers.length; at++) {
      const number = numbers[at] as number;
      if (values[number] === 0) values[number] = vocabulary.add(words[number] as string) + 1;
      numbers[at] = (values[number] as number) - 1;
    }
    return numbers;
  }

  async remove(...documentIds: string[]) {
    for (const id of documentIds) await this.#segment.remove(id);
    await this.#files?.erase(...documentIds);
    await this.#compactIfNeeded();
  }

  async statistics() {
    return { chunks: this.#segment.liveChunks, languages: [...this.#segment.languages.keys()] };
  }

  async documentFrequencies(terms: Iterable<string>) {
    const { vocabulary } = this.#segment;
    const frequencies = new Map<string, number>();
    for (const term of terms) {
      const holders = vocabulary.holders(term);
      if (holders > 0) frequencies.set(term, holders);
    }
    return frequencies;
  }

  async search(query: EngineQuery) {
    return this.#ranking.rank(query, this.#segment);
  }

  async flush() {
    if (!this.#files) return;
    this.#segment.vocabulary.clearCaches();
    this.#mapped = undefined;
    await this.#files.save();
  }

  async drop() {
    this.#segment = new Segment();
    await this.#files?.drop();
  }

  async #compactIfNeeded() {
    const { size, liveChunks } = this.#segment;
    if (size - liveChunks <= size * maxDeadShare) return;
    this.#segment = await Segment.of(this.#segment.parts());
  }
}

export class Bm25Engine implements SearchEngine {
  readonly #folder;
  readonly #onWarning;

  /**
   * @param folder must contain nothing else; has a subfolder per namespace. Undefined: in memory
   * only
   */
  constructor(
    folder?: string,
    onWarning: (message: string, error: unknown) => void = () => undefined,
  ) {
    this.#folder = folder;
    this.#onWarning = onWarning;
  }

  async open(namespace: string): Promise<EngineIndex> {
    const index = new Bm25Index(this.#folder && join(this.#folder, namespace));
    const damaged = `Index files of the namespace "${namespace}" are damaged. Its documents will be indexed again.`;
    await index.read((error) => this.#onWarning(damaged, error));
    return index;
  }

  async retain(namespaces: ReadonlySet<string>) {
    if (this.#folder) await removeStrays(this.#folder, namespaces);
  }
}
