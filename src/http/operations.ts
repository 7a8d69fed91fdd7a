/** The API on one screen, with the right that each operation takes: the one table that decides. `agents/dialects/` has cards of this form. */
import manifest from '../../package.json' with { type: 'json' };
import type { Right } from '../rights.ts';

export const apiVersion = manifest.version;

export const groups = {
  Ask: 'Ask the agent, or search what it reads. It answers only where it is mentioned, and only from the documents.',
  Documents: 'What the agent knows: read sources into a namespace, list, read, refresh and delete documents.',
  Jobs: 'Long work: `ingestSources` and `refreshNamespace` with `"wait": false` return the id of a job.',
  Answers: 'After an answer: check its citations, read it again, rate it; and what could not be answered.',
  Calls: "The calling service's own operations, and chat tools over the calls of the user who asks.",
  Server: 'Whether the process is alive and ready, and what other agents read of this one, open to everybody; and what it counts.',
};

/** `nothing`: open to everybody, or another credential proves the sender. `that of the tool`: of the tool that it calls, see `toolRights`. */
export type NeededRight = Right | 'nothing' | 'that of the tool';

/** What has limits of its own beside the general one: `ask` of `RATE_LIMIT_PER_MINUTE` and its like. */
export type CountedWork = 'ask' | 'search' | 'ingest';

export interface OperationCard {
  readonly group: keyof typeof groups;
  readonly right: NeededRight;
  /** Undefined: none of them. `that of the tool`: of the one that it calls, see `toolWorks`. */
  readonly work?: CountedWork | 'that of the tool' | undefined;
  readonly at: string;
  readonly summary: string;
  /** Statuses of its failures, besides those that every operation, its method and its input bring. */
  readonly fails: readonly number[];
}

const of =
  <Doing extends OperationCard['work'] = undefined>(group: OperationCard['group'], work?: Doing) =>
  <Needed extends NeededRight>(
    right: Needed,
    at: string,
    summary: string,
    ...fails: number[]
  ): OperationCard & { right: Needed; work: Doing } => ({ group, right, work: work as Doing, at, summary, fails });
const [ask, documents, jobs, answers, calls, server] = [of('Ask'), of('Documents'), of('Jobs'), of('Answers'), of('Calls'), of('Server')];
const [search, ingest, callTool] = [of('Ask', 'search'), of('Documents', 'ingest'), of('Ask', 'that of the tool')];

const document = '/api/namespaces/:namespace/documents/:id';

