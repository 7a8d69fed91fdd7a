/** The process edge of the commands: `node src/cli/main.ts <command> …`. Only the modules of that command are loaded. */
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';

enableCompileCache();
if (existsSync('.env')) process.loadEnvFile();
process.env['MASTRA_TELEMETRY_DISABLED'] = '1';
const { runCommand } = await import('./command.ts');
const commands = {
  ingest: async () => (await import('./ingest.ts')).ingestCommand,
  ask: async () => (await import('./ask.ts')).askCommand,
  eval: async () => (await import('../../tools/eval/command.ts')).evalCommand,
  gaps: async () => (await import('./gaps.ts')).gapsCommand,
  drift: async () => (await import('./drift.ts')).driftCommand,
  mcp: async () => (await import('./mcp.ts')).mcpCommand,
  keys: async () => (await import('./keys.ts')).keysCommand,
  register: async () => (await import('./register.ts')).registerCommand,
  migrate: async () => (await import('./database.ts')).migrateCommand,
  import: async () => (await import('./database.ts')).importCommand,
  export: async () => (await import('./database.ts')).exportCommand,
  backup: async () => (await import('./backup.ts')).backupCommand,
  restore: async () => (await import('./backup.ts')).restoreCommand,
  calls: async () => (await import('./calls.ts')).callsCommand,
};
process.exitCode = await runCommand(commands, process.argv.slice(2), process.env);
// A parser that waits for its next source must not keep a command waiting.
process.exit();
