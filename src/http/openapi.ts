/**
 * The OpenAPI document, generated from the routes, and Swagger UI. The page loads nothing from other hosts and has no inline script, so its
 * policy is strict (docs/decisions/0019). Example values work with the sample data; deletions use the namespace `try`.
 */
import { basename, join } from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import { swaggerUI } from '@hono/swagger-ui';
import { type Context, Hono } from 'hono';
import { generateSpecs } from 'hono-openapi';
import { TimeSlicer } from '../../packages/shared/src/concurrency/time-slicer.ts';
import type { Config } from '../config.ts';
import { packageVersion } from '../package.ts';
import { dialectExamples } from './agents/agent-routes.ts';
import type { App, AppEnv, Middleware } from './auth/caller.ts';
import bodies from './examples.json' with { type: 'json' };
import { groups, type OperationId } from './operations.ts';
import { builtPage, pagePolicy, swaggerFiles } from './page.ts';

const httpScheme = (scheme: string) => ({ type: 'http' as const, scheme });
const headerScheme = (name: string) => ({ type: 'apiKey' as const, in: 'header' as const, name });

const documentation = {
  info: {
    title: 'Knowledge Agent Service',
    version: packageVersion,
    description: 'Short, cited answers from ingested documents.',
  },
  components: {
    securitySchemes: {
      bearer: {
        ...httpScheme('bearer'),
        description: 'a key of API_KEYS or API_KEYS_FILE, or a JWT',
      },
      apiKey: headerScheme('x-api-key'),
      basic: {
        ...httpScheme('basic'),
        description: 'only for chat webhooks: CHAT_WEBHOOK_PASSWORD',
      },
      signature: {
        ...headerScheme('webhook-signature'),
        description:
          'only for chat webhooks (Standard Webhooks), with the headers webhook-id and webhook-timestamp',
      },
      callsApiKey: { ...headerScheme('apikey'), description: 'only below /v3' },
    },
  },
  security: [{}, { bearer: [] }, { apiKey: [] }],
};

type Example = Readonly<{ parameters?: Readonly<Record<string, string | number>>; body?: unknown }>;

const textToTry = { text: 'Refunds are paid within 30 days of purchase.', title: 'Refund FAQ' };

const query = 'how are refunds paid';

const unknownId = '00000000-0000-4000-8000-000000000000';

/** Parameters of paths, and the header `apikey`, unless an operation has its own. */
const commonParameters: Readonly<Record<string, string>> = {
  agentId: 'knowledge',
  chatId: 'chat-1',
  toolId: 'searchDocs',
  namespace: 'default',
  id: unknownId,
  runId: unknownId,
  threadId: 'try',
  model: 'knowledge',
  apikey: 'any',
  sessionId: 'v1.us.26a7f3c1d2e4.6a8ab71ee7e404b0a5b30b27b853',
};

