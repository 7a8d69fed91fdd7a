/**
 * Reads and writes YAML front matter as data only: the core schema of `yaml` has no tags that run
 * code, other languages (`---js`) are plain text, and aliases are limited. A block that does not
 * parse counts as body, so that no text is lost.
 */
import { parse, stringify } from 'yaml';
import { detachString } from './detach-string.ts';

const opening = /^\uFEFF?---[ \t]*\r?\n/;
const closing = /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/m;
const maxFrontMatterChars = 16_384;
/**
 * Keys that are maps or lists (`? key`). Front matter does not need them, and nested ones take
 * exponential time.
 */
const complexKey = /(?:^|[\s[{,])\?(?:\s|$)/;

/** A title that YAML reads as a number or a switch, as written: `2026`, `1.10`. */
const plainTitle = /^title:[ \t]*([\w.+-]{1,100})[ \t]*(?:#.*)?$/m;

interface FrontMatter {
  readonly attributes: Readonly<Record<string, unknown>>;
  /** UTF-16 offset after the block; 0 without a block. */
  readonly bodyStart: number;
}

const none: FrontMatter = { attributes: {}, bodyStart: 0 };

const options = { schema: 'core', maxAliasCount: 20, logLevel: 'error' } as const;

const withTextKeys = (value: unknown): unknown =>
  value instanceof Map
    ? Object.fromEntries([...value].map(([key, one]) => [String(key), withTextKeys(one)]))
    : value;

/**
 * Parses a YAML file as data only. Does not write map or list keys as YAML, which takes exponential
 * time if they nest. @throws on invalid YAML
 */
export const parseYaml = (text: string): unknown =>
  withTextKeys(parse(text, { ...options, mapAsMap: true }));

export function readFrontMatter(text: string): FrontMatter {
  const open = opening.exec(text);
  if (!open) return none;
  const from = open[0].length;
  const close = closing.exec(text.slice(from, from + maxFrontMatterChars));
  const block = detachString(text.slice(from, from + (close?.index ?? 0)));
  if (!close || complexKey.test(block)) return none;
  try {
    const parsed: unknown = parse(block, options);
    if (parsed !== null && (typeof parsed !== 'object' || Array.isArray(parsed))) return none;
    const attributes: Record<string, unknown> = { ...parsed };
    if (/number|boolean/.test(typeof attributes['title']))
      attributes['title'] = plainTitle.exec(block)?.[1] ?? attributes['title'];
    return { attributes, bodyStart: from + close.index + close[0].length };
  } catch {
    return none;
  }
}

/**
 * Returns the block with fences and a blank line after it. Long values stay on one line; undefined
 * values are omitted.
 */
export const writeFrontMatter = (attributes: Readonly<Record<string, string | undefined>>) =>
  `---\n${stringify(attributes, { lineWidth: 0, defaultStringType: 'PLAIN' })}---\n\n`;
