/**
 * Checks every answer: citations match the stored text, and sentences match a retrieved passage.
 */
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { TestService } from './workspace.ts';

/** Sentences of an answer without citation marks, list marks, fences and table headers. */
export const sentencesOf = (body: string): string[] =>
  body
    .split(/\s*\[\d+\](?: \|)?/)
    .map((piece) => {
      const plain = piece
        .trim()
        .replace(/^- /, '')
        .replace(/^`{3,}\n|\n`{3,}$/g, '');
      // The heading path above a section is no quote.
      const quoted = plain.replace(/^\*\*.+\*\*\n\n/, '');
      return quoted.startsWith('|') ? (quoted.split('\n').at(-1) ?? '') : quoted;
    })
    .filter((piece) => piece !== '');

/** Markdown link; answers keep only links to sources. */
const link = /\[([^[\]]+)\]\([^()]*\)/g;

/** @param verbatim whether each sentence must occur in a passage word for word */
export async function expectProof(
  service: Pick<TestService, 'storedText'>,
  body: any,
  verbatim: boolean,
): Promise<void> {
  for (const place of [
    ...body.citations,
    ...body.toolResults.flatMap((call: any) => call.result.results),
  ]) {
    const stored = await service.storedText(body.namespace, place.file);
    expect(stored.slice(place.start, place.end)).toBe(place.quote ?? place.text);
    expect(place.revision).toBe(`sha256-${createHash('sha256').update(stored).digest('hex')}`);
  }
  if (!body.answered) return;
  const passages: any[] = body.toolResults[0].result.results;
  for (const citation of body.citations) {
    expect(
      passages.some(
        (passage) =>
          passage.file === citation.file &&
          passage.start <= citation.start &&
          passage.end >= citation.end,
      ),
    ).toBe(true);
  }
  const [answer, sources] = body.text.split('\n\nSources:\n');
  const documents = new Set(body.citations.map(({ documentId }: any) => documentId));
  expect(sources.split('\n')).toHaveLength(documents.size);
  if (!verbatim) return;
  const sentences = sentencesOf(answer);
  expect(sentences.length).toBeGreaterThan(0);
  for (const sentence of sentences)
    expect(
      passages.some((passage) =>
        passage.text.replace(link, '$1').includes(sentence.replace(link, '$1')),
      ),
      sentence,
    ).toBe(true);
}
