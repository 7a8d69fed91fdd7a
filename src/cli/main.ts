#!/usr/bin/env node
/**
 * Entry point of `knowledge-agent COMMAND`. Loads only the modules of that command, and none before
 * the check of Node's version.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `knowledge-agent needs Node 22.18 or newer. This is Node ${process.versions.node}.\n`,
  );
  process.exit(1);
}
// Node 22 calls SQLite experimental; for a user that is noise.
process.emitWarning = new Proxy(process.emitWarning, {
  apply: (emit, self, warning) =>
    /^SQLite is/.test(String(warning[0])) ? undefined : Reflect.apply(emit, self, warning),
});
const { existsSync } = await import('node:fs');
const { enableCompileCache } = await import('node:module');
enableCompileCache();
if (existsSync('.env')) process.loadEnvFile();
process.env['MASTRA_TELEMETRY_DISABLED'] = '1';
process.env['MASTRA_OFFLINE'] = '1';
const { runCommand } = await import('./command.ts');
const commands = {
  init: {
    summary: 'Create a folder with sample documents',
    load: async () => (await import('./init.ts')).initCommand,
  },
  serve: {
    summary: 'Start the server',
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  ingest: {
    summary: 'Read URLs, files, folders or text into a namespace',
    load: async () => (await import('./ingest.ts')).ingestCommand,
  },
  ask: {
    summary: 'Ask the documents a question',
    load: async () => (await import('./ask.ts')).askCommand,
  },
  eval: {
    summary: 'Measure answers against questions with known answers',
    load: async () => (await import('../../tools/eval/command.ts')).evalCommand,
  },
  mcp: {
    summary: 'Serve the documents over MCP on standard input and output',
    load: async () => (await import('./mcp.ts')).mcpCommand,
  },
  keys: {
    summary: 'Create, list and revoke API keys',
    load: async () => (await import('./keys.ts')).keysCommand,
  },
  register: {
    summary: 'Create or update the agent on the chat platform',
    async load() {
      const { registerCommand } = await import('./register.ts');
      const { agUi } = await import('./register-ag-ui.ts');
      const { mastraProvider: mastra } = await import('./register-mastra.ts');
      const { bot } = await import('./register-bot.ts');
      return registerCommand({ 'ag-ui': agUi, mastra, bot });
    },
  },
  migrate: {
    summary: 'Create or update the tables in DATABASE_URL',
    load: async () => (await import('./database.ts')).migrateCommand,
  },
  import: {
    summary: 'Copy documents into DATABASE_URL',
    load: async () => (await import('./database.ts')).importCommand,
  },
  export: {
    summary: 'Copy documents out of DATABASE_URL',
    load: async () => (await import('./database.ts')).exportCommand,
  },
  backup: {
    summary: 'Copy state and documents to one file',
    load: async () => (await import('./backup.ts')).backupCommand,
  },
  restore: {
    summary: 'Restore a backup',
    load: async () => (await import('./backup.ts')).restoreCommand,
  },
  calls: {
    summary: 'List and summarise calls',
    load: async () => (await import('./calls.ts')).callsCommand,
  },
};
process.exitCode = await runCommand(commands, process.argv.slice(2), process.env);
// Idle parser processes would keep the command running.
process.exit();
