/**
 * The Mastra instance, where Mastra's own tools (`mastra dev`, Studio) look for it. A process edge like `main.ts`: it reads the
 * environment, because those tools import this file and nothing else. They run a bundle of it, `.mastra/output/index.mjs`, with
 * `src/mastra/public` as the working directory; so the project is looked for from here upwards, relative settings start there, and
 * the product is imported from its sources at run time: what it loads beside itself (parsers in processes of their own) is not in a bundle.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const isProject = (folder: string) => existsSync(join(folder, 'src', 'mastra', 'index.ts'));

let root = import.meta.dirname;
while (!isProject(root) && root !== dirname(root)) root = dirname(root);
process.chdir(root);
process.env['MASTRA_TELEMETRY_DISABLED'] = '1';

const source = (file: string) => pathToFileURL(join(root, 'src', file)).href;
const { parseConfig }: typeof import('../config.ts') = await import(source('config.ts'));
const { compose }: typeof import('../compose.ts') = await import(source('compose.ts'));
const { loadMastra, openToAsk } = compose(parseConfig(process.env));
await openToAsk();

export const mastra = await loadMastra();
