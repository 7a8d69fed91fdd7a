/**
 * Displayed titles of documents. If three or more share a title (a product's name above every
 * page), each shows its first unique alternative title. If two share it, the older one keeps it, so
 * that a new document cannot change the title of another.
 */
import { fold } from '../../packages/shared/src/language/languages.ts';

type Titled = Readonly<{
  document: Readonly<Record<'id' | 'title' | 'file' | 'source', string>>;
  /** Distinct alternative titles, best first, beginning with its own title. */
  titles: readonly string[];
}>;

const keyOf = ({ titles, document }: Titled) => (titles[0] ?? document.title).toLowerCase();

const byFile = (a: Titled, b: Titled) => (a.document.file < b.document.file ? -1 : 1);

export class TitledEntries<Entry extends Titled> {
  readonly #ageOf;
  readonly #entries = new Map<string, Entry>();
  /** Title in lower case → documents. */
  readonly #byTitle = new Map<string, Set<Entry>>();
  /** Alternative title in lower case → number of documents. */
  readonly #byName = new Map<string, number>();
  /**
   * Sorted entries and their searchable texts, cached until an entry changes: callers read many
   * pages of one list.
   */
  #sorted: readonly Entry[] | undefined;
  #texts: readonly string[] | undefined;

  /** @param ageOf sortable time at which a document was added */
  constructor(ageOf: (entry: Entry) => string) {
    this.#ageOf = ageOf;
  }

  get size() {
    return this.#entries.size;
  }

  get(id: string) {
    const entry = this.#entries.get(id);
    return entry && this.#shown(entry);
  }

  values(): Iterable<Entry> {
    return this.#entries.values().map((entry) => this.#shown(entry));
  }

  /**
   * Sorted by file. @param query every word must appear in the title, file or source, regardless of
   * case and accents
   */
  sorted(query = ''): readonly Entry[] {
    this.#sorted ??= [...this.values()].sort(byFile);
    const words = query.split(/\s+/).filter(Boolean).map(fold);
    if (words.length === 0) return this.#sorted;
    this.#texts ??= this.#sorted.map(({ document: { title, file, source } }) =>
      fold([title, file, source].join('\n')),
    );
    const texts = this.#texts;
    return this.#sorted.filter((_, at) => words.every((word) => texts[at]?.includes(word)));
  }

  put(entry: Entry) {
    this.remove(entry.document.id);
    this.#forgetSorted();
    this.#entries.set(entry.document.id, entry);
    this.#byTitle.set(keyOf(entry), this.#holdersOf(entry).add(entry));
    this.#count(entry, 1);
  }

  remove(id: string) {
    const entry = this.#entries.get(id);
    if (!entry) return false;
    this.#forgetSorted();
    const holders = this.#holdersOf(entry);
    holders.delete(entry);
    if (holders.size === 0) this.#byTitle.delete(keyOf(entry));
    this.#count(entry, -1);
    return this.#entries.delete(id);
  }

  #forgetSorted() {
    this.#sorted = undefined;
    this.#texts = undefined;
  }

  #holdersOf(entry: Entry) {
    return this.#byTitle.get(keyOf(entry)) ?? new Set();
  }

  #count({ titles }: Entry, change: 1 | -1) {
    for (const name of titles) {
      const key = name.toLowerCase();
      const next = (this.#byName.get(key) ?? 0) + change;
      if (next > 0) this.#byName.set(key, next);
      else this.#byName.delete(key);
    }
  }

  #keepsTitle(entry: Entry) {
    const holders = this.#holdersOf(entry);
    if (holders.size < 2) return true;
    const placeOf = (one: Entry) => `${this.#ageOf(one)}\n${one.document.file}`;
    return holders.size === 2 && [...holders].every((one) => placeOf(entry) <= placeOf(one));
  }

  #shown(entry: Entry) {
    const { document, titles } = entry;
    const [own = document.title] = titles;
    const isUnique = (name: string) => this.#byName.get(name.toLowerCase()) === 1;
    const title = this.#keepsTitle(entry) ? own : (titles.find(isUnique) ?? titles.at(-1) ?? own);
    return title === document.title ? entry : { ...entry, document: { ...document, title } };
  }
}
