/** One question that mentions the agent: its caller, and what its steps have found so far. */
import { randomUUID } from 'node:crypto';
import type { KnowledgeError } from '../../packages/shared/src/errors.ts';
import type { Language } from '../../packages/shared/src/language/languages.ts';
import type { SmallTalk } from '../../packages/shared/src/language/small-talk.ts';
import type { CallsUse } from '../calls/user-calls.ts';
import type { Passage } from '../documents/document.ts';
import type { HandOffReason, NamespaceMessages } from '../documents/messages-file.ts';
import type { RequestMade } from '../records/answer-log.ts';
import type { ChatMessage } from '../records/conversations.ts';
import { type Prompt, randomBoundary } from './prompt.ts';
import type { Answer } from './reply/answer.ts';
import type { AnswerWriter } from './reply/answer-writer.ts';
import { questionLanguage } from './reply/question-language.ts';
import type { Background, Retrieved } from './retriever.ts';
import { type RetrieverResult, toRetrieverResult } from './search-docs.ts';

export type Usage = Readonly<{
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
}>;

/** What a question with a model is waiting for. */
export type Working = 'searching' | 'writing' | 'checking';

/** The caller, and where it asks. Only the host decides it: neither a message nor a request body can. */
export type AskedBy = Readonly<{
  namespace: string;
  actingUser?: string | undefined;
  /** Caller whose tokens and place with the model count; undefined: the host counts none. */
  countedAs?: string | undefined;
  conversationId?: string | undefined;
  /** Whether the message needs no mention; undefined: `REQUIRE_MENTION` decides. */
  addressed?: boolean | undefined;
  /** Aborts when no caller waits for the answer. */
  signal?: AbortSignal | undefined;
  /** Aborts when the question ends for any reason. */
  until?: AbortSignal | undefined;
  /**
   * Stores the question for a person before the reply says so; undefined: the host hands nothing
   * off. @returns whether it is stored
   */
  holdHandOff?: ((question: Question) => Promise<boolean>) | undefined;
  onWorking?: ((on: Working) => void) | undefined;
  /** Called when a model's reply is complete; afterwards no fallback replaces it. */
  onReplied?: (() => void) | undefined;
}>;

export interface Search extends Retrieved {
  readonly query: string;
}

export type ToolUse = { readonly toolCallId: string } & (
  | Readonly<{
      toolName: 'docsRetriever';
      args: Readonly<{ query: string; namespace: string }>;
      result: RetrieverResult;
      search: Search;
    }>
  | CallsUse
);

/** What the gate reads from the messages. */
export type Asked = Readonly<{
  text: string;
  earlier: readonly ChatMessage[];
  background: Background | undefined;
  /** A greeting, thanks or an empty message. */
  smallTalk: SmallTalk | undefined;
}>;

/** Bytes of UTF-8: about 6,000 tokens or six full chunks. More costs attention and money. */
export const maxContextBytes = 24_000;

export class Question {
  readonly asker;
  readonly asked;
  readonly text;
  namespace: string;
  /** Of fences in the prompts. */
  readonly boundary = randomBoundary();
  /** Time of `performance.now()`. */
  readonly startedAt = performance.now();
  /** Requests to models. */
  readonly requests: RequestMade[] = [];
  /** The operator's messages of the namespace. */
  messages: NamespaceMessages | undefined;
  /** The user asks for a person, and the operator has set how. */
  isHandoffAsked = false;
  /** Outcomes of which the user learns that a person gets the question: it is stored. */
  heldFor: readonly HandOffReason[] | undefined;
  readonly toolUses: ToolUse[] = [];
  /** Distinct passages in the prompt. The sentences of the reply are checked against them. */
  passages: readonly Passage[] = [];
  /** Language of most documents of the namespace; set if the search found none. */
  documentLanguage: Language | undefined;
  /** Its place among the questions with a model, or why it has none. */
  place: Promise<KnowledgeError | 'ended' | undefined> | undefined;
  /** Messages of the request to answer. */
  prompt: Prompt | undefined;
  /** Checks what the model writes. */
  writer: AnswerWriter | undefined;
  answer: Answer | undefined;
  answeredBy: string | undefined;
  isDegraded = false;
  error: KnowledgeError | undefined;
  /** Error of a tool, reported if nothing else answers. */
  lookupError: KnowledgeError | undefined;

  constructor(asker: AskedBy, asked: Asked) {
    this.asker = asker;
    this.asked = asked;
    this.text = asked.text;
    this.namespace = asker.namespace;
  }

  /** Without a conversation, before its search. */
  static of(text: string, namespace: string) {
    return new Question(
      { namespace },
      { text, earlier: [], background: undefined, smallTalk: undefined },
    );
  }

  /** The same question and findings without an answer, for an answer without a model. */
  withoutAnswer(): Question {
    return Object.assign(new Question(this.asker, this.asked), this, {
      toolUses: [...this.toolUses],
      requests: [...this.requests],
      writer: undefined,
      answer: undefined,
      isDegraded: true,
    });
  }

  get searches() {
    return this.toolUses.flatMap((use) => (use.toolName === 'docsRetriever' ? [use.search] : []));
  }

  /** Whether a tool of calls was used. */
  get isLookedUp() {
    return this.toolUses.some(({ toolName }) => toolName !== 'docsRetriever');
  }

  get wording() {
    const [first] = this.searches;
    return {
      language: questionLanguage(
        this.text,
        first?.passages[0]?.document.textLanguage ?? this.documentLanguage,
      ),
      own: this.messages?.own,
      isHandedOff: this.heldFor?.includes('refusal') ?? false,
      isClosestHandedOff: this.heldFor?.includes('closest') ?? false,
    };
  }

  /** Notes a search as a use of the tool. */
  noteSearch(query: string, found: Retrieved) {
    const search = { query, ...found };
    this.toolUses.push({
      toolName: 'docsRetriever',
      toolCallId: `call_${randomUUID()}`,
      args: { query, namespace: this.namespace },
      result: toRetrieverResult(search),
      search,
    });
    return search;
  }

  /**
   * Gives the passages that fit into the context. Skips those that are too large, but never the
   * first. @param passages best first
   */
  givePassages(passages: readonly Passage[], maxBytes = maxContextBytes) {
    let left = maxBytes;
    this.passages = passages.filter(({ text }, position) => {
      const bytes = Buffer.byteLength(text);
      if (position > 0 && bytes > left) return false;
      left -= bytes;
      return true;
    });
  }

  /** Notes a search and gives its passages. */
  addSearch(query: string, found: Retrieved) {
    this.noteSearch(query, found);
    this.givePassages(found.passages);
  }

  /** Puts the records of a tool before the passages, because the user asked for them. */
  addRecords(use: ToolUse, records: readonly Passage[]) {
    this.toolUses.push(use);
    this.givePassages([...records, ...this.passages]);
  }
}
