/**
 * `npm run licences`: writes the components of the service for every platform to `dist/sbom.json`
 * (CycloneDX, by npm from the lock file). Fails if a package has a licence that is not allowed.
 * Part of `npm run check`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import manifest from '../package.json' with { type: 'json' };

/** SPDX names of licences that require only the notice in each package. */
const allowed = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
];

/** Packages with another licence, each with a reason. */
const exceptions: Readonly<Record<string, string>> = {};

/** As npm writes it: an SPDX id, another name, or an expression. */
interface Licence {
  readonly license?: { readonly id?: string; readonly name?: string };
  readonly expression?: string;
}
export interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly Licence[];
  readonly properties?: readonly { readonly name: string }[];
}
interface Parts {
  readonly metadata: { readonly component: { readonly 'bom-ref': string; readonly name: string } };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/**
 * Removes development packages, workspaces and the folder name. `npm sbom --omit=dev` would also
 * omit most runtime packages (npm 10 and 11).
 * @param optional references of optional peers, which npm marks as development packages; they and
 * their dependencies stay
 */
export function withoutDevelopment(all: Parts, optional: readonly string[]): Parts {
  const needed = new Map(all.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const runtime = new Set(optional);
  for (const ref of runtime) for (const one of needed.get(ref) ?? []) runtime.add(one);
  const isForDevelopment = ({ properties = [] }: Component) =>
    properties.some(({ name }) => name === 'cdx:npm:package:development');
  const isOwn = (one: Component) => one['bom-ref'].startsWith('@knowledge-agent/');
  const components = all.components.filter(
    (one) => runtime.has(one['bom-ref']) || (!isForDevelopment(one) && !isOwn(one)),
  );
  const { 'bom-ref': own } = all.metadata.component;
  // npm uses the name of the folder.
  const metadata = {
    ...all.metadata,
    component: { ...all.metadata.component, name: own.replace(/@[^@]*$/, '') },
  };
  const kept = new Set([own, ...components.map((one) => one['bom-ref'])]);
  const dependencies = all.dependencies.flatMap(({ ref, dependsOn }) =>
    kept.has(ref) ? [{ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }] : [],
  );
  return { ...all, metadata, components, dependencies };
}

const nameOf = ({ license, expression }: Licence): string =>
  expression ?? license?.id ?? license?.name ?? '';

/** `OR` needs one allowed licence, `AND` all of them. Nested parentheses are not supported. */
const isAllowed = (expression: string): boolean =>
  expression
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((name) => allowed.includes(name)));

/** Returns a line for each component with an unknown or forbidden licence. */
export function refusedLicences(components: readonly Component[]): string[] {
  return components.flatMap(({ name, version, licenses = [] }) => {
    const names = licenses.map(nameOf);
    if (name in exceptions || (names.length > 0 && names.every(isAllowed))) return [];
    return [`${name}@${version}: ${names.join(', ') || 'no licence'}`];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../', import.meta.url));
  const args = [
    'sbom',
    '--sbom-format=cyclonedx',
    '--sbom-type=application',
    '--package-lock-only',
  ];
  const all = JSON.parse(
    execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }),
  );
  const peers = Object.entries(manifest.peerDependencies).map((peer) => peer.join('@'));
  const parts = withoutDevelopment(all, peers);
  mkdirSync(`${root}dist`, { recursive: true });
  writeFileSync(`${root}dist/sbom.json`, JSON.stringify(parts, undefined, 2));
  const { components } = parts;
  const refused = refusedLicences(components);
  process.stdout.write(`${components.length} packages, listed in dist/sbom.json\n`);
  if (refused.length > 0) {
    process.stderr.write(
      `These licences are not allowed in scripts/licences.ts. Replace the packages or add a reason there:\n${refused.join('\n')}\n`,
    );
    process.exitCode = 1;
  }
}
