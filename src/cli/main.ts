/** The process edge of the commands: `node src/cli/main.ts <command> …`, as the scripts of package.json call it. */
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';

enableCompileCache();
if (existsSync('.env')) process.loadEnvFile();
process.env['MASTRA_TELEMETRY_DISABLED'] = '1';
const { runCommand } = await import('./commands.ts');
process.exitCode = await runCommand(process.argv.slice(2), process.env);
// A parser that waits for its next source must not keep a command waiting.
process.exit();
