/**
 * The API on one screen. Only this table decides which right an operation requires. The chat
 * dialects have cards of the same form.
 */
import type { Right } from '../rights.ts';

/** In the order of the documentation. */
export const groups = {
  Ask: 'Ask the agent. It answers only from the documents.',
  Ingest: 'Read sources and files into a namespace, and read them again.',
  Search: 'Find passages.',
  Documents: 'List, read and delete documents.',
  Jobs: 'Ingestion in the background: `ingestSources` and `refreshNamespace` with `"wait": false` return the id of a job.',
  Answers:
    'Check, read and rate earlier answers; list unanswered questions; read and delete conversations.',
  Calls: "The calling service's operations, and chat tools for the calls of one user.",
  Server: 'Health, readiness and metrics.',
  Compatibility: 'Paths and lists for earlier clients, and for tools that read them at start.',
};

/**
 * `nothing`: open, or authenticated by other credentials. `that of the tool`: the right of the
 * called tool, see `toolCards`.
 */
type NeededRight = Right | 'nothing' | 'that of the tool';

/** Work with its own rate limit, in addition to the general one. */
export type CountedWork = 'ask' | 'search' | 'ingest';

export type OperationCard = Readonly<{
  group: keyof typeof groups;
  right: NeededRight;
  /** `that of the tool`: the work of the called tool, see `toolCards`. */
  work?: CountedWork | 'that of the tool' | undefined;
  at: string;
  summary: string;
  /** Further failure statuses. `failuresOf` in `operation.ts` adds the common ones. */
  fails: readonly number[];
}>;

export type NamedCard = OperationCard & { readonly id: string };

const of =
  <Doing extends OperationCard['work'] = undefined>(group: OperationCard['group'], work?: Doing) =>
  <Needed extends NeededRight>(
    right: Needed,
    at: string,
    summary: string,
    ...fails: number[]
  ): OperationCard & { right: Needed; work: Doing } => ({
    group,
    right,
    work: work as Doing,
    at,
    summary,
    fails,
  });
const ask = of('Ask');
const ingest = of('Ingest', 'ingest');
const search = of('Search', 'search');
const documents = of('Documents');
const jobs = of('Jobs');
const answers = of('Answers');
const calls = of('Calls');
const server = of('Server');
const compatible = of('Compatibility');
const callTool = of('Compatibility', 'that of the tool');

/**
 * Lists of a Mastra server that its clients and Studio read at start, as `@mastra/client-js`
 * expects them.
 */
const emptyList = (path: string, what: string, list: object) => ({
  ...compatible('read', `GET /api/${path}`, `List ${what}, for Mastra's clients: always empty`),
  emptyList: list,
});
const emptyPage = { total: 0, page: 0, perPage: 10, hasMore: false };
const emptyPages = (path: string, what: string, list: string) =>
  emptyList(path, what, { [list]: [], pagination: emptyPage });

const document = '/api/namespaces/:namespace/documents/:id';
const gapChange = (change: string, summary: string, ...fails: number[]) =>
  answers('admin', `POST /api/gaps/:gapId/${change}`, summary, 404, 507, ...fails);

