/**
 * A model's reply → the answer that a caller reads: each sentence checked against the passages of this request, citations resolved and
 * renumbered here, `Sources:` written here. What no passage supports is dropped; if nothing remains, the documents do not hold it.
 */
import { type Unit, units } from '../text/units.ts';
import type { Snippet } from '../types.ts';
import { findSupport, type Support } from './support.ts';
import { noAnswer } from './turn-prompt.ts';

/** A span of a stored document that supports a sentence: `quote` is `slice(start, end)` of the stored file. */
export interface Citation {
  /** From 1, in the order of the answer's text; one for each passage. */
  readonly index: number;
  readonly snippet: Snippet;
  readonly quote: string;
  readonly start: number;
  readonly end: number;
}

export type AnswerReason = 'answered' | 'not_mentioned' | 'no_context';

export interface Answer {
  readonly reason: AnswerReason;
  readonly text: string;
  readonly citations: readonly Citation[];
}

/** An answer is short; a longer reply is cut after this many supported sentences. */
const maxSentences = 5;

const markers = /\s*\[\s*\d{1,3}(?:\s*,\s*\d{1,3})*\s*\]/g;
/** `… days. [1] Next` → `… days [1]. Next`, so that a marker belongs to the sentence it follows. */
const markerAfterStop = /([.!?。！？]["”')*_]*)((?:\s*\[\s*\d{1,3}(?:\s*,\s*\d{1,3})*\s*\])+)/g;
const image = /!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])/g;
const htmlTag = /<\/?[a-z!][^>]*>/gi;
const link = /\[([^\]]+)\]\(([^()\s]*(?:\([^()]*\))?[^()]*)\)/g;

export const silence: Answer = { reason: 'not_mentioned', text: '', citations: [] };

export const refusal = (namespace: string): Answer => ({
  reason: 'no_context',
  text: `The documents in "${namespace}" do not say anything about that. If there is a page or file that does, ingest it into "${namespace}" and ask again.\n\nSources: none`,
  citations: [],
});

/** Context of a passage: what a reader knows from its title and headings. */
const contextOf = (snippet: Snippet) => [snippet.document.title, ...snippet.headingPath].join('\n');

/** Sentences of a reply with the passage numbers that each one points to. */
function sentencesOf(reply: string): { text: string; numbers: number[] }[] {
  const moved = reply.replace(image, '').replace(markerAfterStop, (_, stop: string, numbers: string) => `${numbers}${stop}`);
  return [...units(moved)].map((unit: Unit) => {
    const raw = moved.slice(unit.start, unit.end);
    const numbers = [...raw.matchAll(markers)].flatMap(([match]) => [...match.matchAll(/\d+/g)].map(([digits]) => Number(digits)));
    return { text: raw.replace(markers, '').trim(), numbers };
  });
}

/** A sentence as it may be shown: no HTML, and no link to anywhere but what its passage itself links to. */
const shown = (text: string, passage: string) =>
  text.replace(link, (whole, label: string, target: string) => (passage.includes(target) ? whole : label)).replace(htmlTag, (tag) => (passage.includes(tag) ? tag : ''));

interface Supported {
  readonly text: string;
  readonly position: number;
  readonly support: Support;
}

function supported(sentence: { text: string; numbers: number[] }, passages: readonly Snippet[]): Supported | undefined {
  if (sentence.text === '' || sentence.text.includes(noAnswer)) return undefined;
  const candidates = sentence.numbers.length > 0 ? sentence.numbers.map((number) => number - 1) : passages.map((_, position) => position);
  let best: Supported | undefined;
  for (const position of candidates) {
    const passage = passages[position];
    if (!passage) continue;
    const text = shown(sentence.text, passage.text);
    const support = findSupport(text, passage.text, contextOf(passage));
    if (support && support.score > (best?.support.score ?? 0)) best = { text, position, support };
  }
  return best;
}

/** Checks a reply against the passages that it was written from, in the order in which the model saw them. */
export function groundReply(reply: string, passages: readonly Snippet[], namespace: string): Answer {
  const kept = sentencesOf(reply)
    .map((sentence) => supported(sentence, passages))
    .filter((sentence) => sentence !== undefined)
    .slice(0, maxSentences);
  if (kept.length === 0) return refusal(namespace);

  /** Passage position → the span that all its sentences need together. */
  const spans = new Map<number, { start: number; end: number }>();
  for (const { position, support } of kept) {
    const span = spans.get(position);
    spans.set(position, { start: Math.min(span?.start ?? support.start, support.start), end: Math.max(span?.end ?? 0, support.end) });
  }
  const numbers = new Map([...spans.keys()].map((position, order) => [position, order + 1]));
  const citations = [...spans].flatMap(([position, { start, end }], order): Citation[] => {
    const snippet = passages[position];
    if (!snippet) return [];
    return [{ index: order + 1, snippet, quote: snippet.text.slice(start, end), start: snippet.start + start, end: snippet.start + end }];
  });
  const body = kept.map(({ text, position }) => `${text} [${numbers.get(position)}]`).join(' ');
  return { reason: 'answered', text: `${body}\n\nSources:\n${citations.map(sourceLine).join('\n')}`, citations };
}

/** Nothing in a title can open a link, end the line or look like another source. */
const plainLabel = (text: string) => text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').replace(/[[\]()<>`*_|\\]/g, '').replace(/\s+/g, ' ').trim();

function targetOf({ snippet }: Citation): string {
  const { kind, source, file } = snippet.document;
  if (kind !== 'url' || !URL.canParse(source)) return plainLabel(kind === 'file' ? source : file) || file;
  const url = new URL(source);
  if (snippet.anchor !== null) url.hash = snippet.anchor;
  return url.href.replace(/\(/g, '%28').replace(/\)/g, '%29');
}

export function sourceLine(citation: Citation): string {
  const { document, headingPath } = citation.snippet;
  const path = headingPath[0] === document.title ? headingPath : [document.title, ...headingPath];
  const label = path.map(plainLabel).filter((part) => part !== '').join(' › ');
  return `[${citation.index}] ${label} (${targetOf(citation)})`;
}
