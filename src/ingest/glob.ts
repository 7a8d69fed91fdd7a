/**
 * Path patterns from requests: `*` within a path segment, `**` across segments, `?` one character,
 * `{md,pdf}` alternatives. Matched by dynamic programming in O(pattern × path): as a regular
 * expression, `*a*a*a*` backtracks exponentially.
 */

export type Matches = (path: string) => boolean;

const maxAlternatives = 64;

function alternatives(pattern: string) {
  const done: string[] = [];
  const open = [pattern];
  for (
    let next = open.pop();
    next !== undefined && done.length < maxAlternatives;
    next = open.pop()
  ) {
    const braces = /\{([^{},]*,[^{}]*)\}/.exec(next);
    if (!braces) done.push(next);
    else if (open.length < maxAlternatives) {
      const before = next.slice(0, braces.index);
      const after = next.slice(braces.index + braces[0].length);
      for (const choice of (braces[1] ?? '').split(',').reverse())
        open.push(before + choice + after);
    }
  }
  return done;
}

/**
 * One row of the table: the positions of the path at which a token can end. `**` and a slash may
 * match nothing, as in a shell.
 */
function rowAfter(token: string, ends: readonly boolean[], path: readonly string[]) {
  if (!token.startsWith('*'))
    return [
      false,
      ...path.map(
        (character, at) =>
          ends[at] === true && (token === '?' ? character !== '/' : character === token),
      ),
    ];
  let reaches = false;
  return ends.map((here, at) => {
    const isAfterSlash = path[at - 1] === '/';
    const endsFolder = isAfterSlash && reaches;
    reaches = here || (reaches && !(isAfterSlash && token === '*'));
    return token === '**/' ? here || endsFolder : reaches;
  });
}

/** @param acrossParts whether `*` matches `/` too, as in robots.txt and crawl patterns */
export function createMatcher(patterns: readonly string[], { acrossParts = false } = {}): Matches {
  const compiled = patterns
    .flatMap(alternatives)
    .map(
      (pattern) =>
        (acrossParts ? pattern.replace(/\*+/g, '**') : pattern).match(/\*\*\/|\*+|[\s\S]/gu) ?? [],
    );
  return (path) => {
    const characters = [...path];
    const start = [true, ...characters.map(() => false)];
    return compiled.some(
      (tokens) =>
        tokens.reduce((ends, token) => rowAfter(token, ends, characters), start).at(-1) === true,
    );
  };
}