export const operations = {
  searchDocs: search(
    'search',
    'POST /api/tools/searchDocs',
    'Search a namespace for passages',
    404,
  ),
  mcp: ask('nothing', 'POST /mcp', 'Send one message of the Model Context Protocol', 404),
  receiveChatMessage: ask(
    'nothing',
    'POST /api/webhooks/chat',
    'Webhook for chat messages (signature or Basic auth)',
    400,
  ),
  listAgents: ask('ask', 'GET /api/agents', 'List the agents and their tools'),
  readAgent: compatible(
    'ask',
    'GET /api/agents/:agentId',
    'Read an agent with the schemas of its tools, without its instructions',
    404,
  ),
  executeAgentTool: callTool(
    'that of the tool',
    'POST /api/agents/:agentId/tools/:toolId/execute',
    'Call a tool of the agent',
    404,
    502,
    504,
  ),
  listTools: compatible('read', 'GET /api/tools', 'List all tools with their schemas'),
  readTool: compatible('read', 'GET /api/tools/:toolId', 'Read the schemas of a tool', 404),
  executeTool: callTool(
    'that of the tool',
    'POST /api/tools/:toolId/execute',
    'Call a tool',
    404,
    409,
    502,
    504,
    507,
  ),
  listWorkflows: emptyList('workflows', 'workflows', {}),
  listProcessors: emptyList('processors', 'processors', {}),
  listScorers: emptyList('scores/scorers', 'scorers', {}),
  listScores: emptyPages('observability/scores', 'scores', 'scores'),
  listTraces: emptyPages('observability/traces', 'traces', 'spans'),
  listTracesLight: emptyPages('observability/traces/light', 'traces without details', 'spans'),
  listFeedback: emptyPages('observability/feedback', 'feedback of traces', 'feedback'),
  listLogs: emptyPages('observability/logs', 'logs', 'logs'),
  listEarlierLogs: emptyList('logs', 'logs of earlier clients', { logs: [], ...emptyPage }),
  listLogTransports: emptyList('logs/transports', 'log transports', { transports: [] }),
  listMcpServers: emptyList('mcp/v0/servers', 'MCP servers', {
    servers: [],
    total_count: 0,
    next: null,
  }),
  listVectors: emptyList('vectors', 'vector stores', { vectors: [] }),
  listDatasets: emptyPages('datasets', 'datasets', 'datasets'),
  listExperiments: emptyPages('experiments', 'experiments', 'experiments'),
  listWorkspaces: emptyList('workspaces', 'workspaces', { workspaces: [] }),

  ingestSources: ingest(
    'write',
    'POST /api/tools/ingestSources',
    'Ingest URLs, sites, files, folders and texts into a namespace',
    409,
    507,
  ),
  listNamespaces: documents(
    'read',
    'GET /api/namespaces',
    'List your namespaces with their sizes and schedules',
  ),
  deleteNamespace: documents(
    'write',
    'DELETE /api/namespaces/:namespace',
    'Delete a namespace with its documents, folder and jobs',
    400,
    404,
    507,
  ),
  refreshNamespace: ingest(
    'write',
    'POST /api/namespaces/:namespace/refresh',
    'Ingest the sources of the documents again',
    404,
    409,
    507,
  ),
  uploadDocuments: ingest(
    'write',
    'POST /api/namespaces/:namespace/documents',
    'Upload files and ingest them',
    400,
    409,
    415,
    504,
    507,
  ),
  listDocuments: documents(
    'read',
    'GET /api/namespaces/:namespace/documents',
    'List the documents of a namespace',
    404,
  ),
  suggestQuestions: documents(
    'ask',
    'GET /api/namespaces/:namespace/suggestions',
    'List questions that the documents answer',
    404,
  ),
  deleteSchedule: documents(
    'write',
    'DELETE /api/namespaces/:namespace/schedules/:scheduleId',
    'Delete a schedule; its documents stay',
    400,
    404,
    507,
  ),
  readDocument: documents(
    'read',
    `GET ${document}`,
    'Read a document: its metadata and Markdown',
    400,
    404,
  ),
  deleteDocument: documents(
    'write',
    `DELETE ${document}`,
    'Delete a document and all data derived from it',
    400,
    404,
    409,
    507,
  ),

  readState: documents(
    'nothing',
    'GET /api/state',
    'Read the state and limits of the server, and the rights of the caller',
  ),

  listJobs: jobs(
    'write',
    'GET /api/namespaces/:namespace/jobs',
    'List the newest 20 jobs of a namespace, newest first',
  ),
  readJob: jobs('write', 'GET /api/jobs/:id', 'Read the report of a job', 404),
  followJob: jobs(
    'write',
    'GET /api/jobs/:id/events',
    'Stream the progress of a job as server-sent events',
    404,
  ),
  cancelJob: jobs('write', 'DELETE /api/jobs/:id', 'Cancel a job; stored documents stay', 404, 507),

  verifyAnswer: answers(
    'read',
    'POST /api/answers/verify',
    'Check whether quotes still match their documents',
  ),
  listAnswers: answers(
    'admin',
    'GET /api/answers',
    'List recent answers and whether their quotes still match',
    404,
  ),
  readAnswer: answers(
    'read',
    'GET /api/answers/:runId',
    'Read a recent answer with the scores of its check',
    400,
    404,
    507,
  ),
  giveFeedback: answers(
    'ask',
    'POST /api/answers/:runId/feedback',
    'Rate an answer; your latest rating counts',
    404,
    507,
  ),
  listGaps: answers(
    'admin',
    'GET /api/gaps',
    'List unanswered questions, similar ones grouped, most asked first',
    404,
  ),
  draftAnswer: gapChange('draft', 'Propose an answer for review'),
  approveAnswer: gapChange(
    'approve',
    'Make a document of a reviewed draft; also needs the right `write`',
    409,
    422,
  ),
  dismissGap: gapChange('dismiss', 'Dismiss a gap'),
  reopenGap: gapChange('reopen', 'Open a gap again'),
  mergeGaps: gapChange('merge', 'Merge a gap into another one'),
  splitGap: gapChange('split', 'Move some questions of a gap into a new one'),
  readInsights: answers(
    'admin',
    'GET /api/insights',
    'Read figures per week and namespace, as JSON or CSV',
    404,
  ),
  listThreads: answers('read', 'GET /api/memory/threads', 'List your conversations, newest first'),
  readThread: answers(
    'read',
    'GET /api/memory/threads/:threadId',
    'Read the metadata of one of your conversations',
    404,
  ),
  listThreadMessages: answers(
    'read',
    'GET /api/memory/threads/:threadId/messages',
    'List the messages of one of your conversations',
    404,
  ),
  pageThreadMessages: compatible(
    'read',
    'GET /api/memory/threads/:threadId/messages/paginated',
    'List the messages of one of your conversations (path of earlier clients)',
    404,
  ),
  deleteMessages: answers('read', 'POST /api/memory/messages/delete', 'Delete your messages', 507),
  deleteThread: answers(
    'read',
    'DELETE /api/memory/threads/:threadId',
    'Delete one of your conversations permanently',
    404,
    507,
  ),

  listCalls: calls('calls', 'GET /v3/calls', 'List calls, newest first', 400, 502, 504),
  summarizeAllCalls: calls(
    'calls',
    'GET /v3/calls/summary',
    'Count calls and minutes by day, type, status and user',
    400,
    502,
    504,
  ),
  readCall: calls('calls', 'GET /v3/calls/:sessionId', 'Read a call', 400, 404, 502, 504),
  listTranscriptions: calls(
    'calls',
    'GET /v3/calls/:sessionId/transcriptions',
    'List the transcriptions of a call, newest first',
    400,
    404,
    502,
    504,
  ),
  listMyCalls: calls(
    'calls',
    'POST /api/tools/listCalls',
    "List the user's own calls, newest first",
    502,
    504,
  ),
  summarizeCalls: calls(
    'calls',
    'POST /api/tools/summarizeCalls',
    "Count the user's own calls and minutes",
    502,
    504,
  ),

  health: server('nothing', 'GET /health', 'Check whether the process is alive'),
  readMetrics: server(
    'admin',
    'GET /metrics',
    'Read Prometheus metrics; requires access to all namespaces',
  ),
  readWidget: server('nothing', 'GET /widget.js', 'Load the chat widget for other web pages'),
  ready: server('nothing', 'GET /ready', 'Check whether the server is ready for requests', 503),
};
export type OperationId = keyof typeof operations;

