/**
 * The documents of a namespace as they are shown. A title that three or more of them have says nothing (a product's name above every page),
 * so each of these is shown as the first of its other names that is its alone. Of two, the one that was there first keeps it: a document
 * that takes another's title changes nothing about the other.
 */
import { fold } from '../language/languages.ts';

interface Titled {
  readonly document: { readonly id: string; readonly title: string; readonly file: string; readonly source: string };
  /** What it may be called, best first, its own title before all; each once. */
  readonly titles: readonly string[];
}

const keyOf = ({ titles, document }: Titled) => (titles[0] ?? document.title).toLowerCase();

const byFile = (a: Titled, b: Titled) => (a.document.file < b.document.file ? -1 : 1);

export class TitledEntries<Entry extends Titled> {
  readonly #ageOf: (entry: Entry) => string;
  readonly #entries = new Map<string, Entry>();
  /** Documents that have a title, and how many could be called by a name; in lower case. */
  readonly #byTitle = new Map<string, Set<Entry>>();
  readonly #byName = new Map<string, number>();
  /** As they are shown, and what a query is looked for in: worked out once until an entry comes or goes, because many pages are read of one list. */
  #sorted: readonly Entry[] | undefined;
  #texts: readonly string[] | undefined;

  /** @param ageOf when a document came, in a form that sorts; the same for all where that is not known */
  constructor(initial: Iterable<Entry> = [], ageOf: (entry: Entry) => string = () => '') {
    this.#ageOf = ageOf;
    for (const entry of initial) this.put(entry);
  }

  get size(): number {
    return this.#entries.size;
  }

  get(id: string): Entry | undefined {
    const entry = this.#entries.get(id);
    return entry && this.#shown(entry);
  }

  values(): Iterable<Entry> {
    return this.#entries.values().map((entry) => this.#shown(entry));
  }

  /**
   * In the order of their files.
   * @param query words, each of which stands in the title, the file or the source; case and accents do not count
   */
  sorted(query = ''): readonly Entry[] {
    this.#sorted ??= [...this.values()].sort(byFile);
    const words = query.split(/\s+/).filter(Boolean).map(fold);
    if (words.length === 0) return this.#sorted;
    this.#texts ??= this.#sorted.map(({ document: { title, file, source } }) => fold([title, file, source].join('\n')));
    const texts = this.#texts;
    return this.#sorted.filter((_, at) => words.every((word) => texts[at]?.includes(word)));
  }

  put(entry: Entry): void {
    this.remove(entry.document.id);
    this.#forgetSorted();
    this.#entries.set(entry.document.id, entry);
    this.#byTitle.set(keyOf(entry), this.#holdersOf(entry).add(entry));
    this.#count(entry, 1);
  }

  /** Whether there was one. */
  remove(id: string): boolean {
    const entry = this.#entries.get(id);
    if (!entry) return false;
    this.#forgetSorted();
    const holders = this.#holdersOf(entry);
    holders.delete(entry);
    if (holders.size === 0) this.#byTitle.delete(keyOf(entry));
    this.#count(entry, -1);
    return this.#entries.delete(id);
  }

  #forgetSorted(): void {
    this.#sorted = undefined;
    this.#texts = undefined;
  }

  #holdersOf(entry: Entry): Set<Entry> {
    return this.#byTitle.get(keyOf(entry)) ?? new Set();
  }

  #count({ titles }: Entry, change: 1 | -1): void {
    for (const name of titles) {
      const key = name.toLowerCase();
      const next = (this.#byName.get(key) ?? 0) + change;
      if (next > 0) this.#byName.set(key, next);
      else this.#byName.delete(key);
    }
  }

  #keepsTitle(entry: Entry): boolean {
    const holders = this.#holdersOf(entry);
    if (holders.size < 2) return true;
    const placeOf = (one: Entry) => `${this.#ageOf(one)}\n${one.document.file}`;
    return holders.size < 2 || (holders.size === 2 && [...holders].every((one) => placeOf(entry) <= placeOf(one)));
  }

  #shown(entry: Entry): Entry {
    const { document, titles } = entry;
    const [own = document.title] = titles;
    const isAlone = (name: string) => this.#byName.get(name.toLowerCase()) === 1;
    const title = this.#keepsTitle(entry) ? own : (titles.find(isAlone) ?? titles.at(-1) ?? own);
    return title === document.title ? entry : { ...entry, document: { ...document, title } };
  }
}
