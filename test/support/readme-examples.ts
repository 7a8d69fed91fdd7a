/** Examples of README files, and a project that runs them. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { read, root } from './repository.ts';
import { temporaryFolder, writeFiles } from './workspace.ts';

/** Code and its printed output. */
export const examplesOf = (path: string) =>
  [
    ...read(path).matchAll(/```ts\n((?:(?!```)[\s\S])*)```\n\n```text\n((?:(?!```)[\s\S])*)```/g),
  ].map(([, code = '', output = '']) => ({ code, output }));

/**
 * A project in a temporary folder with packages of this repository.
 * @param packages sources of each entry by its name, such as `@knowledge-agent/calls`
 * @param env variables and options of Node
 */
export async function createProject(
  packages: Readonly<Record<string, Readonly<Record<string, string>>>>,
  env: Readonly<Record<string, string>> = {},
) {
  const folder = await temporaryFolder();
  const files: Record<string, string> = { 'package.json': '{"type":"module"}' };
  for (const [name, entries] of Object.entries(packages)) {
    const exports = Object.fromEntries(Object.keys(entries).map((key, at) => [key, `./${at}.js`]));
    files[`node_modules/${name}/package.json`] = JSON.stringify({ type: 'module', exports });
    for (const [at, source] of Object.values(entries).entries())
      files[`node_modules/${name}/${at}.js`] =
        `export * from ${JSON.stringify(join(root, source))};`;
  }
  await writeFiles(folder, files);
  return {
    folder,
    async run(file: string, code: string, node = process.execPath): Promise<string> {
      await writeFiles(folder, { [file]: code });
      const options = { cwd: folder, env: { NO_COLOR: '1', ...env } };
      return (await promisify(execFile)(node, [file], options)).stdout;
    },
  };
}
