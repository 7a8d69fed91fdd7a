/**
 * OpenTelemetry: sends requests and stages as spans to a collector (OTLP over HTTP in JSON). The
 * SDK is loaded only if a collector is configured; it reads headers and certificates from
 * `OTEL_EXPORTER_OTLP_…`. Spans contain operations, routes, codes and counts, no user text.
 */
import { randomUUID } from 'node:crypto';
import type { Attributes, Context, Span as SdkSpan, SpanContext } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import { lazy } from '../packages/shared/src/concurrency/lazy.ts';
import type { Metrics } from './metrics.ts';
import { packageVersion } from './package.ts';
import type { RequestOutcome, RequestRecord, RequestSpan, TraceSpan, Watch } from './trace.ts';

type WatchOptions = Readonly<{
  metrics: Pick<Metrics, 'stageEnded' | 'requestEnded'>;
  /** Base URL of the collector; `/v1/traces` is appended. Undefined: the SDK is not loaded. */
  endpoint: string | undefined;
  onWarning: (message: string) => void;
  /** Gets the code of each failed request. */
  onFailure: (code: string | undefined) => void;
}>;

/** Maximum queued spans; further ones are dropped. */
const maxQueued = 2_048;
const batchDelayMs = 2_000;
const exportTimeoutMs = 5_000;
/** Maximum time to send queued spans at shutdown. */
const flushMs = 800;

/**
 * Version, trace, parent and flags; unknown versions may append fields (W3C Trace Context, 3.2).
 */
const traceparentForm =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Undefined if the header is missing or invalid; then a new trace begins. */
export function readTraceparent(header: string | undefined): SpanContext | undefined {
  const [, version, traceId, spanId, flags = '', more] =
    traceparentForm.exec(header?.trim() ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || (version === '00' && more !== undefined))
    return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

/** Other methods are reported as `_OTHER`, as semantic conventions require. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

function rootAttributes(
  { facts, requestId }: RequestRecord,
  { method, route, status }: RequestOutcome,
): Attributes {
  return {
    'http.request.method': knownMethods.has(method) ? method : '_OTHER',
    'http.response.status_code': status,
    'knowledge.request_id': requestId,
    // The SDK skips undefined values.
    'http.route': route,
    'error.type': facts.code,
    'knowledge.namespace': facts.namespace,
    'knowledge.run_id': facts.runId,
    'knowledge.answer.reason': facts.reason,
  };
}

interface TracingSdk {
  start(traceparent: string | undefined): RequestSpan;
  close(): Promise<void>;
}

async function loadSdk(
  endpoint: string,
  onWarning: (message: string) => void,
): Promise<TracingSdk> {
  const [
    { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace },
    sdk,
    { OTLPTraceExporter },
    { resourceFromAttributes },
  ] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const otlp = new OTLPTraceExporter({ url, timeoutMillis: exportTimeoutMs, concurrencyLimit: 1 });
  const warn = lazy(() =>
    onWarning('OTEL_EXPORTER_OTLP_ENDPOINT is unreachable; traces are dropped until it is back'),
  );
  // Warns once, because the SDK would log each failure or none.
  const exporter: SpanExporter = {
    export: (spans, done) =>
      otlp.export(spans, (result) => {
        if (result.code !== 0) warn();
        done({ code: 0 });
      }),
    shutdown: () => otlp.shutdown(),
  };
  const provider = new sdk.BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'knowledge-agent',
      'service.version': packageVersion,
      'service.instance.id': randomUUID(),
    }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.AlwaysOnSampler() }),
    // Spans have no events and no links.
    spanLimits: { attributeValueLengthLimit: 300, attributeCountLimit: 64 },
    forceFlushTimeoutMillis: flushMs,
    spanProcessors: [
      new sdk.BatchSpanProcessor(exporter, {
        maxQueueSize: maxQueued,
        maxExportBatchSize: 512,
        scheduledDelayMillis: batchDelayMs,
        exportTimeoutMillis: exportTimeoutMs,
      }),
    ],
  });
  const tracer = provider.getTracer('knowledge-agent');

  const failed = { code: SpanStatusCode.ERROR };
  function toSpan(own: SdkSpan, context: Context): TraceSpan {
    const within = trace.setSpan(context, own);
    return {
      child(name, isClient) {
        const options = isClient ? { kind: SpanKind.CLIENT } : {};
        return toSpan(tracer.startSpan(name, options, within), within);
      },
      set: (attributes) => own.setAttributes(attributes as Attributes),
      end(failure) {
        if (failure !== undefined) own.setAttribute('error.type', failure).setStatus(failed);
        own.end();
      },
    };
  }

  return {
    start(traceparent) {
      const parent = readTraceparent(traceparent);
      const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
      const own = tracer.startSpan('request', { kind: SpanKind.SERVER }, context);
      return {
        ...toSpan(own, context),
        endRequest(record, outcome) {
          own
            .updateName(outcome.operation ?? 'none')
            .setAttributes(rootAttributes(record, outcome));
          if ((record.facts.lateStatus ?? outcome.status) >= 500) own.setStatus(failed);
          own.end();
        },
      };
    },
    close: () => provider.shutdown(),
  };
}

/** Reports requests as metrics and, between `open` and `close`, as spans. */
export class RequestWatch implements Watch {
  readonly #options;
  #sdk: TracingSdk | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    const { endpoint, onWarning } = this.#options;
    if (endpoint !== undefined) this.#sdk ??= await loadSdk(endpoint, onWarning);
  }

  /** Sends queued spans, for at most 800 ms. */
  async close(): Promise<void> {
    const closing = this.#sdk?.close();
    this.#sdk = undefined;
    if (!closing) return;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, flushMs);
    await Promise.race([closing.catch(() => undefined), late.promise]);
    clearTimeout(timer);
  }

  begin(requestId: string, traceparent: string | undefined, isTraced: boolean): RequestRecord {
    return {
      requestId,
      span: isTraced ? this.#sdk?.start(traceparent) : undefined,
      stages: new Map(),
      tokens: { input: 0, output: 0 },
      onStage: (stage, ms) => this.#options.metrics.stageEnded(stage, ms),
      facts: {},
      isOver: false,
    };
  }

  end(record: RequestRecord, outcome: RequestOutcome): void {
    const { code, lateStatus: status = outcome.status } = record.facts;
    this.#options.metrics.requestEnded({ ...outcome, status }, record.facts);
    this.#options.onFailure(code);
    record.span?.endRequest(record, outcome);
  }
}
