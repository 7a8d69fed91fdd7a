/**
 * Logs, counts and traces each finished request. Lines contain routes and valid names, never paths
 * or text of the request.
 */
import { matchedRoutes } from 'hono/route';
import { lazy } from '../../packages/shared/src/concurrency/lazy.ts';
import type { ErrorCode } from '../../packages/shared/src/errors.ts';
import type { Logger } from '../log.ts';
import { inRequest, type RequestOutcome, type RequestRecord } from '../trace.ts';
import { dialects } from './agents/agent-routes.ts';
import type { App, AppContext, Middleware } from './auth/caller.ts';
import type { KnowledgeApi } from './knowledge-api.ts';
import { isWrite, type NamedCard, operations } from './operations.ts';
import { metricsPath } from './state-route.ts';

const refusals: ReadonlySet<string> = new Set<ErrorCode>([
  'unauthorized',
  'right_missing',
  'namespace_not_allowed',
  'acting_user_not_allowed',
]);

const cardsByPlace = (): ReadonlyMap<string, NamedCard> =>
  new Map(
    [
      ...Object.entries(operations).map(([id, card]) => ({ id, ...card })),
      ...dialects.flatMap((dialect) =>
        [...dialect.operations, ...(dialect.pages ?? [])].map(({ card }) => card),
      ),
    ].map((card) => [card.at, card]),
  );

const tenthOf = (ms: number) => Math.round(ms * 10) / 10;

const maxCallerChars = 200;

const probePaths: ReadonlySet<string> = new Set(['/health', '/ready', metricsPath]);
const isProbe = (c: AppContext): boolean => probePaths.has(c.req.path);

function createOperationFinder(app: App) {
  const cards = cardsByPlace();
  const served = lazy(
    () => new Set(app.routes.filter(({ method }) => method !== 'ALL').map(({ path }) => path)),
  );
  return (c: AppContext) => {
    const paths = matchedRoutes(c).map(({ path }) => path);
    const method = c.req.method === 'HEAD' ? 'GET' : c.req.method;
    // The first match answers the request. A path that was requested with a wrong method has a
    // route, but no card.
    const card = paths
      .map((path) => cards.get(`${method} ${path}`))
      .find((one) => one !== undefined);
    return {
      card,
      route: card ? card.at.split(' ')[1] : paths.findLast((path) => served().has(path)),
    };
  };
}

function callerOf(c: AppContext): {
  readonly caller: string | undefined;
  readonly address: string | undefined;
} {
  const address = c.get('address');
  return { caller: c.get('caller')?.id.slice(0, maxCallerChars) ?? `address:${address}`, address };
}

export function watchRequests(
  app: App,
  { watch }: Pick<KnowledgeApi, 'watch'>,
  logger: Logger,
): Middleware {
  const find = createOperationFinder(app);

  function report(c: AppContext, record: RequestRecord, started: number): void {
    record.isOver = true;
    const { card, route } = find(c);
    const { method } = c.req;
    const { caller, address } = callerOf(c);
    const outcome: RequestOutcome = {
      caller,
      operation: card?.id,
      method,
      route,
      status: c.res.status,
      ms: performance.now() - started,
    };
    const { requestId, facts, stages } = record;
    const { namespace, tool, runId, reason, code, changed } = facts;
    const common = {
      requestId,
      operation: card?.id,
      tool,
      caller,
      namespace,
      status: c.res.status,
      code,
    };
    const times = Object.fromEntries(
      Array.from(stages, ([stage, spent]) => [stage, tenthOf(spent)]),
    );
    const tokens = record.tokens.input + record.tokens.output > 0 ? record.tokens : undefined;
    const line = {
      ...common,
      method,
      path: route ?? null,
      runId,
      reason,
      tokens,
      ms: Math.round(outcome.ms),
      stages: times,
    };
    if (isProbe(c)) logger.debug(line, 'request');
    else logger.info(line, 'request');
    const isRefused = refusals.has(code ?? '') || facts.isForeign;
    if (isRefused || (card && isWrite(card.id, card, tool)))
      logger.audit(
        { audit: isRefused ? 'refused' : 'write', ...common, address, changed },
        'audit',
      );
    // A probe that fails while the server starts or stops is not a failed request.
    if (isProbe(c) && c.req.path !== metricsPath) {
      const { code: _, ...others } = facts;
      record.facts = others;
    }
    watch.end(record, outcome);
  }

  return async (c, next) => {
    const started = performance.now();
    const record = watch.begin(c.get('requestId'), c.req.header('traceparent'), !isProbe(c));
    await inRequest(record, next);
    const { outgoing } = c.env ?? {};
    const { headers } = c.res;
    const isStream =
      headers.has('x-accel-buffering') ||
      headers.get('content-type')?.startsWith('text/event-stream');
    if (outgoing && isStream && !outgoing.closed)
      outgoing.once('close', () => report(c, record, started));
    else report(c, record, started);
  };
}
