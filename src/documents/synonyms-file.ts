/**
 * An operator's own synonyms of a namespace, `.synonyms.txt` in its folder, in the form that Solr and Elasticsearch read: a group a line
 * (`pto, paid time off`), `=>` for one way (`handy => mobile phone`), `#` for comments. Lines that cannot be used are warned about by
 * their number, and the others are.
 */
import { type SynonymRule, Thesaurus } from '../language/synonyms.ts';
import type { DocumentStore, FileStamp } from './document-store.ts';
import { synonymsFileName } from './namespace-name.ts';

/** Bytes. Some ten thousand lines; a larger file is not read. */
const maxBytes = 262_144;
/** Rules: each is kept as stems for each language, some kilobyte. */
const maxRules = 5_000;
/** Of a line. With more, and with longer ones, it is no synonym but a text that came here by mistake. */
const maxEntries = 50;
const maxWords = 6;
/** Line numbers that one warning names. */
const maxNamed = 10;

const withoutComment = (line: string): string => line.replace(/(?:^|\s)#.*$/, '').trim();

const entriesOf = (side: string): string[] => side.split(',').flatMap((entry) => entry.trim() || []);

const isUsable = (entries: readonly string[]): boolean =>
  entries.length > 0 &&
  entries.length <= maxEntries &&
  entries.every((entry) => entry.split(/\s+/).length <= maxWords && /[\p{L}\p{N}]/u.test(entry));

/** Undefined for a line that cannot be used. */
function parseRule(line: string): SynonymRule | undefined {
  const sides = line.split('=>').map(entriesOf);
  const [from = [], to = from] = sides;
  const isRule = sides.length <= 2 && (sides.length === 2 || from.length > 1);
  return isRule && isUsable(from) && isUsable(to) ? { from, to } : undefined;
}

/** Rules in the order of their lines, and the numbers of lines that are none, from 1. */
export function parseSynonyms(text: string): { readonly rules: readonly SynonymRule[]; readonly unusable: readonly number[] } {
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

export function createSynonymsFile(
  store: Pick<DocumentStore, 'stampNow' | 'read'>,
  namespace: string,
  onWarning: (message: string, error: unknown) => void,
) {
  const name = `${namespace}/${synonymsFileName}`;
  let known: FileStamp | undefined;
  let thesaurus: Thesaurus | undefined;
  /** It is read again at each look, and warned about once. */
  let isUnreadable = false;

  async function read(stamp: FileStamp): Promise<Thesaurus | undefined> {
    if (Number(stamp.split('.')[0]) > maxBytes) {
      onWarning(`${name} is larger than ${maxBytes} bytes and is not read.`, undefined);
      return undefined;
    }
    const { rules, unusable } = parseSynonyms((await store.read(namespace, synonymsFileName))?.text ?? '');
    if (unusable.length > 0) {
      const more = unusable.length > maxNamed ? ` and ${unusable.length - maxNamed} more` : '';
      onWarning(`${name}: these lines are no synonyms and are left out: ${unusable.slice(0, maxNamed).join(', ')}${more}.`, undefined);
    }
    return rules.length > 0 ? new Thesaurus(rules) : undefined;
  }

  return {
    /** Undefined where there is none. */
    current: () => thesaurus,
    async refresh(): Promise<void> {
      try {
        const stamp = store.stampNow(namespace, synonymsFileName);
        if (stamp === known && !isUnreadable) return;
        thesaurus = stamp === undefined ? undefined : await read(stamp);
        known = stamp;
        isUnreadable = false;
      } catch (error) {
        if (!isUnreadable) onWarning(`${name} could not be read.`, error);
        isUnreadable = true;
      }
    },
  };
}
