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
    const braces = /\{([^{},]*,[^{}]*)\}/.exec(next);
    if (!braces) done.push(next);
    else if (open.length < maxAlternatives) {
      const before = next.slice(0, braces.index);
      const after = next.slice(braces.index + braces[0].length);
      for (const choice of (braces[1] ?? '').split(',').reverse()) open.push(before + choice + after);
    }
  }
  return done;
}

interface Token {
  readonly stands: (character: string) => boolean;
  /** For any number of characters, none included. */
  readonly repeats: boolean;
  /** For what it reaches when a slash follows, or for nothing: `**` followed by a slash, as every shell has it. */
  readonly isFolders: boolean;
}

const isAny = () => true;
const isInPart = (character: string) => character !== '/';

const tokensOf = (pattern: string): Token[] =>
  [...pattern.matchAll(/\*\*\/|\*+|[\s\S]/gu)].map(([part]) => {
    const isWildcard = part.startsWith('*');
    if (isWildcard) return { stands: part === '*' ? isInPart : isAny, repeats: true, isFolders: part === '**/' };
    return { stands: part === '?' ? isInPart : (character: string) => character === part, repeats: false, isFolders: false };
  });

/**
 * One row of the usual table: where the tokens up to this one can end, from where those before it can.
 * @param reachable 1 at each position of the path where the tokens before can end
 */
function rowAfter({ stands, repeats, isFolders }: Token, reachable: Uint8Array, path: readonly string[]): Uint8Array {
  const next = new Uint8Array(path.length + 1);
  if (repeats) next[0] = reachable[0] as number;
  for (const [at, character] of path.entries()) {
    const from = repeats ? (next[at] as number) : (reachable[at] as number);
    next[at + 1] = (stands(character) ? from : 0) | (repeats ? (reachable[at + 1] as number) : 0);
  }
  return isFolders ? next.map((_, at) => (reachable[at] as number) | (path[at - 1] === '/' ? (next[at - 1] as number) : 0)) : next;
}

function matchesTokens(tokens: readonly Token[], path: readonly string[]): boolean {
  let reachable: Uint8Array = new Uint8Array(path.length + 1).fill(1, 0, 1);
  for (const token of tokens) reachable = rowAfter(token, reachable, path);
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
