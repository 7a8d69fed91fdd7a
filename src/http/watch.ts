/**
 * Logs, counts and traces each finished request. Lines contain routes and valid names, never paths
 * or text of the request.
 */
import { matchedRoutes } from 'hono/route';
import { lazy } from '../../packages/shared/src/concurrency/lazy.ts';
import type { ErrorCode } from '../../packages/shared/src/errors.ts';
import type { Logger } from '../log.ts';
import { inRequest, type RequestRecord } from '../trace.ts';
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

const maxCallerChars = 200;

const probePaths = new Set(['/health', '/ready', metricsPath]);
const isProbe = (c: AppContext) => probePaths.has(c.req.path);

function createOperationFinder(app: App) {
  const own = Object.entries(operations).map(([id, card]) => ({ id, ...card }));
  const asking = dialects.flatMap(({ operations, pages = [] }) => [...operations, ...pages]);
  const cards = new Map<string, NamedCard>(
    [...own, ...asking.map(({ card }) => card)].map((card) => [card.at, card]),
  );
  const served = lazy(
    () => new Set(app.routes.filter(({ method }) => method !== 'ALL').map(({ path }) => path)),
  );
  return (c: AppContext) => {
    const paths = matchedRoutes(c).map(({ path }) => path);
    const method = c.req.method === 'HEAD' ? 'GET' : c.req.method;
    // The first match answers the request. A path that was requested with a wrong method has a
    // route, but no card.
    const [card] = paths.flatMap((path) => cards.get(`${method} ${path}`) ?? []);
    return {
      card,
      route: card ? card.at.split(' ')[1] : paths.findLast((path) => served().has(path)),
    };
  };
}

/** @returns undefined if the request is not audited */
function auditOf({ code = '', isForeign, tool }: RequestRecord['facts'], card?: NamedCard) {
  if (refusals.has(code) || isForeign) return 'refused';
  return card && isWrite(card.id, card, tool) ? 'write' : undefined;
}

export function watchRequests(app: App, { watch }: KnowledgeApi, logger: Logger): Middleware {
  const find = createOperationFinder(app);

  function report(c: AppContext, record: RequestRecord, started: number) {
    record.isOver = true;
    const { requestId, facts, tokens } = record;
    const { namespace, tool, runId, reason, code, changed } = facts;
    const { card, route } = find(c);
    const operation = card?.id;
    const caller = c.get('caller')?.id.slice(0, maxCallerChars) ?? `address:${c.get('address')}`;
    const { method } = c.req;
    const { status } = c.res;
    const ms = performance.now() - started;
    const common = { requestId, operation, tool, caller, namespace, status, code };
    const shown = {
      method,
      path: route ?? null,
      runId,
      reason,
      tokens: tokens.input + tokens.output > 0 ? tokens : undefined,
      ms: Math.round(ms),
      stages: Object.fromEntries(
        Array.from(record.stages, ([stage, spent]) => [stage, Math.round(spent * 10) / 10]),
      ),
    };
    logger[isProbe(c) ? 'debug' : 'info']({ ...common, ...shown }, 'request');
    const audit = auditOf(facts, card);
    if (audit) logger.audit({ audit, ...common, address: c.get('address'), changed }, 'audit');
    // A probe that fails while the server starts or stops is not a failed request.
    if (isProbe(c) && c.req.path !== metricsPath) {
      const { code: _, ...others } = facts;
      record.facts = others;
    }
    watch.end(record, { caller, operation, method, route, status, ms });
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
