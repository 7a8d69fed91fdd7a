/** The chat tools over calls, for whoever builds a chat: scoped to the user who asks, as the agent's own are. */
import type { Context, Hono } from 'hono';
import { type CallsTools, listCallsInput, listCallsOutput, summarizeCallsInput, summarizeCallsOutput } from '../mastra/tools/calls.ts';
import { actingUserOf } from './acting-user.ts';
import type { AppEnv } from './app-env.ts';
import { jsonBody, requireJson } from './json-body.ts';
import { failures, operation } from './operation.ts';

const onBehalfOf = {
  name: 'onBehalfOf',
  in: 'header' as const,
  required: false,
  description: 'uid of the user who asks; only a key of CALLS_TRUSTED_KEYS may set it, a token speaks for its subject',
  schema: { type: 'string' as const },
};
const documented = { parameters: [onBehalfOf] };
const statuses = failures(400, 401, 403, 413, 415, 429, 502, 503, 504);

export function addCallsToolRoutes(
  app: Hono<AppEnv>,
  { listCalls, summarizeCalls }: CallsTools,
  signalOf: (c: Context<AppEnv>) => AbortSignal,
): void {
  app.post(
    '/api/tools/listCalls',
    operation('listMyCalls', 'Calls of the user who asks, newest first', listCallsOutput, statuses, documented),
    requireJson,
    jsonBody(listCallsInput),
    async (c) => c.json(await listCalls(c.req.valid('json'), actingUserOf(c), signalOf(c))),
  );

  app.post(
    '/api/tools/summarizeCalls',
    operation('summarizeCalls', 'What the calls of the user who asks add up to', summarizeCallsOutput, statuses, documented),
    requireJson,
    jsonBody(summarizeCallsInput),
    async (c) => c.json(await summarizeCalls(c.req.valid('json'), actingUserOf(c), signalOf(c))),
  );
}
