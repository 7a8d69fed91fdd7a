/**
 * What a caller means by a source. A string that begins with http:// or https:// is a URL; one word that has a slash or a known
 * file extension is a path; anything else is the text itself.
 */
import type { Source } from '../types.ts';

/** A source on the wire. */
export type SourceInput =
  | string
  | { readonly url: string }
  | { readonly path: string }
  | { readonly text: string; readonly title?: string | undefined };

const knownExtension = /\.(md|mdx|markdown|txt|text|html?|xhtml|pdf|docx?|csv|tsv|json|jsonl|ya?ml|xml|rtf|odt|pptx?|xlsx?|rst|adoc)$/i;
const maxLabelLength = 200;

/** How the report names a source: as the caller wrote it, cut where it is long. */
const labelOf = (text: string) => (text.length > maxLabelLength ? `${text.slice(0, maxLabelLength - 1)}…` : text);

export function classifySource(input: SourceInput): Source {
  if (typeof input !== 'string') {
    if ('url' in input) return { kind: 'url', url: input.url.trim(), label: labelOf(input.url) };
    if ('path' in input) return { kind: 'file', path: input.path, label: labelOf(input.path) };
    return { kind: 'text', text: input.text, title: input.title?.trim() || undefined, label: labelOf(input.title?.trim() || input.text) };
  }
  const trimmed = input.trim();
  if (/^https?:\/\//i.test(trimmed)) return { kind: 'url', url: trimmed, label: labelOf(input) };
  if (!/\s/.test(trimmed) && (trimmed.includes('/') || knownExtension.test(trimmed)))
    return { kind: 'file', path: trimmed, label: labelOf(input) };
  return { kind: 'text', text: input, title: undefined, label: labelOf(input) };
}
