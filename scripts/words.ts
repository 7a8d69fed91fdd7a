/**
 * `npm run words`: reports wording that strangers have to read twice, as file:line and the rule.
 * Part of `npm run check`. Rules: `scripts/words.txt`. Exceptions, each with a reason:
 * `scripts/words-allowed.txt`. `-- PATH…` checks only these files or folders.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Rule {
  readonly pattern: RegExp;
  readonly reason: string;
}

/** Rules of a text: a line that starts with # is the reason for the pattern below it. */
export function readRules(text: string): Rule[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) =>
    line === '' || line.startsWith('#')
      ? []
      : [{ pattern: new RegExp(line, 'gi'), reason: lines[index - 1]?.replace(/^# ?/, '') ?? '' }],
  );
}

interface Exception {
  readonly path: string;
  readonly text: string;
}
const readExceptions = (text: string): Exception[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [path = '', wording = '', reason = ''] = line.split(' | ');
      if (reason.trim() === '')
        throw new Error(`scripts/words-allowed.txt: this exception has no reason: ${line}`);
      return { path, text: wording };
    });

interface Hit {
  readonly line: number;
  readonly text: string;
  readonly found: string;
  readonly reason: string;
}

/** Hits of the rules in a text, in order. Of hits that overlap, only the first one counts. */
export function hitsIn(text: string, rules: readonly Rule[]): Hit[] {
  return text.split('\n').flatMap((line, index) => {
    let end = 0;
    return rules
      .flatMap(({ pattern, reason }) =>
        [...line.matchAll(pattern)].map((match) => ({ match, reason })),
      )
      .sort((a, b) => a.match.index - b.match.index)
      .filter(({ match }) => {
        if (match.index < end) return false;
        end = match.index + match[0].length;
        return true;
      })
      .map(({ match, reason }) => ({
        line: index + 1,
        text: line,
        found: match[0].trim(),
        reason,
      }));
  });
}

function main(paths: readonly string[]): void {
  const rules = readRules(read('scripts/words.txt'));
  const exceptions = readExceptions(read('scripts/words-allowed.txt'));
  const tracked = execFileSync(
    'git',
    [
      'ls-files',
      'src',
      'packages',
      'docs',
      'README.md',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'test',
    ],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  const files = tracked.split('\n').filter((path) => /\.(?:ts|md|html)$/.test(path));
  const used = new Set<Exception>();
  let allowed = 0;
  let problems = 0;
  for (const path of files) {
    if (paths.length > 0 && !paths.some((start) => path.startsWith(start))) continue;
    for (const { line, text, found, reason } of hitsIn(read(path), rules)) {
      const exception = exceptions.find((one) => one.path === path && text.includes(one.text));
      if (exception) {
        used.add(exception);
        allowed += 1;
        continue;
      }
      problems += 1;
      console.log(`${path}:${line}: "${found}": ${reason}`);
    }
  }
  const stale = paths.length > 0 ? [] : exceptions.filter((one) => !used.has(one));
  for (const { path, text } of stale)
    console.log(
      `scripts/words-allowed.txt: no hit needs this exception any longer: ${path} | ${text}`,
    );
  console.log(`${problems} hits, ${allowed} allowed.`);
  if (problems + stale.length > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
