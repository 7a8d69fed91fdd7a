/**
 * Loads Mastra module by module and yields to the event loop in between: one import would block it
 * for more than a second. Dependencies are imported before the files that need them.
 */
import { readFile } from 'node:fs/promises';
import { yieldToEventLoop } from '../../packages/shared/src/concurrency/event-loop.ts';
import { lazy } from '../../packages/shared/src/concurrency/lazy.ts';

const entries = ['request-context', 'tools', 'agent', 'mastra'] as const;
/** A relative import or re-export in built files. A missed one loads together with its importer. */
const relativeImport = /(?:^|\n)(?:import|export)\b[^'"\n]*["'](\.\.?\/[^"'\n]+\.js)["']/g;

/** Start of a file, which contains its imports. */
const maxTopBytes = 20_000;

/**
 * Caches Mastra's provider list during loading, because Mastra filters it once per provider (0.2
 * s). @returns a function to undo it
 */
function filterProvidersOnce(loaded: Readonly<Record<string, unknown>>) {
  const isRegistry = (value: unknown): value is typeof import('@mastra/core/llm').GatewayRegistry =>
    typeof value === 'function' && value.name === 'GatewayRegistry';
  const registry = Object.values(loaded).find(isRegistry)?.getInstance();
  if (!registry) return () => undefined;
  registry.getProviders = lazy(registry.getProviders.bind(registry));
  return () => Reflect.deleteProperty(registry, 'getProviders');
}

export async function loadMastra() {
  const seen = new Set<string>();
  const undo: (() => void)[] = [];
  const load = async (url: string) => {
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
