import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { refusedLicences, withoutDevelopment } from '../../scripts/licences.ts';

const component = (name: string, licenses: object[], isForDevelopment = false) => ({
  'bom-ref': `${name}@1.0.0`,
  name,
  version: '1.0.0',
  licenses,
  properties: isForDevelopment ? [{ name: 'cdx:npm:package:development' }] : [],
});

describe('a licence', () => {
  it.each([
    ['on the list', [{ license: { id: 'MIT' } }]],
    ['with an allowed alternative', [{ expression: '(MPL-2.0 OR Apache-2.0)' }]],
    ['combining two allowed ones', [{ expression: '(MIT AND BSD-3-Clause)' }]],
  ])('%s is allowed', (_, licenses) =>
    expect(refusedLicences([component('a', licenses)])).toEqual([]),
  );

  it.each([
    ['not on the list', [{ license: { id: 'AGPL-3.0-only' } }], 'AGPL-3.0-only'],
    ['with a custom name', [{ license: { name: 'See LICENSE.md' } }], 'See LICENSE.md'],
    ['that is missing', [], 'no licence'],
    [
      'next to an allowed one',
      [{ license: { id: 'MIT' } }, { license: { id: 'GPL-3.0-only' } }],
      'MIT, GPL-3.0-only',
    ],
    ['combined with an allowed one', [{ expression: '(MIT AND GPL-2.0)' }], '(MIT AND GPL-2.0)'],
  ])('%s is refused', (_, licenses, said) =>
    expect(refusedLicences([component('a', licenses)])).toEqual([`a@1.0.0: ${said}`]),
  );
});

it('withoutDevelopment removes development components, workspaces and references to them, and keeps optional peers', () => {
  const needs = (ref: string, ...others: string[]) => ({
    ref: `${ref}@1.0.0`,
    dependsOn: others.map((other) => `${other}@1.0.0`),
  });
  const tools = [component('tool', [], true), component('@knowledge-agent/own', [])];
  const kept = [
    component('kept', []),
    ...['peer', 'part'].map((name) => component(name, [], true)),
  ];
  const others = [needs('kept'), needs('peer', 'part'), needs('part', 'peer')];
  const parts = {
    metadata: { component: { 'bom-ref': 'app@1.0.0', name: 'a-folder' } },
    components: [...kept, ...tools],
    dependencies: [needs('app', 'kept', 'tool', 'peer'), needs('tool'), ...others],
  };
  expect(withoutDevelopment(parts, ['peer@1.0.0'])).toEqual({
    metadata: { component: { 'bom-ref': 'app@1.0.0', name: 'app' } },
    components: kept,
    dependencies: [needs('app', 'kept', 'peer'), ...others],
  });
});

it('no package of the service runs a script when it is installed', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const scripted = Object.entries<{ dev?: boolean; hasInstallScript?: boolean }>(packages).filter(
    ([, { dev, hasInstallScript }]) => hasInstallScript && !dev,
  );
  expect(scripted.map(([path]) => path)).toEqual([]);
});
