/**
 * OpenTelemetry: requests and their stages as spans, sent to a collector by OTLP over HTTP in JSON. The SDK is loaded only where a collector
 * is set up. Its exporter reads headers and certificates from `OTEL_EXPORTER_OTLP_…`; nothing is registered for the whole process. Spans
 * hold what the program says (operation, route, codes, counts), never what somebody wrote.
 */
import { randomUUID } from 'node:crypto';
import type { Attributes, Context, Span as SdkSpan, SpanContext, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import { lazy } from './concurrency/lazy.ts';
import type { RequestOutcome, RequestRecord, RequestSpan, TraceSpan } from './trace.ts';

export interface TracingOptions {
  /** Base URL; `/v1/traces` is put behind it. */
  readonly endpoint: string;
  /** Version of the server. */
  readonly version: string;
  readonly onWarning: (message: string, error?: unknown) => void;
}

/** Spans that wait; of more, the newest are dropped. */
const maxQueued = 2_048;
/** Until they are sent. */
const gatherMs = 2_000;
const exportMs = 5_000;
/** At the end of the process, for what waits. */
const flushMs = 800;

/** Version, trace, parent and flags; a version that is not known yet may have more behind it (W3C Trace Context, 3.2). */
const traceparentForm = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Undefined where it is none: the trace begins here. */
export function readTraceparent(header: string | undefined): SpanContext | undefined {
  const [, version, traceId, spanId, flags = '', more] = traceparentForm.exec(header?.trim() ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || (version === '00' && more !== undefined)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

/** The methods of RFC 9110 that are served, as semantic conventions write them: of others there may be any number. */
const knownMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

function rootAttributes({ facts, requestId }: RequestRecord, { method, route, status }: RequestOutcome): Attributes {
  return {
    'http.request.method': knownMethods.has(method) ? method : '_OTHER',
    'http.response.status_code': status,
    'knowledge.request_id': requestId,
    ...(route === undefined ? {} : { 'http.route': route }),
    ...(facts.code === undefined ? {} : { 'error.type': facts.code }),
    ...(facts.namespace === undefined ? {} : { 'knowledge.namespace': facts.namespace }),
    ...(facts.runId === undefined ? {} : { 'knowledge.run_id': facts.runId }),
    ...(facts.reason === undefined ? {} : { 'knowledge.answer.reason': facts.reason }),
  };
}

async function loadSdk({ endpoint, version, onWarning }: TracingOptions) {
  const [{ ROOT_CONTEXT, SpanKind, SpanStatusCode, trace }, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const otlp = new OTLPTraceExporter({ url, timeoutMillis: exportMs, concurrencyLimit: 1 });
  const warn = lazy(() => onWarning('traces do not reach OTEL_EXPORTER_OTLP_ENDPOINT; they are left out until they do'));
  // The SDK would tell it to nobody, or each time.
  const exporter: SpanExporter = {
    export: (spans, done) =>
      otlp.export(spans, (result) => {
        if (result.code !== 0) warn();
        done({ code: 0 });
      }),
    shutdown: () => otlp.shutdown(),
  };
  const limits = { attributeValueLengthLimit: 300, attributeCountLimit: 64 };
  const provider = new sdk.BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'knowledge-agent',
      'service.version': version,
      'service.instance.id': randomUUID(),
    }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.AlwaysOnSampler() }),
    generalLimits: limits,
    spanLimits: { ...limits, eventCountLimit: 0, linkCountLimit: 0, attributePerEventCountLimit: 0, attributePerLinkCountLimit: 0 },
    forceFlushTimeoutMillis: flushMs,
    spanProcessors: [
      new sdk.BatchSpanProcessor(exporter, {
        maxQueueSize: maxQueued,
        maxExportBatchSize: 512,
        scheduledDelayMillis: gatherMs,
        exportTimeoutMillis: exportMs,
      }),
    ],
  });
  const tracer = provider.getTracer('knowledge-agent');

  function toSpan(own: SdkSpan, context: Context, failed: SpanStatusCode, client: SpanKind): TraceSpan {
    const within = trace.setSpan(context, own);
    return {
      child: (name, isClient) => toSpan(tracer.startSpan(name, isClient ? { kind: client } : {}, within), within, failed, client),
      set: (attributes) => own.setAttributes(attributes as Attributes),
      end(failure) {
        if (failure !== undefined) own.setAttribute('error.type', failure).setStatus({ code: failed });
        own.end();
      },
    };
  }

  return {
    start(traceparent: string | undefined): RequestSpan {
      const parent = readTraceparent(traceparent);
      const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
      const own = tracer.startSpan('request', { kind: SpanKind.SERVER }, context);
      return {
        ...toSpan(own, context, SpanStatusCode.ERROR, SpanKind.CLIENT),
        endRequest(record, outcome) {
          own.updateName(outcome.operation ?? 'none').setAttributes(rootAttributes(record, outcome));
          if ((record.facts.lateStatus ?? outcome.status) >= 500) own.setStatus({ code: SpanStatusCode.ERROR });
          own.end();
        },
      };
    },
    close: () => provider.shutdown(),
  };
}

export type Tracing = ReturnType<typeof createTracing>;

/** @param options undefined: nothing is traced, and nothing loaded */
export function createTracing(options: TracingOptions | undefined) {
  let sdk: Awaited<ReturnType<typeof loadSdk>> | undefined;
  return {
    async open(): Promise<void> {
      if (options) sdk ??= await loadSdk(options);
    },
    /** Undefined where nothing is traced, or not yet. */
    start: (traceparent: string | undefined): RequestSpan | undefined => sdk?.start(traceparent),
    /** Sends what waits, within a time. */
    async close(): Promise<void> {
      const closing = sdk?.close();
      sdk = undefined;
      if (!closing) return;
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, flushMs);
      await Promise.race([closing.catch(() => undefined), late.promise]);
      clearTimeout(timer);
    },
  };
}