export const operations = {
  searchDocs: search('read', 'POST /api/tools/searchDocs', 'Find passages in a namespace', 404),
  mcp: ask('nothing', 'POST /mcp', 'Model Context Protocol: one JSON-RPC message, such as a call of a tool'),
  receiveChatMessage: ask('nothing', 'POST /api/webhooks/chat', 'Where a chat platform tells what is said (signature or Basic auth)', 400),
  listAgents: ask('read', 'GET /api/agents', 'The agents and their tools'),
  readAgent: ask('read', 'GET /api/agents/:agentId', 'An agent and what its tools take and give; never its instructions', 404),
  readAgentTool: ask('read', 'GET /api/agents/:agentId/tools/:toolId', 'A tool of the agent', 404),
  executeAgentTool: callTool(
    'that of the tool',
    'POST /api/agents/:agentId/tools/:toolId/execute',
    'Call a tool of the agent, with its input as data',
    404,
    502,
    504,
  ),
  listTools: ask('read', 'GET /api/tools', 'Every tool: what it takes and gives'),
  readTool: ask('read', 'GET /api/tools/:toolId', 'A tool: what it takes and gives', 404),
  executeTool: callTool(
    'that of the tool',
    'POST /api/tools/:toolId/execute',
    'Call a tool as by its own path, with its input as data',
    404,
    409,
    502,
    504,
    507,
  ),

  ingestSources: ingest('write', 'POST /api/tools/ingestSources', 'Read URLs, sites, files, folders and texts into a namespace', 409, 507),
  listNamespaces: documents('read', 'GET /api/namespaces', 'The namespaces and what they hold'),
  deleteNamespace: documents(
    'write',
    'DELETE /api/namespaces/:namespace',
    'Delete a namespace: its documents, its folder, its jobs',
    400,
    404,
    507,
  ),
  refreshNamespace: ingest('write', 'POST /api/namespaces/:namespace/refresh', 'Read the sources of the documents again', 404, 409, 507),
  uploadDocuments: ingest(
    'write',
    'POST /api/namespaces/:namespace/documents',
    'Send files, which are read into the namespace as ingestSources reads them',
    400,
    409,
    415,
    504,
    507,
  ),
  listDocuments: documents('read', 'GET /api/namespaces/:namespace/documents', 'The documents of a namespace, page by page', 404),
  deleteSchedule: documents(
    'write',
    'DELETE /api/namespaces/:namespace/schedules/:scheduleId',
    'Read a source no longer by itself; its documents stay',
    400,
    404,
    507,
  ),
  readDocument: documents('read', `GET ${document}`, 'A document: where it came from, and its Markdown', 400, 404),
  deleteDocument: documents('write', `DELETE ${document}`, 'Delete a document and every trace of it', 400, 404, 409, 507),

  readState: documents('nothing', 'GET /api/state', 'What this server holds and runs with, and what the caller may; no secret'),

  readJob: jobs('write', 'GET /api/jobs/:id', 'What a job has done and is doing', 404),
  followJob: jobs('write', 'GET /api/jobs/:id/events', 'The progress of a job, as server-sent events', 404),
  cancelJob: jobs('write', 'DELETE /api/jobs/:id', 'End a job; what is stored stays', 404, 507),

  verifyAnswer: answers('read', 'POST /api/answers/verify', 'Whether the documents still hold what an answer quotes'),
  listAnswers: answers('admin', 'GET /api/answers', 'Recent answers, and whether the documents still hold what they quote', 404),
  readAnswer: answers('read', 'GET /api/answers/:runId', 'A recent answer, with the scores of its check', 400, 404, 507),
  giveFeedback: answers(
    'read',
    'POST /api/answers/:runId/feedback',
    'Say what an answer was worth; of each caller the newest counts',
    404,
    507,
  ),
  listGaps: answers(
    'admin',
    'GET /api/gaps',
    'Questions that were last not answered, those with the same content words together, most asked first',
    404,
  ),
  listThreads: answers('read', 'GET /api/memory/threads', 'Your own conversations, the newest first'),
  readThread: answers('read', 'GET /api/memory/threads/:threadId', 'A conversation of your own', 404),
  listThreadMessages: answers('read', 'GET /api/memory/threads/:threadId/messages', 'What was said in a conversation of your own', 404),
  pageThreadMessages: answers(
    'read',
    'GET /api/memory/threads/:threadId/messages/paginated',
    'The same, as earlier clients ask for a page',
    404,
  ),
  deleteMessages: answers('read', 'POST /api/memory/messages/delete', 'Cut messages out of conversations of your own', 507),
  deleteThread: answers('read', 'DELETE /api/memory/threads/:threadId', 'Delete a conversation of your own, down to the bytes', 404, 507),

  listCalls: calls('calls', 'GET /v3/calls', 'Calls, newest first, page by page', 400, 502, 504),
  summarizeAllCalls: calls(
    'calls',
    'GET /v3/calls/summary',
    'What the calls that a filter finds add up to, by day, type, status and user',
    400,
    502,
    504,
  ),
  readCall: calls('calls', 'GET /v3/calls/:sessionId', 'One call', 400, 404, 502, 504),
  listTranscriptions: calls(
    'calls',
    'GET /v3/calls/:sessionId/transcriptions',
    'Transcriptions of a call, newest first, page by page',
    400,
    404,
    502,
    504,
  ),
  receiveCallEvent: calls('nothing', 'POST /v3/webhooks/calls', 'Where the calling platform tells what happens to calls (Basic auth)', 400),
  listMyCalls: calls('calls', 'POST /api/tools/listCalls', 'Calls of the user who asks, newest first', 502, 504),
  summarizeCalls: calls('calls', 'POST /api/tools/summarizeCalls', 'What the calls of the user who asks add up to', 502, 504),

  health: server('nothing', 'GET /health', 'Whether the process is alive'),
  readMetrics: server('admin', 'GET /metrics', 'What this server has counted, for Prometheus; for who may use every namespace'),
  ready: server('nothing', 'GET /ready', 'Whether everything is open: documents, jobs, answers, conversations and calls', 503),
};
export type OperationId = keyof typeof operations;

const otherWrites: ReadonlySet<string> = new Set<OperationId>(['giveFeedback', 'deleteMessages', 'deleteThread', 'receiveCallEvent']);

/** Whether a request to it changes something, and so leaves a line of the audit. @param tool that it calls */
export function isWrite(id: string, { at, right }: OperationCard, tool: string | undefined): boolean {
  if (otherWrites.has(id)) return true;
  if (right === 'that of the tool' || id === 'mcp')
    return tool !== undefined && new Map<string, Right>(Object.entries(toolRights)).get(tool) === 'write';
  return right === 'write' && !at.startsWith('GET ');
}

/** Tool, whichever way it is called → the operation that does the same, or what it takes. */
const toolOperations = {
  askKnowledge: { right: 'read', work: 'ask' },
  searchDocs: operations.searchDocs,
  docsRetriever: operations.searchDocs,
  ingestSources: operations.ingestSources,
  listCalls: operations.listMyCalls,
  summarizeCalls: operations.summarizeCalls,
} as const;
export type ToolName = keyof typeof toolOperations;
const ofTools = <Field extends 'right' | 'work'>(field: Field) =>
  Object.fromEntries(Object.entries(toolOperations).map(([name, operation]) => [name, operation[field]])) as {
    [Name in ToolName]: (typeof toolOperations)[Name][Field];
  };
export const toolRights = ofTools('right');
export const toolWorks = ofTools('work');

export const pathParameters: Readonly<Record<string, string>> = {
  'agents/:agentId': 'a key of GET /api/agents',
  'chat/:agentId': 'a key of GET /api/agents',
  'agentId/:chatId': 'id of the chat',
  'tools/:toolId': 'a key of GET /api/tools, or of the tools of the agent',
  'namespaces/:namespace': 'name of the namespace',
  'documents/:id': 'id of the document',
  'schedules/:scheduleId': 'id of a schedule, as GET /api/namespaces shows it',
  'jobs/:id': 'id of a job, as ingestSources or refreshNamespace gave it with "wait": false',
  'answers/:runId': 'runId of a recent answer, as generate gave it',
  'threads/:threadId': 'as it was named when it was begun',
  'calls/:sessionId': 'sessionId of the call',
  'models/:model': 'an id of GET /v1/models',
};
