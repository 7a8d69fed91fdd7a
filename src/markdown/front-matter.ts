/**
 * YAML front matter, read and written as data only: the core schema of `yaml` has no tags that run code, other languages
 * (`---js`) are plain text, and aliases are bounded. A block that does not parse is treated as body, so nothing is lost.
 */
import { parse, stringify } from 'yaml';
import { unshared } from './unshared.ts';

const opening = /^\uFEFF?---[ \t]*\r?\n/;
const closing = /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/m;
const maxFrontMatterChars = 16_384;
/** Keys that are structures themselves (`? key`): nobody titles a page so, and nested they take the parser exponential time. */
const complexKey = /(?:^|[\s[{,])\?(?:\s|$)/;

export interface FrontMatter {
  readonly attributes: Readonly<Record<string, unknown>>;
  /** UTF-16 offset of the first character after the block; 0 without one. */
  readonly bodyStart: number;
}

const none: FrontMatter = { attributes: {}, bodyStart: 0 };

const options = { schema: 'core', maxAliasCount: 20, logLevel: 'error' } as const;

/** Maps as objects whose keys are texts. */
const withTextKeys = (value: unknown): unknown =>
  value instanceof Map ? Object.fromEntries([...value].map(([key, one]) => [String(key), withTextKeys(one)])) : value;

/** Reads a whole file of YAML, as data only. Keys that are structures are never written out, so nesting them costs nothing. @throws on bad YAML */
export const parseYaml = (text: string): unknown => withTextKeys(parse(text, { ...options, mapAsMap: true }));

export function readFrontMatter(text: string): FrontMatter {
  const open = opening.exec(text);
  if (!open) return none;
  const from = open[0].length;
  const close = closing.exec(text.slice(from, from + maxFrontMatterChars));
  const block = unshared(text.slice(from, from + (close?.index ?? 0)));
  if (!close || complexKey.test(block)) return none;
  try {
    const attributes: unknown = parse(block, options);
    if (attributes !== null && (typeof attributes !== 'object' || Array.isArray(attributes))) return none;
    return { attributes: { ...attributes }, bodyStart: from + close.index + close[0].length };
  } catch {
    return none;
  }
}

/** Front matter block with its fences and one blank line, ready to stand before a body. Long values stay on one line, what is undefined is left out. */
export const writeFrontMatter = (attributes: Readonly<Record<string, string | undefined>>): string =>
  `---\n${stringify(attributes, { lineWidth: 0, defaultStringType: 'PLAIN' })}---\n\n`;
