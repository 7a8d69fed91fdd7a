import { describe, expect, it } from 'vitest';
import { codeIn } from '../../../packages/shared/src/language/quoted-code.ts';

const passage = `Install it:

\`\`\`sh
# Once a machine
npm ci --omit=dev

npm run   build
npm start
\`\`\`

Run \`acme migrate --dry-run\` before. Then npm test.

\`\`\`yaml
server:
  port: 8080
  host: localhost
\`\`\`
`;

/** The text of the passage in which the code was found. */
const found = (code: string, text = passage) => {
  const place = codeIn(text, code);
  return place && text.slice(place.start, place.end);
};

describe('code of a passage', () => {
  const block = 'server:\n  port: 8080\n  host: localhost';
  it.each([
    ['a whole block', block, block],
    ['consecutive lines of a block', 'npm run build\nnpm start', 'npm run   build\nnpm start'],
    [
      'lines without blank lines and comments',
      'npm ci --omit=dev\nnpm run build',
      'npm ci --omit=dev\n\nnpm run   build',
    ],
    [
      'lines that are shifted together',
      'port: 8080\nhost: localhost',
      'port: 8080\n  host: localhost',
    ],
    ['a line without its prompt', 'npm ci', 'npm ci', '```sh\n$ npm ci\n```'],
    ['a code span', 'acme migrate --dry-run', 'acme migrate --dry-run'],
  ])('is found: %s', (_, code, wanted, text?: string) => expect(found(code, text)).toBe(wanted));

  it('is found in the first block that contains it', () => {
    const twice = '```sh\nnpm start\n```\n\nOr:\n\n```sh\nnpm start\n```\n';
    expect(codeIn(twice, 'npm start')?.start).toBe(twice.indexOf('npm start'));
  });
});

describe('other code', () => {
  it.each([
    ['lines that are shifted against each other', 'port: 8080\n  host: localhost'],
    ['a comment', 'ALLOW=true', '```sh\n# ALLOW=true\n```'],
    ['a part of one line', 'npm ci'],
    ['a changed flag', 'npm ci --omit=prod'],
    ['an added line', 'npm ci --omit=dev\nnpm run build\nnpm start\nrm -rf /'],
    ['a line left out', 'npm ci --omit=dev\nnpm start'],
    ['lines in another order', 'npm start\nnpm run build'],
    ['the end of one line with the next', 'build\nnpm start'],
    ['words of its prose', 'npm test'],
    ['empty code', ''],
  ])('is not found: %s', (_, code, text?: string) => expect(found(code, text)).toBeUndefined());

  it('is not found in a passage without code', () => {
    expect(found('npm start', 'Then run npm start.')).toBeUndefined();
  });
});
