/** Fake OpenTelemetry collector on loopback: accepts traces as OTLP/HTTP JSON. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { whenDone } from './when-done.ts';

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: { readonly code?: number };
}

export async function startCollector() {
  const spans: CollectedSpan[] = [];
  const headers: Record<string, unknown>[] = [];
  const resources: Readonly<Record<string, unknown>>[] = [];
  const toRecord = (
    attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[],
  ) => Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
  let raw = '';
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    raw += body;
    headers.push({ url: request.url, ...request.headers });
    for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
      if (!JSON.stringify(resource).includes('knowledge-agent')) continue;
      resources.push(toRecord(resource.attributes));
      for (const { spans: sent } of scopeSpans)
        for (const { attributes, ...span } of sent)
          spans.push({ ...span, attributes: toRecord(attributes) });
    }
    response.setHeader('content-type', 'application/json').end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  whenDone(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    headers,
    resources,
    raw: () => raw,
    close: () => server.close(),
  };
}
