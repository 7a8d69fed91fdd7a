/**
 * `max_tokens` and its like: a longer answer ends after its last sentence that fits, with the sources of what is left. A cut inside a sentence
 * would change what it says. The lines of `Sources:` do not count, and texts without citations are short and stay whole.
 */
import type { AskEvent, AskResult } from '../../app/ask/ask.ts';

/** Bytes of a token, on average over languages; the server cannot know which tokens a client means. */
const bytesPerToken = 4;
const tokensIn = (text: string) => Math.ceil(Buffer.byteLength(text) / bytesPerToken);

const sourcesMark = '\n\nSources:\n';
/** The marks that end a sentence; not inside a row of a table. */
const sentenceEnd = /\[\d{1,3}\](?=\s(?!\s*[|[])|$)/g;

function fitting(body: string, maxTokens: number): string {
  const end = [...body.matchAll(sentenceEnd)]
    .map(({ index, 0: mark }) => index + mark.length)
    .findLast((at) => tokensIn(body.slice(0, at)) <= maxTokens);
  return body.slice(0, end ?? 0);
}

export function limitResult(result: AskResult, maxTokens: number | undefined): AskResult {
  const mark = result.text.lastIndexOf(sourcesMark);
  const body = mark < 0 ? result.text : result.text.slice(0, mark);
  if (maxTokens === undefined || result.reason !== 'answered' || tokensIn(body) <= maxTokens) return result;
  const text = fitting(body, maxTokens);
  const citations = result.citations.filter(({ index }) => text.includes(`[${index}]`));
  const lines = result.text.slice(mark + sourcesMark.length).split('\n');
  const sources = lines.filter((line) => citations.some(({ index }) => line.startsWith(`[${index}] `)));
  return {
    ...result,
    text: text === '' ? '' : [text, sourcesMark, sources.join('\n')].join(''),
    citations,
    finishReason: 'length',
  };
}

/** The same of an answer while it comes in: sentences that fit are passed on at once. */
export async function* limitEvents(events: AsyncGenerator<AskEvent, void>, maxTokens: number | undefined): AsyncGenerator<AskEvent, void> {
  if (maxTokens === undefined) return yield* events;
  let said = '';
  let shown = 0;
  for await (const event of events) {
    if (event.type === 'searched') yield event;
    else if (event.type === 'text') {
      said += event.text;
      const text = fitting(said.split(sourcesMark)[0] ?? '', maxTokens).slice(shown);
      shown += text.length;
      if (text !== '') yield { type: 'text', text };
    } else {
      const result = limitResult(event.result, maxTokens);
      if (result.text.length > shown) yield { type: 'text', text: result.text.slice(shown) };
      yield { type: 'finished', result };
    }
  }
}
