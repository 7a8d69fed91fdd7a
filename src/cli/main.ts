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
const commands: Parameters<typeof runCommand>[0] = {
  init: [
    'Create a folder with sample documents',
    async () => (await import('./init.ts')).initCommand,
  ],
  serve: ['Start the server', async () => (await import('./serve.ts')).serveCommand],
  ingest: [
    'Read URLs, files, folders or text into a namespace',
    async () => (await import('./ingest.ts')).ingestCommand,
  ],
  ask: ['Ask the documents a question', async () => (await import('./ask.ts')).askCommand],
  eval: [
    'Measure answers against questions with known answers',
    async () => (await import('../../tools/eval/command.ts')).evalCommand,
  ],
  mcp: [
    'Serve the documents over MCP on standard input and output',
    async () => (await import('./mcp.ts')).mcpCommand,
  ],
  keys: ['Create, list and revoke API keys', async () => (await import('./keys.ts')).keysCommand],
  register: [
    'Create or update the agent on the chat platform',
    async () => {
      const { registerCommand } = await import('./register.ts');
      const { agUi } = await import('./register-ag-ui.ts');
      const { mastraProvider: mastra } = await import('./register-mastra.ts');
      const { bot } = await import('./register-bot.ts');
      return registerCommand({ 'ag-ui': agUi, mastra, bot });
    },
  ],
  migrate: [
    'Create or update the tables in DATABASE_URL',
    async () => (await import('./database.ts')).migrateCommand,
  ],
  import: [
    'Copy documents into DATABASE_URL',
    async () => (await import('./database.ts')).importCommand,
  ],
  export: [
    'Copy documents out of DATABASE_URL',
    async () => (await import('./database.ts')).exportCommand,
  ],
  backup: [
    'Copy state and documents to one file',
    async () => (await import('./backup.ts')).backupCommand,
  ],
  restore: ['Restore a backup', async () => (await import('./backup.ts')).restoreCommand],
  calls: ['List and summarise calls', async () => (await import('./calls.ts')).callsCommand],
};
process.exitCode = await runCommand(commands, process.argv.slice(2), process.env);
// Idle parser processes would keep the command running.
process.exit();
