/** Fake OpenTelemetry collector on loopback: accepts traces as OTLP/HTTP JSON. */
import { text as textOf } from 'node:stream/consumers';
import { startSite } from './site.ts';

export type CollectedSpan = Readonly<{
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  /** 1 internal, 2 server, 3 client. */
  kind: number;
  attributes: Readonly<Record<string, unknown>>;
  status: { readonly code?: number };
}>;

export async function startCollector() {
  const spans: CollectedSpan[] = [];
  const headers: Record<string, unknown>[] = [];
  const resources: Readonly<Record<string, unknown>>[] = [];
  const toRecord = (
    attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[],
  ) => Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
  let raw = '';
  const { url } = await startSite({}, () => async (request, response) => {
    const body = await textOf(request);
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
  return { url, spans, headers, resources, raw: () => raw };
}
