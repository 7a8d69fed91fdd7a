/**
 * URL of a module in the same folder, to start as a thread or process: `.ts` in a checkout, `.js`
 * when built.
 * @param name without its extension
 * @param from `import.meta.url` of the caller
 */
export const siblingModule = (name: string, from: string): URL =>
  new URL(name + from.slice(from.lastIndexOf('.')), from);
