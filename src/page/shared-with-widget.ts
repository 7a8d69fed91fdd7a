/** Parts of the page that the chat widget uses too. */
import type { CitedPlace } from './openapi.d.ts';

/** A random id of 128 bits. `crypto.randomUUID` exists only on https pages. */
export const randomId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');

/** Calls the function with the tab's storage. Some browsers deny it, for example in a frame. */
export function withStorage<Result>(use: (storage: Storage) => Result): Result | undefined {
  try {
    return use(sessionStorage);
  } catch {
    return undefined;
  }
}

/** Whether a key belongs to an input method. Safari reports its Enter only by the code 229. */
export const isComposing = (event: KeyboardEvent) => event.isComposing || event.keyCode === 229;

export const thumbShape =
  'M14 9V5a3 3 0 0 0-3-3l-4 9v11h11.3a2 2 0 0 0 2-1.7l1.4-9a2 2 0 0 0-2-2.3zM7 22H4a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2h3';

type Section = Pick<CitedPlace, 'title' | 'headingPath'>;

export const pathOf = ({ title, headingPath }: Section) =>
  [title, ...headingPath.filter((heading) => heading !== title)].join(' › ');

/** Citations by their document, in the order of the answer. */
export const byDocument = (citations: readonly CitedPlace[]): CitedPlace[][] => [
  ...Map.groupBy(citations, ({ documentId }) => documentId).values(),
];

export const bodyOf = (text: string) => text.split('\n\nSources:')[0] ?? '';

/** The answer without the heading of its only section, which its source line names. */
export function shownText(text: string, citations: readonly Section[] = []): string {
  const [only = '', ...others] = new Set(citations.map(pathOf));
  const body = bodyOf(text);
  return others.length === 0 ? body.replace(`**${only}**\n\n`, '') : body;
}
