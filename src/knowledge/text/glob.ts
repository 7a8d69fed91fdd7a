/**
 * Path patterns of callers: `*` within a part of a path, `**` across parts, `?` one character, `{md,pdf}` alternatives; everything else
 * is itself. Matched by rows of a table instead of a regular expression, so that no pattern takes more than its length times
 * the path's: patterns come from requests, and libraries turn `*a*a*a*` into an expression that never ends.
 */

export type Matches = (path: string) => boolean;

const maxAlternatives = 64;

/** `a.{md,pdf}` → `a.md`, `a.pdf`; more than `maxAlternatives` are cut off. */
function alternatives(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined && done.length < maxAlternatives; next = open.pop()) {
    const braces = /\{([^{}]*,[^{}]*)\}/.exec(next);
    if (!braces) done.push(next);
    else if (open.length < maxAlternatives) {
      const before = next.slice(0, braces.index);
      const after = next.slice(braces.index + braces[0].length);
      for (const choice of (braces[1] ?? '').split(',').reverse()) open.push(before + choice + after);
    }
  }
  return done;
}

type Wildcard = 'any' | 'anyFolders' | 'anyInPart' | 'oneInPart';
/** A wildcard, or one character that stands for itself. */
type Token = { readonly wildcard: Wildcard } | { readonly character: string };

/** `**` followed by a slash also stands for nothing, as every shell has it. */
function tokensOf(pattern: string): Token[] {
  const tokens: Token[] = [];
  for (const [part] of pattern.matchAll(/\*\*\/|\*+|[\s\S]/gu)) {
    if (part === '**/') tokens.push({ wildcard: 'anyFolders' });
    else if (part.startsWith('**')) tokens.push({ wildcard: 'any' });
    else if (part === '*') tokens.push({ wildcard: 'anyInPart' });
    else if (part === '?') tokens.push({ wildcard: 'oneInPart' });
    else tokens.push({ character: part });
  }
  return tokens;
}

/** Whether each token sequence can end at each position: the usual table, one row at a time. */
function matchesTokens(tokens: readonly Token[], path: readonly string[]): boolean {
  let reachable = new Uint8Array(path.length + 1);
  reachable[0] = 1;
  for (const token of tokens) {
    const next = new Uint8Array(path.length + 1);
    const wildcard = 'wildcard' in token ? token.wildcard : undefined;
    /** Whether a wildcard that reaches from an earlier position is still open here. */
    let open = 0;
    for (let at = 0; at <= path.length; at++) {
      const here = reachable[at] as number;
      const before = at > 0 ? path[at - 1] : undefined;
      if (wildcard === 'any') next[at] = open |= here;
      else if (wildcard === 'anyInPart') next[at] = open = (before === '/' ? 0 : open) | here;
      else if (wildcard === 'anyFolders') {
        next[at] = here | (before === '/' ? open : 0);
        open |= here;
      } else if (before !== undefined) {
        const fits = 'character' in token ? before === token.character : before !== '/';
        next[at] = fits ? (reachable[at - 1] as number) : 0;
      }
    }
    reachable = next;
  }
  return reachable[path.length] === 1;
}

/** @param acrossParts `*` matches `/` too, as in robots.txt and in the patterns of a crawl */
export function createMatcher(patterns: readonly string[], { acrossParts = false } = {}): Matches {
  const compiled = patterns.flatMap(alternatives).map((pattern) => tokensOf(acrossParts ? pattern.replace(/\*+/g, '**') : pattern));
  return (path) => {
    const characters = [...path];
    return compiled.some((tokens) => matchesTokens(tokens, characters));
  };
}
