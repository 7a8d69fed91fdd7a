import { openCompletionStream } from '../../../../../src/http/agents/dialects/openai-chat.ts';
import { itIsADialect } from '../../../../support/dialect-contract.ts';

const read = (events: readonly string[]) => {
  const chunks = events.filter((data) => data !== '[DONE]').map((data) => JSON.parse(data));
  const deltas = chunks.flatMap(({ choices = [] }) => choices.map((choice: any) => choice.delta));
  return {
    text: deltas.map(({ content = '' }) => content).join(''),
    quotes: deltas.flatMap(({ annotations = [] }) => annotations.map((annotation: any) => annotation.url_citation.quote)),
    isSilent: chunks.some(({ knowledge }) => knowledge?.reason === 'not_mentioned'),
    isOver: events.at(-1) === '[DONE]',
    errorCode: chunks.at(-1)?.error?.code,
  };
};

itIsADialect({ open: (run) => openCompletionStream(run, { model: 'knowledge' }) }, read);
