/** What middleware hands on to routes through Hono's context. */
import type { HttpBindings } from '@hono/node-server';
import type { Logger } from '../log.ts';
import type { Caller } from './caller.ts';

export interface AppEnv {
  // `app.request()` in a test brings no Node request.
  Bindings: Partial<HttpBindings>;
  Variables: { requestId: string; logger: Logger; caller: Caller };
}
