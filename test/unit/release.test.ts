import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { manifestOf, publishedFolders } from '../../scripts/published.ts';
import { versionProblem, withChartVersion, withRelease } from '../../scripts/release.ts';
import { read } from '../support/repository.ts';

describe('a version', () => {
  it.each(['0.6.1', '1.0.0-rc.1'])('%s follows 0.6.0', (version) =>
    expect(versionProblem(version, '0.6.0')).toBeUndefined(),
  );

  it.each([
    ['0.6.0', '0.6.0 is not newer than 0.6.0.'],
    ['0.5.9', '0.5.9 is not newer than 0.6.0.'],
    ['1.2', '"1.2" is not a version. Use three numbers, such as 1.2.3.'],
  ])('"%s" is refused', (version, message) =>
    expect(versionProblem(version, '0.6.0')).toBe(message),
  );
});

describe('the changelog of a release', () => {
  const before =
    '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n\n## [0.6.0] - 2026-11-26\n\n- Old.\n';

  it('gets the entries, and an empty section for the next ones', () => {
    expect(withRelease(before, '0.7.0', '2026-12-01')).toBe(
      before.replace('## [Unreleased]\n', '## [Unreleased]\n\n## [0.7.0] - 2026-12-01\n'),
    );
  });

  it('is refused without entries', () => {
    const empty = before.replace('- A thing.', '');
    expect(() => withRelease(empty, '0.7.0', '2026-12-01')).toThrow(
      'CHANGELOG.md has no entries under Unreleased.',
    );
  });
});

it('withChartVersion sets both versions of the chart and keeps the rest', () => {
  const chart = read('deploy/helm/knowledge-agent/Chart.yaml');
  const before = parse(chart);
  expect(parse(withChartVersion(chart, '10.0.1'))).toEqual({
    ...before,
    version: '10.0.1',
    appVersion: '10.0.1',
  });
});

it.each(publishedFolders())('%s has the version and the licence of the service', (folder) => {
  const { version, license } = manifestOf('.');
  expect(manifestOf(folder)).toMatchObject({ version, license });
});
