/**
 * `npm run licences`: writes what the service is made of, for every platform, to `dist/sbom.json` (CycloneDX, by npm from the lock file), and
 * fails where one of those packages has a licence that is not on the list; part of `npm run check`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** SPDX names: they ask for the notice that each package carries, and nothing of the code that uses it. */
const allowed = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'CC0-1.0', 'ISC', 'MIT'];

/** Packages that may have another licence, each with its reason; none so far. */
const exceptions: Readonly<Record<string, string>> = {};

/** As npm writes it: a name of SPDX's list, what a package calls it otherwise, or several of them in an expression. */
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

/** What is there for development alone goes, and the name of the folder; `npm sbom --omit=dev` leaves out most of what the service needs as well (npm 10 and 11). */
export function withoutDevelopment(all: Parts): Parts {
  const isForDevelopment = ({ properties = [] }: Component) => properties.some(({ name }) => name === 'cdx:npm:package:development');
  const components = all.components.filter((one) => !isForDevelopment(one));
  const { 'bom-ref': own } = all.metadata.component;
  // npm calls it by its folder.
  const metadata = { ...all.metadata, component: { ...all.metadata.component, name: own.replace(/@[^@]*$/, '') } };
  const kept = new Set([own, ...components.map((one) => one['bom-ref'])]);
  const dependencies = all.dependencies.flatMap(({ ref, dependsOn }) =>
    kept.has(ref) ? [{ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }] : [],
  );
  return { ...all, metadata, components, dependencies };
}

const nameOf = ({ license, expression }: Licence): string => expression ?? license?.id ?? license?.name ?? '';

/** One of the names in a choice (`OR`) has to be allowed, all of them where they hold together (`AND`); parentheses within are not read. */
const isAllowed = (expression: string): boolean =>
  expression
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((name) => allowed.includes(name)));

/** @returns a line for each component whose licence is unknown or not allowed */
export function refusedLicences(components: readonly Component[]): string[] {
  return components.flatMap(({ name, version, licenses = [] }) => {
    const names = licenses.map(nameOf);
    if (name in exceptions || (names.length > 0 && names.every(isAllowed))) return [];
    return [`${name}@${version}: ${names.join(', ') || 'no licence'}`];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../', import.meta.url));
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
  const parts = withoutDevelopment(JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })));
  mkdirSync(`${root}dist`, { recursive: true });
  writeFileSync(`${root}dist/sbom.json`, JSON.stringify(parts, undefined, 2));
  const { components } = parts;
  const refused = refusedLicences(components);
  process.stdout.write(`${components.length} packages, listed in dist/sbom.json\n`);
  if (refused.length > 0) {
    process.stderr.write(`Their licences are not among those that scripts/licences.ts allows:\n${refused.join('\n')}\n`);
    process.exitCode = 1;
  }
}
