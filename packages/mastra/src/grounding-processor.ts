/**
 * Output processor for any agent: shows only sentences that the passages of this turn support, with
 * citation numbers and `Sources:`.
 */
import {
  type CheckedReply,
  ReplyCheck,
  type ReplyOptions,
  type SourcePassage,
} from '../../grounding/src/index.ts';
import { plainLabel, plainTarget } from '../../shared/src/language/label.ts';
import { passagesIn } from './found-passages.ts';
import {
  type CitedSource,
  ReplyProcessor,
  type ReplyWriter,
  type WriterRequest,
} from './reply-processor.ts';

export type GroundingProcessorOptions = ReplyOptions &
  Readonly<{
    /** Passages of this turn; default: results of the tools `searchDocs` and `docsRetriever`. */
    passages?: (
      request: Pick<WriterRequest, 'messages' | 'requestContext'>,
    ) => readonly SourcePassage[];
    /** Answer if no sentence is supported; default in English. */
    refusal?: string;
  }>;

function sourceLine(index: number, { title, url = '' }: Partial<SourcePassage> = {}) {
  const isWeb = /^https?:\/\//i.test(url) && URL.canParse(url);
  const target = isWeb
    ? new URL(url).href.replaceAll('(', '%28').replaceAll(')', '%29')
    : plainTarget(url);
  return `[${index}] ${plainLabel(title ?? '') || 'Passage'}${target === '' ? '' : ` (${target})`}`;
}

const citedSource = (
  { index, passage, ...place }: CheckedReply['citations'][number],
  { title, url }: Partial<SourcePassage> = {},
): CitedSource => ({
  id: String(index),
  title: title ?? `Passage ${passage + 1}`,
  ...(url && URL.canParse(url) ? { url } : { filename: url }),
  providerMetadata: { grounding: { index, passage, ...place } },
});

/**
 * Each step is a reply with its own citations and sources, because a later search may find more
 * passages.
 */
function createWriter(
  { passages: find, refusal, language, judge }: GroundingProcessorOptions,
  request: WriterRequest,
): ReplyWriter {
  let step: Readonly<{ passages: readonly SourcePassage[]; check: ReplyCheck }> | undefined;
  let stepText = '';
  let isShown = false;
  let isStreamed = false;
  let isEnded = false;
  let sources: readonly CitedSource[] = [];

  function begin() {
    stepText = '';
    const passages = find ? find(request) : passagesIn(request.messages());
    return { passages, check: new ReplyCheck(passages, { language, judge }) };
  }
  function shown(text: string) {
    const added = text !== '' && stepText === '' && isShown ? `\n\n${text}` : text;
    stepText += added;
    isShown ||= text !== '';
    return added;
  }
  async function read(text: string) {
    step ??= begin();
    return shown(await step.check.judged(text));
  }
  async function end(isLast: boolean) {
    if (isEnded) return '';
    isEnded = isLast;
    const { check, passages } = step ?? begin();
    step = undefined;
    const rest = shown(await check.judged());
    const { citations } = check.result;
    sources = citations.map((one) => citedSource(one, passages[one.passage]));
    const lines = citations.map(({ index, passage }) => sourceLine(index, passages[passage]));
    if (lines.length > 0) return rest + shown(`\n\nSources:\n${lines.join('\n')}`);
    return isLast && !isShown
      ? shown(`${refusal ?? 'I could not find that in the documents.'}\n\nSources: none`)
      : '';
  }

  return {
    push(text) {
      isStreamed = true;
      return isEnded ? '' : read(text);
    },
    end,
    sources: () => (isEnded ? sources : []),
    async answer(parts) {
      if (!isStreamed && !isEnded)
        await read(parts.map((part) => (part.type === 'text' ? part.text : '')).join(''));
      await end(true);
      // Text before the last tool call was checked while it streamed.
      const checked = isStreamed
        ? parts.findLastIndex(({ type }) => type === 'tool-invocation')
        : 0;
      const others = parts.filter(({ type }, at) =>
        type === 'text' ? at < checked : isStreamed || type !== 'reasoning',
      );
      return { text: stepText, others };
    },
  };
}

/**
 * References to reasoning are shown without its text, because OpenAI needs them after tool calls.
 */
const otherTypes = /^(?:tool|data)-|^response-metadata$|^reasoning-(?:start|end)$/;

/**
 * @throws TypeError if `passages` is no function @throws RangeError if `language` has no word lists
 */
export function createGroundingProcessor(options: GroundingProcessorOptions = {}): ReplyProcessor {
  const { passages, language, judge } = options;
  if (passages !== undefined && typeof passages !== 'function')
    throw new TypeError('passages must be a function.');
  // Throws now instead of with the first answer.
  new ReplyCheck([], { language, judge });
  return new ReplyProcessor((request) => {
    request.state.writer ??= createWriter(options, request);
    return request.state.writer as ReplyWriter;
  }, otherTypes);
}
