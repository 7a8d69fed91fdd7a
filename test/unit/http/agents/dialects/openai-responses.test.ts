import { openResponseStream } from '../../../../../src/http/agents/dialects/openai-responses.ts';
import { testDialect } from '../../../../support/dialect-contract.ts';

const read = (data: readonly string[]) => {
  const events = data.map((one) => JSON.parse(one));
  const of = (type: string) => events.filter((event) => event.type === type);
  return {
    text: of('response.output_text.delta')
      .map(({ delta }) => delta)
      .join(''),
    quotes: of('response.output_text.annotation.added').map(({ annotation }) => annotation.quote),
    isSilent: of('response.completed').some(
      ({ response }) => response.knowledge.reason === 'not_mentioned',
    ),
    isOver: ['response.completed', 'error'].includes(events.at(-1).type),
    errorCode: of('response.failed')[0]?.response.error.code,
  };
};

testDialect({ open: (run) => openResponseStream(run, { model: 'knowledge' }) }, read);
