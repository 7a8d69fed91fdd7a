/**
 * The Mastra instance, where Mastra's own tools (`mastra dev`, Studio) look for it. A process edge like `main.ts`: it reads the
 * environment, because those tools import this file and nothing else.
 */
import { compose } from '../compose.ts';
import { parseConfig } from '../config.ts';

process.env['MASTRA_TELEMETRY_DISABLED'] = '1';
const { mastra } = compose(parseConfig(process.env));

export { mastra };
