/**
 * `max_tokens`: a longer answer ends after the last sentence that fits. Sources and texts without
 * citations do not count.
 */
import { segments } from '../../../packages/shared/src/language/segments.ts';
import type { AskEvent, AskResult } from '../../ask/ask-result.ts';
import { sourceLines } from '../../ask/reply/sources.ts';

/** Average bytes per token over languages; the server does not know the client's tokenizer. */
const bytesPerToken = 4;
const tokensIn = (text: string) => Math.ceil(Buffer.byteLength(text) / bytesPerToken);

const sourcesMark = '\n\nSources:\n';
/** Citation marks that end a sentence, but not inside a table row. */
const sentenceEnd = /\[\d{1,3}\](?=\s(?!\s*[|[])|$)/g;

/** Returns the beginning of an answer that fits and ends with citation marks. */
function fitting(body: string, maxTokens: number) {
  const end = [...body.matchAll(sentenceEnd)]
    .map(({ index, 0: mark }) => index + mark.length)
    .findLast((at) => tokensIn(body.slice(0, at)) <= maxTokens);
  return body.slice(0, end ?? 0);
}

/** Like `fitting`, but also ends between sentences that share the next marks. */
function fittingWhole(body: string, maxTokens: number) {
  const marked = fitting(body, maxTokens);
  const marks = /(?:\[\d{1,3}\])+/.exec(body.slice(marked.length))?.[0] ?? '';
  const ends = [...segments(body)].flatMap(({ kind, start, end }) =>
    (kind === 'sentence' || kind === 'item') && start >= marked.length
      ? [start + body.slice(start, end).trimEnd().length]
      : [],
  );
  const cut = ends
    .map((end) => `${body.slice(0, end)} ${marks}`)
    .findLast((text) => body.length > text.length && tokensIn(text) <= maxTokens);
  return cut ?? marked;
}

export function limitResult(result: AskResult, maxTokens: number | undefined): AskResult {
  const mark = result.text.lastIndexOf(sourcesMark);
  const body = mark < 0 ? result.text : result.text.slice(0, mark);
  if (maxTokens === undefined || result.reason !== 'answered' || tokensIn(body) <= maxTokens)
    return result;
  const text = fittingWhole(body, maxTokens);
  const citations = result.citations.filter(({ index }) => text.includes(`[${index}]`));
  return {
    ...result,
    text: text === '' ? '' : [text, sourcesMark, sourceLines(citations).join('\n')].join(''),
    citations,
    finishReason: 'length',
  };
}

/** `limitResult` for a stream: sentences that fit are sent immediately. */
export async function* limitEvents(
  events: AsyncGenerator<AskEvent, void>,
  maxTokens: number | undefined,
): AsyncGenerator<AskEvent, void> {
  if (maxTokens === undefined) return yield* events;
  let received = '';
  let sentChars = 0;
  for await (const event of events) {
    if (event.type === 'searched' || event.type === 'working') yield event;
    else if (event.type === 'text') {
      received += event.text;
      const text = fitting(received.split(sourcesMark)[0] ?? '', maxTokens).slice(sentChars);
      sentChars += text.length;
      if (text !== '') yield { type: 'text', text };
    } else {
      const result = limitResult(event.result, maxTokens);
      if (result.text.length > sentChars)
        yield { type: 'text', text: result.text.slice(sentChars) };
      yield { type: 'finished', result };
    }
  }
}
