/** `GET /metrics`, for Prometheus: of all namespaces together, so for those alone who may use every one. Served while the server opens, too. */
import type { Hono } from 'hono';
import type { KnowledgeApi } from '../app/knowledge-api.ts';
import { KnowledgeError } from '../errors.ts';
import type { AppEnv } from './auth/caller.ts';
import { serve } from './operation.ts';

export const metricsPath = '/metrics';

const output = {
  description: 'Prometheus text exposition format 0.0.4',
  content: { 'text/plain': { schema: { type: 'string' as const } } },
};

export function addMetricsRoute(app: Hono<AppEnv>, { metrics }: Pick<KnowledgeApi, 'metrics'>): void {
  serve(app, 'readMetrics', { output }, async (c) => {
    if (c.get('caller').namespaces)
      throw new KnowledgeError('right_missing', 'Metrics are of all namespaces, and this key or token is limited to some.');
    return c.body(await metrics.read(), 200, { 'content-type': metrics.contentType });
  });
}
