/** A passage of a request, prepared for the check. */
import { hash } from 'node:crypto';
import {
  type PlainPassage,
  toPlainPassage,
} from '../../../packages/grounding/src/plain-passage.ts';
import { citedAt, type Document, type Passage } from '../../documents/document.ts';
import { isWebAddress, placeNames } from './sources.ts';

/** A text that is in no stored document, as a passage. */
export const passageOfText = (
  text: string,
  document: Pick<Document, 'id' | 'namespace' | 'file' | 'title'>,
): Passage => ({
  chunkId: document.id,
  text,
  score: 1,
  start: 0,
  end: text.length,
  headingPath: [],
  anchor: null,
  page: null,
  document: {
    ...document,
    source: document.file,
    kind: 'text',
    revision: `sha256-${hash('sha256', text)}`,
    bytes: Buffer.byteLength(text),
    textLanguage: 'en',
  },
});

type StoredPlace = Pick<Passage, 'document' | 'start' | 'end'>;
export const doOverlap = (a: StoredPlace, b: StoredPlace) =>
  a.document.id === b.document.id && a.start < b.end && b.start < a.end;

/** Shared by the prompt and the check of a request. */
const plainPassages = new WeakMap<Passage, PlainPassage>();

/** Rows say nothing without their header, so it is put before them; it has no place of its own. */
function toPlain({ text, tableHeader }: Passage): PlainPassage {
  const plain = toPlainPassage(text);
  if (!tableHeader) return plain;
  const header = toPlainPassage(tableHeader).text;
  const without = (at: number) => Math.max(0, at - header.length);
  return {
    text: `${header}${plain.text}`,
    storedSpan: (start, end) => plain.storedSpan(without(start), without(end)),
  };
}

export function plainPassageOf(passage: Passage) {
  const plain = plainPassages.get(passage) ?? toPlain(passage);
  plainPassages.set(passage, plain);
  return plain;
}

/** Converts an offset in the stored passage to an offset in its plain text. */
function plainOffset({ text, storedSpan }: PlainPassage, stored: number) {
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (storedSpan(middle, middle).start < stored) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sectionsOf(passage: Passage, plain: PlainPassage, position: number) {
  const starts = (passage.sections ?? []).map((section) =>
    plainOffset(plain, section.start - passage.start),
  );
  const from = [0, ...starts.slice(1)];
  return from.map((start, order) => {
    const end = from[order + 1] ?? plain.text.length;
    const context = placeNames(
      citedAt(passage, passage.sections?.[order]?.start ?? passage.start),
    ).join('\n');
    return {
      text: plain.text,
      context,
      language: passage.document.textLanguage,
      section: { start, end },
      passage: position,
    };
  });
}

export function toCheckedPassage(passage: Passage, position: number) {
  const plain = plainPassageOf(passage);
  const { source } = passage.document;
  return {
    plain,
    sections: sectionsOf(passage, plain, position),
    url: isWebAddress(source) ? source : undefined,
  };
}
