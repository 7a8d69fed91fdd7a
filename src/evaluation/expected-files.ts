/** Which document an entry of `files` means: by its file below the namespace's folder, by its title, or by its source. */
import type { Question } from './questions.ts';

export interface Place {
  readonly file: string;
  readonly title: string;
  readonly source: string;
}

const pathOf = (entry: string) => entry.trim().replaceAll('\\', '/').replace(/^\.\//, '');
/** A fragment or a slash at the end leads to the same page. */
const sourceOf = (entry: string) => (URL.canParse(entry) ? entry.trim().replace(/#.*$/, '').replace(/\/$/, '') : entry.trim());

export const isMeant = (entry: string, { file, title, source }: Place): boolean =>
  pathOf(entry) === file || entry.trim().toLowerCase() === title.toLowerCase() || sourceOf(entry) === sourceOf(source);

/** Entries that mean none of their namespace's documents, each with the lines that have it: a slip, or a document that is missing. */
export function unknownFiles(
  questions: readonly Question[],
  documents: ReadonlyMap<string, readonly Place[]>,
): { readonly namespace: string; readonly entry: string; readonly lines: readonly number[] }[] {
  const unknown = new Map<string, { namespace: string; entry: string; lines: number[] }>();
  for (const { namespace, files, line } of questions) {
    for (const entry of files) {
      const name = JSON.stringify([namespace, entry]);
      const found = unknown.get(name);
      if (found) found.lines.push(line);
      else if (!documents.get(namespace)?.some((place) => isMeant(entry, place))) unknown.set(name, { namespace, entry, lines: [line] });
    }
  }
  return [...unknown.values()];
}
