import { describe, expect, it } from 'vitest';
import { refusedLicences, withoutDevelopment } from '../../scripts/licences.ts';

const component = (name: string, licenses: object[], isForDevelopment = false) => ({
  'bom-ref': `${name}@1.0.0`,
  name,
  version: '1.0.0',
  licenses,
  properties: isForDevelopment ? [{ name: 'cdx:npm:package:development' }] : [],
});

describe('refusedLicences', () => {
  it.each([
    ['an allowed licence', [{ license: { id: 'MIT' } }]],
    ['a choice with an allowed licence', [{ expression: '(MPL-2.0 OR Apache-2.0)' }]],
    ['two allowed licences', [{ expression: '(Apache-2.0 AND BSD-3-Clause)' }]],
  ])('accepts %s', (_, licenses) => expect(refusedLicences([component('a', licenses)])).toEqual([]));

  it.each([
    ['a licence that is not allowed', [{ license: { id: 'AGPL-3.0-only' } }], 'AGPL-3.0-only'],
    ['a custom licence', [{ license: { name: 'SEE LICENSE IN LICENSE.md' } }], 'SEE LICENSE IN LICENSE.md'],
    ['a missing licence', [], 'no licence'],
    ['an allowed licence next to another one', [{ license: { id: 'MIT' } }, { license: { id: 'GPL-3.0-only' } }], 'MIT, GPL-3.0-only'],
    ['an allowed licence combined with another one', [{ expression: '(MIT AND CC-BY-NC-4.0)' }], '(MIT AND CC-BY-NC-4.0)'],
  ])('rejects %s', (_, licenses, reported) => expect(refusedLicences([component('a', licenses)])).toEqual([`a@1.0.0: ${reported}`]));
});

it('withoutDevelopment removes development packages from components and dependencies', () => {
  const parts = {
    metadata: { component: { 'bom-ref': 'app@1.0.0', name: 'a-folder' } },
    components: [component('kept', []), component('tool', [], true)],
    dependencies: [
      { ref: 'app@1.0.0', dependsOn: ['kept@1.0.0', 'tool@1.0.0'] },
      { ref: 'tool@1.0.0', dependsOn: [] },
      { ref: 'kept@1.0.0', dependsOn: [] },
    ],
  };
  expect(withoutDevelopment(parts)).toEqual({
    metadata: { component: { 'bom-ref': 'app@1.0.0', name: 'app' } },
    components: [parts.components[0]],
    dependencies: [
      { ref: 'app@1.0.0', dependsOn: ['kept@1.0.0'] },
      { ref: 'kept@1.0.0', dependsOn: [] },
    ],
  });
});
