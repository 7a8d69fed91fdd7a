/**
 * Entry point of Mastra's own tools (`mastra dev`, Studio), which import only this file; so it
 * reads the environment. They run a bundle in another working directory. The product is therefore
 * imported from its sources at run time: its child processes are not in the bundle.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const isProject = (folder: string) => existsSync(join(folder, 'src', 'mastra', 'index.ts'));

let root = import.meta.dirname;
while (!isProject(root) && root !== dirname(root)) root = dirname(root);
if (!isProject(root))
  throw new Error(
    'The output of "mastra build" runs only inside its checkout. To deploy, use the image, the command knowledge-agent, or createKnowledgeParts in a project of your own.',
  );
process.chdir(root);
process.env['MASTRA_TELEMETRY_DISABLED'] = '1';

const source = (file: string) => pathToFileURL(join(root, 'src', file)).href;
const { parseConfig }: typeof import('../config.ts') = await import(source('config.ts'));
const { openStudio }: typeof import('./studio.ts') = await import(source('mastra/studio.ts'));

export const mastra = await openStudio(parseConfig({ CALLS_TOOLS: 'true', ...process.env }));
