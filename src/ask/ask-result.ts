/** What a caller gives with a question, and what it gets. */
import type { Asker } from '../records/answer-log.ts';
import type { ChatMessage, ConversationPlace } from '../records/conversations.ts';
import { type ShownCitation, toCitation } from './check.ts';
import type { AskedBy, Question, ToolUse, Usage, Working } from './question.ts';
import type { Answer } from './reply/answer.ts';

export const extractiveModel = 'extractive';

type ToolPart<Use, Field extends keyof Use> = Use extends ToolUse
  ? Pick<Use, 'toolCallId' | 'toolName' | Field>
  : never;
export type ToolCall = ToolPart<ToolUse, 'args'>;
export type ToolResult = ToolPart<ToolUse, 'result'>;

export const toCall = ({ toolCallId, toolName, args }: ToolUse) =>
  ({ toolCallId, toolName, args }) as ToolCall;
export const toCallResult = ({ toolCallId, toolName, result }: ToolUse) =>
  ({ toolCallId, toolName, result }) as ToolResult;

export type AskResult = Readonly<{
  text: string;
  answered: boolean;
  reason: Answer['reason'];
  namespace: string;
  runId: string;
  finishReason: string;
  model: string;
  degraded?: true;
  citations: ShownCitation[];
  /** Number of removed sentences; `repaired`: of sections that replaced them. */
  dropped: number;
  repaired: number;
  /** Number of sentences that the model wrote again. */
  rewritten: number;
  checkedBy: Answer['checkedBy'];
  toolCalls: ToolCall[];
  toolResults: ToolResult[];
  usage: { inputTokens: number; outputTokens: number; totalTokens: number };
}>;

export type AskOptions = Pick<AskedBy, 'namespace' | 'actingUser' | 'addressed'> &
  Readonly<{
    messages: readonly ChatMessage[];
    signal?: AbortSignal;
    callerId?: string;
    /** Caller for fair queueing and token limits; default: `callerId`. */
    countedAs?: string;
    /** User that authentication proved, whatever its rights; for people who get the question. */
    provenUser?: string | undefined;
    /**
     * Stored conversation to continue. It is not read if the request itself contains earlier
     * messages.
     */
    memory?: ConversationPlace | undefined;
    /** Operation or protocol of the request, for people who get the question. */
    entryPoint?: string | undefined;
    chat?: Pick<Asker, 'message' | 'parentId'> | undefined;
  }>;

export type AskEvent =
  | Readonly<{ type: 'working'; on: Working }>
  | Readonly<{ type: 'searched'; call: ToolCall; result: ToolResult }>
  | Readonly<{ type: 'text'; text: string }>
  | Readonly<{ type: 'finished'; result: AskResult }>;

export function toResult(
  answer: Answer,
  question: Question | undefined,
  run: Readonly<{ namespace: string; runId: string; model: string; usage: Usage }>,
): AskResult {
  const { toolUses: uses = [], isDegraded = false, answeredBy = run.model } = question ?? {};
  const { inputTokens = 0, outputTokens = 0 } = run.usage;
  return {
    text: answer.text,
    answered: answer.reason === 'answered',
    reason: answer.reason,
    namespace: run.namespace,
    runId: run.runId,
    finishReason: 'stop',
    model: isDegraded ? extractiveModel : answeredBy,
    ...(isDegraded ? { degraded: true as const } : {}),
    citations: answer.citations.map(toCitation),
    dropped: answer.dropped,
    repaired: answer.repaired,
    rewritten: answer.rewritten,
    checkedBy: answer.checkedBy,
    toolCalls: uses.map(toCall),
    toolResults: uses.map(toCallResult),
    usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
  };
}
