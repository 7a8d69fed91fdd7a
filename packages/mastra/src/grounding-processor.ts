/** Output processor for any agent: shows only sentences that the passages of this turn support, with citation numbers and `Sources:`. */
import { ReplyCheck, type SourcePassage } from '../../grounding/src/index.ts';
import { plainLabel, plainTarget } from '../../shared/src/language/label.ts';
import { passagesIn } from './found-passages.ts';
import { createReplyProcessor, type MessagePart, type ReplyProcessor, type ReplyWriter, type WriterRequest } from './reply-processor.ts';

export interface GroundingProcessorOptions {
  /** Passages of this turn; default: the results of the tools `searchDocs` and `docsRetriever`. */
  readonly passages?: (request: Pick<WriterRequest, 'messages' | 'requestContext'>) => readonly SourcePassage[];
  /** Answer if no sentence is supported; default in English. */
  readonly refusal?: string;
  /** BCP 47 tag of the passages; default: detected. */
  readonly language?: string;
}

const defaultRefusal = 'I could not find that in the documents.';

function targetOf(url: string): string {
  const isWeb = /^https?:\/\//i.test(url) && URL.canParse(url);
  return isWeb ? new URL(url).href.replaceAll('(', '%28').replaceAll(')', '%29') : plainTarget(url);
}

function sourceLine(index: number, { title = '', url = '' }: Partial<SourcePassage> = {}): string {
  const [label, target] = [plainLabel(title), targetOf(url)];
  return `[${index}] ${label === '' || target === '' ? label || target || 'Passage' : `${label} (${target})`}`;
}

const sourcesOf = ({ check, passages }: Step): string =>
  `\n\nSources:\n${check.result.citations.map(({ index, passage }) => sourceLine(index, passages[passage])).join('\n')}`;

interface Step {
  readonly passages: readonly SourcePassage[];
  readonly check: ReplyCheck;
  isShown: boolean;
}

/** Text of each step is a reply with its own citations and sources, because a later search may find more passages. */
class GroundedReply implements ReplyWriter {
  readonly #options: GroundingProcessorOptions;
  request: WriterRequest;
  #step: Step | undefined;
  #text = '';
  #stepText = '';
  #isStreamed = false;
  #isEnded = false;

  constructor(options: GroundingProcessorOptions, request: WriterRequest) {
    this.#options = options;
    this.request = request;
  }

  push(text: string): string {
    if (this.#isEnded) return '';
    this.#isStreamed = true;
    return this.#check(text);
  }

  #check(text: string): string {
    this.#step ??= this.#begin();
    return this.#show(this.#step, this.#step.check.push(text));
  }

  end(isLast: boolean): string {
    if (this.#isEnded) return '';
    this.#isEnded = isLast;
    const step = this.#step ?? this.#begin();
    this.#step = undefined;
    const rest = this.#show(step, step.check.end());
    if (step.isShown) return rest + this.#show(step, sourcesOf(step));
    const { refusal = defaultRefusal } = this.#options;
    return isLast && this.#text === '' ? this.#show(step, `${refusal}\n\nSources: none`) : '';
  }

  /** Text that the stream did not contain is checked here. */
  answer(written: string): string {
    if (!this.#isStreamed && !this.#isEnded) this.#check(written);
    this.end(true);
    return this.#stepText;
  }

  /** Text before the last tool call was checked while it streamed. */
  otherParts(parts: readonly MessagePart[]): readonly MessagePart[] {
    const lastTool = parts.findLastIndex(({ type }) => type === 'tool-invocation');
    return parts.filter(({ type }, at) => type !== 'reasoning' && (type !== 'text' || (this.#isStreamed && at < lastTool)));
  }

  #begin(): Step {
    const { passages: passagesOf = ({ messages }) => passagesIn(messages()), language } = this.#options;
    const passages = passagesOf(this.request);
    this.#stepText = '';
    return { passages, check: new ReplyCheck(passages, { language }), isShown: false };
  }

  #show(step: Step, text: string): string {
    if (text === '') return '';
    const added = step.isShown || this.#text === '' ? text : `\n\n${text}`;
    step.isShown = true;
    this.#text += added;
    this.#stepText += added;
    return added;
  }
}

const isForwarded = (type: string) => /^(?:tool|data)-|^response-metadata$/.test(type);

/** Reasoning, sources, files and structured objects of the model are dropped, because nothing checks them. */
export const createGroundingProcessor = (options: GroundingProcessorOptions = {}): ReplyProcessor =>
  createReplyProcessor((request) => {
    const { state } = request;
    const reply = state.reply instanceof GroundedReply ? state.reply : new GroundedReply(options, request);
    reply.request = request;
    state.reply = reply;
    return reply;
  }, isForwarded);
