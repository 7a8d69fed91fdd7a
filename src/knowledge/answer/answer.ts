/**
 * A model's reply → the answer that a caller reads: each sentence checked against the passages of this request, citations resolved and
 * renumbered here, `Sources:` written here. What no passage supports is dropped; if nothing remains, the documents do not hold it.
 */
import { holdsActiveMarkup } from '../text/active-markup.ts';
import { type Unit, units } from '../text/units.ts';
import type { Snippet } from '../types.ts';
import { layOut } from './layout.ts';
import { createSupportFinder, type FindSupport, type Support } from './support.ts';
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
/** What lies beyond is not looked at: an answer of five sentences needs a fraction of it. */
const maxReplyChars = 20_000;
const maxExaminedSentences = 60;

const markers = /\s*\[\s*\d{1,3}(?:\s*,\s*\d{1,3})*\s*\]/g;
/** `… days. [1] Next` → `… days [1]. Next`, so that a marker belongs to the sentence it follows. */
const markerAfterStop = /([.!?。！？]["”')*_]*)((?:\s*\[\s*\d{1,3}(?:\s*,\s*\d{1,3})*\s*\])+)/g;
const link = /\[([^[\]]{1,300})\]\(([^()\s]{0,2000}(?:\([^()]{0,300}\))?[^()]{0,300})\)/g;
/** A list of sources of the model's own; ours is the only one. */
const ownSources = /^[ \t>*_#]{0,6}(?:sources|references|quellen)[*_]{0,3}[ \t]*:/im;
/** No sentence that a person reads is longer. */
const maxSentenceChars = 1_200;

export const silence: Answer = { reason: 'not_mentioned', text: '', citations: [] };

export const refusal = (namespace: string): Answer => ({
  reason: 'no_context',
  text: `The documents in "${namespace}" do not say anything about that. If there is a page or file that does, ingest it into "${namespace}" and ask again.\n\nSources: none`,
  citations: [],
});

/** What is said to a greeting or thanks: there was nothing to look up. */
export const courtesy = (namespace: string): Answer => ({
  reason: 'no_context',
  text: `Happy to help. Ask a question about the documents in "${namespace}", and the answer comes from them.\n\nSources: none`,
  citations: [],
});

/** Title and headings from the outermost, a title that is also the first heading once. */
const placeNames = ({ document, headingPath }: Snippet): readonly string[] =>
  headingPath[0] === document.title ? headingPath : [document.title, ...headingPath];

/** What a passage is called, for a model and in `Sources:`. */
export const labelOf = (snippet: Snippet): string =>
  placeNames(snippet)
    .map(plainLabel)
    .filter((part) => part !== '')
    .join(' › ');

interface Sentence {
  readonly text: string;
  /** Passages that it points to. */
  readonly numbers: number[];
  readonly kind: Unit['kind'];
  readonly marker: string | undefined;
}

/** Sentences of a reply with the passage numbers that each one points to. */
function sentencesOf(reply: string): Sentence[] {
  const moved = beforeSources(reply.slice(0, maxReplyChars)).replace(
    markerAfterStop,
    (_, stop: string, numbers: string) => `${numbers}${stop}`,
  );
  const sentences: Sentence[] = [];
  for (const { start, end, kind, marker } of units(moved)) {
    const raw = moved.slice(start, end);
    const numbers = kind === 'code' ? [] : [...raw.matchAll(markers)].flatMap(([match]) => [...match.matchAll(/\d+/g)].map(Number));
    const text = kind === 'code' ? raw : raw.replace(markers, '').trim();
    const last = sentences.at(-1);
    // Code cannot hold its marker: it stands below.
    if (text === '' && last?.kind === 'code') last.numbers.push(...numbers);
    else sentences.push({ text, numbers, kind, marker });
    if (sentences.length === maxExaminedSentences) break;
  }
  return sentences;
}

const beforeSources = (reply: string) => reply.slice(0, ownSources.exec(reply)?.index ?? reply.length);

/** A link is shown as one only where the passage has that very link. */
const withKnownLinks = (text: string, passage: string) =>
  text.replace(link, (whole, label: string) => (passage.includes(whole) ? whole : label));

interface CheckedPassage {
  readonly snippet: Snippet;
  readonly findSupport: FindSupport;
}

interface Supported {
  readonly text: string;
  readonly kind: Unit['kind'];
  readonly marker: string | undefined;
  readonly position: number;
  readonly support: Support;
}

function supported(sentence: Sentence, passages: readonly CheckedPassage[]): Supported | undefined {
  if (sentence.text === '' || sentence.text.length > maxSentenceChars || sentence.text.includes(noAnswer)) return undefined;
  const candidates = sentence.numbers.length > 0 ? sentence.numbers.map((number) => number - 1) : passages.map((_, position) => position);
  let best: Supported | undefined;
  for (const position of candidates) {
    const passage = passages[position];
    if (!passage) continue;
    const isCode = sentence.kind === 'code';
    const text = isCode ? sentence.text : withKnownLinks(sentence.text, passage.snippet.text);
    if (holdsActiveMarkup(text) || (text.includes('](') && !passage.snippet.text.includes(text))) continue;
    const support = passage.findSupport(text);
    // Code is right as a whole or not at all.
    if (isCode && !support?.isVerbatim) continue;
    if (support && support.score > (best?.support.score ?? 0))
      best = { text, kind: sentence.kind, marker: sentence.marker, position, support };
  }
  return best;
}

/** Checks a reply against the passages that it was written from, in the order in which the model saw them. */
export function groundReply(reply: string, passages: readonly Snippet[], namespace: string): Answer {
  const checked = passages.map(
    (snippet): CheckedPassage => ({
      snippet,
      findSupport: createSupportFinder(snippet.text, placeNames(snippet).join('\n'), snippet.document.textLanguage),
    }),
  );
  const kept: Supported[] = [];
  for (const sentence of sentencesOf(reply)) {
    const found = supported(sentence, checked);
    if (found) kept.push(found);
    if (kept.length === maxSentences) break;
  }
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
  const body = layOut(
    kept.map(({ text, kind, marker, position }) => ({
      text,
      kind,
      marker,
      index: numbers.get(position) ?? 0,
      passage: passages[position]?.text ?? '',
    })),
  );
  return { reason: 'answered', text: `${body}\n\nSources:\n${citations.map(sourceLine).join('\n')}`, citations };
}

/** Nothing in a title can open a link, end the line or look like another source. */
const plainLabel = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replace(/[[\]()<>`*_|\\]/g, '')
    .replace(/\s+/g, ' ')
    .trim();

function targetOf({ snippet }: Citation): string {
  const { kind, source, file } = snippet.document;
  if (kind !== 'url' || !URL.canParse(source)) return plainLabel(kind === 'file' ? source : file) || file;
  const url = new URL(source);
  // Readers of PDF open a page by this fragment (RFC 8118).
  if (snippet.page !== null) url.hash = `page=${snippet.page}`;
  else if (snippet.anchor !== null) url.hash = snippet.anchor;
  return url.href.replace(/\(/g, '%28').replace(/\)/g, '%29');
}

function sourceLine(citation: Citation): string {
  const { page } = citation.snippet;
  return `[${citation.index}] ${labelOf(citation.snippet)}${page === null ? '' : `, page ${page}`} (${targetOf(citation)})`;
}
