/**
 * Loads Mastra a module at a time, with a turn of the event loop between two: imported at once it would hold the loop for more than a
 * second. The modules that a file names are imported before it, so that its own import finds them loaded.
 */
import { readFile } from 'node:fs/promises';
import { yieldToEventLoop } from '../concurrency/event-loop.ts';
import { lazy } from '../concurrency/lazy.ts';

/** What the agent imports, besides types. */
const entries = ['request-context', 'tools', 'agent', 'mastra'] as const;
/** A relative import or re-export, in the package's built files. A missed one is loaded together with the file that names it. */
const relativeImport = /(?:^|\n)(?:import|export)\b[^'"\n]*["'](\.\.?\/[^"'\n]+\.js)["']/g;

/** Of a file, where its imports stand. */
const maxTopBytes = 20_000;

type Registry = typeof import('@mastra/core/llm').GatewayRegistry;
const isRegistry = (value: unknown): value is Registry => typeof value === 'function' && value.name === 'GatewayRegistry';

/** While it loads, Mastra would filter its list of model providers anew for each provider: a fifth of a second. @returns undoes it */
function filterProvidersOnce(loaded: Readonly<Record<string, unknown>>): () => void {
  const registry = Object.values(loaded).find(isRegistry)?.getInstance();
  if (!registry) return () => undefined;
  registry.getProviders = lazy(registry.getProviders.bind(registry));
  return () => Reflect.deleteProperty(registry, 'getProviders');
}

export async function loadMastra(): Promise<void> {
  const seen = new Set<string>();
  const undo: (() => void)[] = [];
  const load = async (url: string): Promise<void> => {
    if (seen.has(url)) return;
    seen.add(url);
    const top = (await readFile(new URL(url))).toString('latin1', 0, maxTopBytes);
    for (const [, path = ''] of top.matchAll(relativeImport)) await load(new URL(path, url).href);
    await yieldToEventLoop();
    undo.push(filterProvidersOnce(await import(url)));
  };
  for (const entry of entries) await load(import.meta.resolve(`@mastra/core/${entry}`));
  for (const restore of undo) restore();
}
