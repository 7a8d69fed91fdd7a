/**
 * Path patterns of callers: `*` within a part of a path, `**` across parts, `?` one character, `{md,pdf}` alternatives; everything else
 * is itself. Matched by rows of a table instead of a regular expression, so that no pattern takes more than its length times
 * the path's: patterns come from requests, and libraries turn `*a*a*a*` into an expression that never ends.
 */

export type Matches = (path: string) => boolean;

const maxAlternatives = 64;

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

/**
 * One row of the usual table: where a token can end, by positions of the path, from where those before it can. `**` followed by a slash
 * stands for what it reaches, or for nothing, as every shell has it.
 */
function rowAfter(token: string, ends: readonly boolean[], path: readonly string[]): boolean[] {
  if (!token.startsWith('*'))
    return [false, ...path.map((character, at) => ends[at] === true && (token === '?' ? character !== '/' : character === token))];
  let reaches = false;
  return ends.map((here, at) => {
    const isAfterSlash = path[at - 1] === '/';
    const endsFolder = isAfterSlash && reaches;
    reaches = here || (reaches && !(isAfterSlash && token === '*'));
    return token === '**/' ? here || endsFolder : reaches;
  });
}

/** @param acrossParts `*` matches `/` too, as in robots.txt and in the patterns of a crawl */
export function createMatcher(patterns: readonly string[], { acrossParts = false } = {}): Matches {
  const compiled = patterns
    .flatMap(alternatives)
    .map((pattern) => (acrossParts ? pattern.replace(/\*+/g, '**') : pattern).match(/\*\*\/|\*+|[\s\S]/gu) ?? []);
  return (path) => {
    const characters = [...path];
    const start = [true, ...characters.map(() => false)];
    return compiled.some((tokens) => tokens.reduce((ends, token) => rowAfter(token, ends, characters), start).at(-1) === true);
  };
}