const examples = {
  executeAgentTool: {
    parameters: { toolId: 'docsRetriever' },
    body: { data: { query } },
  },
  executeTool: { body: { data: { query, maxResults: 3 } } },
  mcp: { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
  searchDocs: { body: { namespace: 'default', query, maxResults: 3 } },
  ingestSources: { body: { namespace: 'try', sources: [textToTry] } },
  uploadDocuments: { parameters: { namespace: 'try' } },
  suggestQuestions: { parameters: { limit: 3 } },
  readDocument: { parameters: { id: bodies.citation.documentId } },
  refreshNamespace: { body: { prune: false, wait: true } },
  deleteSchedule: { parameters: { namespace: 'try', scheduleId: unknownId.slice(-12) } },
  deleteDocument: { parameters: { namespace: 'try', id: 'dbd641667725f62fc279' } },
  deleteNamespace: { parameters: { namespace: 'try' } },
  draftAnswer: { body: { text: 'Refunds take 5 to 10 business days.', author: 'Elena Petrova' } },
  approveAnswer: { body: {} },
  dismissGap: { body: {} },
  reopenGap: { body: {} },
  mergeGaps: { body: { into: 'id of another gap' } },
  splitGap: { body: { questions: ['how long do refunds take?'] } },
  verifyAnswer: { body: { namespace: 'default', citations: [bodies.citation] } },
  pageThreadMessages: { parameters: { selectBy: '{"pagination":{"page":0,"perPage":10}}' } },
  deleteMessages: { body: { messageIds: ['an id of a message'] } },
  giveFeedback: { body: { rating: 'up', comment: 'short and right' } },
  listCalls: { parameters: { perPage: 5 } },
  summarizeAllCalls: { parameters: { by: 'day,type', timeZone: 'Europe/Berlin' } },
  // Only keys of CALLS_TRUSTED_KEYS may name a user; others leave the header empty.
  listMyCalls: { parameters: { onBehalfOf: 'uma.reddy' }, body: { statuses: ['ended'] } },
  summarizeCalls: { parameters: { onBehalfOf: 'uma.reddy' }, body: { by: ['status'] } },
  receiveChatMessage: { body: bodies.chatMessage },
} as const satisfies { readonly [Id in OperationId]?: Example };

type Document = Awaited<ReturnType<typeof generateSpecs>>;
type DocumentedOperation = NonNullable<NonNullable<NonNullable<Document['paths']>[string]>['get']>;

function fillForm(operation: DocumentedOperation, { parameters, body: value }: Example) {
  // Operations share the objects that describe their parameters.
  operation.parameters &&= operation.parameters.map((parameter) => {
    if (!('name' in parameter)) return parameter;
    const { name, in: place } = parameter;
    const common = place === 'query' ? undefined : commonParameters[name];
    const example = parameters?.[name] ?? common;
    return example === undefined ? parameter : { ...parameter, example };
  });
  const body = operation.requestBody;
  const json = body && 'content' in body ? body.content['application/json'] : undefined;
  if (json && value !== undefined) json.example = value;
}

/** Generates the document path by path, so that the event loop stays free: the whole takes a second on a slow machine. */
async function describeRoutes(
  app: App,
  options: Parameters<typeof generateSpecs>[1],
): Promise<Document> {
  const slicer = new TimeSlicer();
  const one = new Hono<AppEnv>();
  const document = await generateSpecs(one, options);
  const { paths = {}, components = {} } = document;
  for (const routes of Map.groupBy(app.routes, ({ path }) => path).values()) {
    one.routes = routes;
    const described = await generateSpecs(one, options);
    for (const [path, methods] of Object.entries(described.paths ?? {}))
      paths[path] = { ...paths[path], ...methods };
    components.schemas = { ...components.schemas, ...described.components?.schemas };
    await slicer.pause();
  }
  return { ...document, paths, components };
}

function withExamples(document: Document): Document {
  const all: Readonly<Record<string, Example>> = { ...examples, ...dialectExamples };
  for (const methods of Object.values(document.paths ?? {})) {
    for (const operation of [methods?.get, methods?.post, methods?.delete]) {
      if (operation) fillForm(operation, all[operation.operationId ?? ''] ?? {});
    }
  }
  const tags = Object.entries(groups).map(([name, description]) => ({ name, description }));
  return { ...document, tags };
}

const assetPath = `/swagger-ui/swagger-ui-dist/:asset{${swaggerFiles.join('|').replaceAll('.', '\\.')}}`;

const documentUrl = 'api/openapi.json';
/** The last group is folded. */
const startScript = `const page = SwaggerUIBundle({
  dom_id: '#swagger-ui',
  url: '${documentUrl}',
  onComplete: () => page.layoutActions.show(['operations-tag', 'Compatibility'], false),
});
`;

/** Replaces the package's HTML, which has an inline script. */
const page = swaggerUI<AppEnv>({
  title: documentation.info.title,
  url: documentUrl,
  baseUrl: 'swagger-ui',
  manuallySwaggerUIHtml: ({ css, js }) =>
    [
      ...css.map((url) => `<link rel="stylesheet" href="${url}" />`),
      '<div id="swagger-ui"></div>',
      ...[...js, 'swagger-ui/start.js'].map((url) => `<script src="${url}" defer></script>`),
    ].join('\n'),
});

/** Swagger UI sets inline styles, and its style sheet contains `data:` images. */
const policy = pagePolicy({
  'style-src': "'self' 'unsafe-inline'",
  'img-src': "'self' data:",
});

export function addDocumentation(app: App, { pathPrefix = '', publicUrl }: Config): void {
  // A path: Swagger UI may ask only its own origin.
  const below = publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
  const path = `${below}${pathPrefix}`;
  const servers = path === '' ? {} : { servers: [{ url: path }] };
  const options = { documentation: { ...documentation, ...servers }, excludeStaticFile: false };
  let document: Promise<unknown> | undefined;
  app.get('/api/openapi.json', async (c) => {
    document ??= describeRoutes(app, options).then(withExamples);
    return c.json(await document);
  });

  const withPolicy: Middleware = (c, next) => {
    c.header('content-security-policy', policy);
    return next();
  };
  app.get('/swagger-ui', withPolicy, page);

  app.get('/swagger-ui/start.js', (c) =>
    c.body(startScript, 200, { 'content-type': 'text/javascript; charset=utf-8' }),
  );

  // Relative: a proxy may have removed a path.
  app.get('/swagger-ui/', (c) => c.redirect('../swagger-ui'));
  app.get('/favicon.ico', (c) => c.redirect('swagger-ui/swagger-ui-dist/favicon-32x32.png'));

  const onFound = (_path: string, c: Context) => c.header('cache-control', 'public, max-age=86400');
  app.get(
    assetPath,
    serveStatic({
      root: join(builtPage, 'swagger-ui'),
      rewriteRequestPath: (path) => basename(path),
      onFound,
    }),
  );
}
