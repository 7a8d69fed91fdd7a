/** The process edge: the only reader of the environment besides `mastra/index.ts`, which is Mastra's own edge. */
import { enableCompileCache } from 'node:module';

// Compiled code is kept between starts, in the system's temporary folder; it has to be switched on before anything else is loaded.
enableCompileCache();
// Mastra reports usage to its makers unless it is told not to; nothing leaves this process unasked.
process.env['MASTRA_TELEMETRY_DISABLED'] = '1';
const { runServer } = await import('./server.ts');
await runServer(process.env);
