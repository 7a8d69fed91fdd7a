/** Entry point of the server. Only the entry points read the environment. */
import { enableCompileCache } from 'node:module';

// Caches compiled code in the system's temporary folder. It must be enabled before other modules
// are loaded.
enableCompileCache();
// Without this, Mastra sends usage data to its vendor.
process.env['MASTRA_TELEMETRY_DISABLED'] = '1';
// Without this, Mastra may download lists of models.
process.env['MASTRA_OFFLINE'] = '1';
const { runServer } = await import('./server.ts');
await runServer(process.env);
