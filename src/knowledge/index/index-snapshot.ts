/**
 * Packed lists as parts that are written and read one after another, none larger than some megabytes: neither writing nor reading ever
 * holds them twice.
 */
import type { PackedLists, StoredDocument } from './chunk-lists.ts';
import { Vocabulary } from './vocabulary.ts';

const entriesPerPart = 500_000;
const namesPerPart = 20_000;

const arrays = ['titleCounts', 'headingCounts', 'starts', 'terms', 'liveCounts'] as const;
type ArrayName = (typeof arrays)[number];

interface Head {
  readonly lengths: Readonly<Record<ArrayName, number>>;
  readonly names: number;
  readonly documents: number;
}

function* slices<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

export function* toParts({ vocabulary, documents, ...chunks }: PackedLists): Generator<unknown> {
  const { liveCounts } = vocabulary;
  const held = { ...chunks, liveCounts: liveCounts.values.subarray(0, liveCounts.length) };
  const names = [...vocabulary].map(([term]) => term);
  const lengths = Object.fromEntries(arrays.map((name) => [name, held[name].length])) as Head['lengths'];
  yield { lengths, names: names.length, documents: documents.length } satisfies Head;
  yield* slices(names, namesPerPart);
  yield* slices(documents, namesPerPart);
  for (const name of arrays) {
    // A copy: what is written of a view is all of its memory.
    for (let from = 0; from < held[name].length; from += entriesPerPart) yield held[name].slice(from, from + entriesPerPart);
  }
}

/** @param next gives the parts in their order */
export async function fromParts(next: () => Promise<unknown>): Promise<PackedLists> {
  const head = (await next()) as Head;
  const listOf = async <Item>(length: number): Promise<Item[]> => {
    const items: Item[] = [];
    while (items.length < length) for (const item of (await next()) as readonly Item[]) items.push(item);
    return items;
  };
  const fill = async <Kind extends Uint16Array | Uint32Array>(values: Kind): Promise<Kind> => {
    for (let at = 0; at < values.length; ) {
      const part = (await next()) as Kind;
      values.set(part, at);
      at += part.length;
    }
    return values;
  };
  const vocabulary = new Vocabulary();
  for (const term of await listOf<string>(head.names)) vocabulary.add(term);
  const documents = await listOf<StoredDocument>(head.documents);
  const titleCounts = await fill(new Uint16Array(head.lengths.titleCounts));
  const headingCounts = await fill(new Uint16Array(head.lengths.headingCounts));
  const starts = await fill(new Uint32Array(head.lengths.starts));
  const terms = await fill(new Uint32Array(head.lengths.terms));
  vocabulary.liveCounts.values.set(await fill(new Uint32Array(head.lengths.liveCounts)));
  return { vocabulary, documents, titleCounts, headingCounts, starts, terms };
}
