/**
 * The operator's synonyms for a namespace: `.synonyms.txt` in its folder, in the format of Solr and
 * Elasticsearch. Each line is a group (`pto, paid time off`) or one-way (`handy => mobile phone`);
 * `#` starts a comment. Invalid lines are skipped with a warning.
 */
import { type SynonymRule, Thesaurus } from '../../packages/shared/src/language/synonyms.ts';
import { type DocumentStore, type FileStamp, sizeIn } from './document-store.ts';
import { synonymsFileName } from './namespace-name.ts';

/** About ten thousand lines. */
const maxBytes = 262_144;
/** Each rule takes about a kilobyte: its stems in each language. */
const maxRules = 5_000;
/** Maximum entries per line and words per entry; a longer line is probably ordinary text. */
const maxEntries = 50;
const maxWords = 6;
const maxListedLines = 10;

const withoutComment = (line: string) => line.replace(/(?:^|\s)#.*$/, '').trim();

const entriesOf = (side: string) => side.split(',').flatMap((entry) => entry.trim() || []);

const isUsable = (entries: readonly string[]) =>
  entries.length > 0 &&
  entries.length <= maxEntries &&
  entries.every((entry) => entry.split(/\s+/).length <= maxWords && /[\p{L}\p{N}]/u.test(entry));

function parseRule(line: string) {
  const sides = line.split('=>').map(entriesOf);
  const [from = [], to = from] = sides;
  const isRule = sides.length <= 2 && (sides.length === 2 || from.length > 1);
  return isRule && isUsable(from) && isUsable(to) ? { from, to } : undefined;
}

/** Returns the rules and the numbers of invalid lines, from 1. */
export function parseSynonyms(text: string): {
  readonly rules: readonly SynonymRule[];
  readonly unusable: readonly number[];
} {
  const rules: SynonymRule[] = [];
  const unusable: number[] = [];
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  for (const [index, line] of lines.map(withoutComment).entries()) {
    const rule = rules.length < maxRules ? parseRule(line) : undefined;
    if (rule) rules.push(rule);
    else if (line !== '') unusable.push(index + 1);
  }
  return { rules, unusable };
}

export class SynonymsFile {
  /** Undefined if the file is missing or has no rules. */
  current: Thesaurus | undefined;
  readonly #store;
  readonly #namespace;
  readonly #onWarning: (message: string, error?: unknown) => void;
  #known: FileStamp | undefined;
  /** After a failure, each refresh reads the file again without another warning. */
  #isUnreadable = false;

  constructor(
    store: Pick<DocumentStore, 'stampNow' | 'read'>,
    namespace: string,
    onWarning: (message: string, error?: unknown) => void,
  ) {
    this.#store = store;
    this.#namespace = namespace;
    this.#onWarning = (message, error) =>
      onWarning(`${namespace}/${synonymsFileName}${message}`, error);
  }

  /** Reads the file if it has changed. */
  async refresh() {
    try {
      const stamp = this.#store.stampNow(this.#namespace, synonymsFileName);
      if (stamp === this.#known && !this.#isUnreadable) return;
      this.current = stamp === undefined ? undefined : await this.#read(stamp);
      this.#known = stamp;
      this.#isUnreadable = false;
    } catch (error) {
      if (!this.#isUnreadable) this.#onWarning(' could not be read.', error);
      this.#isUnreadable = true;
    }
  }

  async #read(stamp: FileStamp) {
    if (sizeIn(stamp) > maxBytes) {
      this.#onWarning(` is larger than ${maxBytes} bytes, so it is not used.`);
      return undefined;
    }
    const text = (await this.#store.read(this.#namespace, synonymsFileName))?.text ?? '';
    const { rules, unusable } = parseSynonyms(text);
    const listed = unusable.slice(0, maxListedLines).join(', ');
    const more = unusable.length - maxListedLines;
    if (unusable.length > 0)
      this.#onWarning(
        `: these lines are not valid synonyms and are skipped: ${listed}${more > 0 ? ` and ${more} more` : ''}.`,
      );
    return rules.length > 0 ? new Thesaurus(rules) : undefined;
  }
}