/**
 * Whether the operation changes data, so that the audit log records it. @param tool the tool that
 * it calls
 */
export function isWrite(
  id: string,
  { at, group, right }: OperationCard,
  tool: string | undefined,
): boolean {
  if (right === 'that of the tool' || id === 'mcp')
    return tool !== undefined && toolCards[tool as ToolName]?.right === 'write';
  const isReading = at.startsWith('GET ') || id === 'verifyAnswer';
  return !isReading && (right === 'write' || group === 'Answers');
}

/** Right and work of each tool: those of an operation, or explicit values. */
export const toolCards = {
  askKnowledge: { right: 'ask', work: 'ask' },
  searchDocs: operations.searchDocs,
  docsRetriever: operations.searchDocs,
  ingestSources: operations.ingestSources,
  listCalls: operations.listMyCalls,
  summarizeCalls: operations.summarizeCalls,
} as const;
export type ToolName = keyof typeof toolCards;

const agentKey = 'a key of the response of GET /api/agents';
export const pathParameters: Readonly<Record<string, string>> = {
  'agents/:agentId': agentKey,
  'chat/:agentId': agentKey,
  'agentId/:chatId': 'id of the chat',
  'tools/:toolId': "a key of the response of GET /api/tools, or of the agent's tools",
  'namespaces/:namespace': 'name of the namespace',
  'documents/:id': 'id of the document',
  'schedules/:scheduleId': 'id of a schedule; GET /api/namespaces lists them',
  'jobs/:id': 'id of a job; ingestSources and refreshNamespace return it with "wait": false',
  'gaps/:gapId': 'id of a gap; GET /api/gaps lists them',
  'answers/:runId': 'runId of a recent answer; generate returns it',
  'threads/:threadId': 'name that the client chose for the thread',
  'calls/:sessionId': 'sessionId of the call',
  'models/:model': 'id of a model; GET /v1/models lists them',
};
