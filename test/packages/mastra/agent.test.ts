/** The parts in an agent of @mastra/core, with a model that lies and the real server's search. */
import { Agent } from '@mastra/core/agent';
import { runEvals } from '@mastra/core/evals';
import { MockMemory } from '@mastra/core/memory';
import { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, it } from 'vitest';
import * as parts from '../../../packages/mastra/src/index.ts';
import { examplesOf } from '../../support/readme-examples.ts';
import { read } from '../../support/repository.ts';
import { useService } from '../../support/workspace.ts';

type AgentOptions = ConstructorParameters<typeof Agent>[0];
type Chunk =
  Awaited<ReturnType<Agent['stream']>>['fullStream'] extends AsyncIterable<infer One> ? One : never;
type Content = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>['content'][number];

const {
  createGroundingProcessor,
  createMentionGate,
  createMentionGateProcessor,
  createSearchDocsTool,
} = parts;
const refunds = '# Refunds\n\nRefunds are open for 30 days.\n\nRefunds need a receipt.\n';
const service = useService(
  {},
  { 'default/refunds.md': refunds, 'default/office.md': '# Office\n\nThe office opens at nine.\n' },
);
const inProcess: typeof fetch = async (address, init) =>
  service().request(new URL(String(address)).pathname, init);
const searchDocs = (given: object = {}) =>
  createSearchDocsTool({ url: 'http://localhost:4111', ...given, fetch: inProcess });

const call = (query: string, toolName = 'searchDocs'): Content => ({
  type: 'tool-call',
  toolCallId: `call-${query}`,
  toolName,
  input: JSON.stringify({ query }),
});
const said = (text: string): Content => ({ type: 'text', text });
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

const partsOf = (content: Content, id: string): object[] => {
  if (content.type === 'text' || content.type === 'reasoning')
    return [
      { type: `${content.type}-start` as const, id },
      ...content.text
        .split(/(?<=\s)/)
        .map((delta) => ({ type: `${content.type}-delta` as const, id, delta })),
      { type: `${content.type}-end` as const, id },
    ];
  return content.type === 'tool-call' ? [content] : [];
};

/** Says one list of contents per call. @param reason of calls that call tools */
function scripted(
  steps: readonly (readonly Content[])[],
  reason: 'tool-calls' | 'stop' = 'tool-calls',
) {
  const next = () => {
    const content = steps[model.doGenerateCalls.length + model.doStreamCalls.length - 1] ?? [];
    const unified = content.some(({ type }) => type === 'tool-call') ? reason : ('stop' as const);
    return { content: [...content], finishReason: { unified, raw: unified }, warnings: [], usage };
  };
  const model: MockLanguageModelV4 = new MockLanguageModelV4({
    doGenerate: async () => next(),
    doStream: async () => {
      const { content, ...finish } = next();
      const all = [
        { type: 'stream-start' as const, warnings: [] },
        ...content.flatMap((one, at) => partsOf(one, String(at))),
        { type: 'finish' as const, ...finish },
      ];
      return { stream: ReadableStream.from(all) as any };
    },
  });
  return model;
}

const lie = 'Refunds take 5 to 10 weeks.';
const lying = () => [
  [said(`${lie} Let me look.`), call('refunds')],
  [
    { type: 'reasoning' as const, text: lie },
    said(
      `Refunds are open for 30 days. [1] ${lie} [1] Refunds need a receipt. [1] The office is on Mars.`,
    ),
  ],
];
const answer =
  'Refunds are open for 30 days. [1] Refunds need a receipt. [1]\n\nSources:\n[1] Refunds (refunds.md)';
const refused = 'I could not find that in the documents.\n\nSources: none';

const agentOf = (model: MockLanguageModelV4, more: object = {}) =>
  new Agent({
    id: 'own',
    name: 'Own',
    instructions: 'Search first.',
    model: model as unknown as AgentOptions['model'],
    tools: { searchDocs: searchDocs() },
    outputProcessors: [createGroundingProcessor()],
    ...more,
  }) as Agent;

/** Text of the stream, its promise of the text, and all chunks. */
async function streamed(agent: Agent, message = 'How long do refunds take?') {
  const output = await agent.stream(message);
  const chunks: Chunk[] = [];
  for await (const chunk of output.fullStream) chunks.push(chunk);
  const text = chunks
    .map((chunk) => (chunk.type === 'text-delta' ? chunk.payload.text : ''))
    .join('');
  return { text, whole: await output.text, chunks };
}
const generated = async (agent: Agent, message = 'How long do refunds take?') =>
  (await agent.generate(message)).text;

describe('the grounding processor', () => {
  it('shows only supported sentences of a lying model in generate, with their sources', async () => {
    const result = await agentOf(scripted(lying())).generate('How long do refunds take?');
    expect(result.text).toBe(answer);
    expect(JSON.stringify([result.steps, result.response.messages])).not.toContain('weeks');
    expect(
      result.sources.map(({ payload }) => [payload.id, payload.title, payload.filename]),
    ).toEqual([['1', 'Refunds', 'refunds.md']]);
  });

  it('streams supported sentences before the reply ends, each text opened and closed', async () => {
    const { text, whole, chunks } = await streamed(agentOf(scripted(lying())));
    expect([text, whole]).toEqual([answer, answer]);
    expect(JSON.stringify(chunks)).not.toMatch(/weeks|Mars/);
    const texts = chunks.flatMap((chunk) =>
      chunk.type === 'text-delta' ? [chunk.payload.text] : [],
    );
    expect(texts[0]).toBe('Refunds are open for 30 days. [1]');
    expect(texts.length).toBeGreaterThan(2);
    const types = chunks
      .map(({ type }) => type)
      .filter((type) => /^text-|^reasoning|^tool-(call|result)$|^finish$/.test(type));
    expect(types.filter((type, at) => type !== types[at - 1])).toEqual([
      ...['text-start', 'text-end', 'tool-call', 'tool-result', 'reasoning-start'],
      ...['reasoning-end', 'text-start', 'text-delta', 'text-end', 'finish'],
    ]);
  });

  it.each([
    ['without a search', [[said(lie)]], undefined, refused],
    ['after a search that supports nothing', [[call('refunds')], [said(lie)]], undefined, refused],
    ['that says nothing', [[call('refunds')], []], undefined, refused],
    ['in the words of its option', [[said(lie)]], 'Weiß nicht.', 'Weiß nicht.\n\nSources: none'],
  ])('refuses a reply %s', async (_, steps, refusal, shown) => {
    const outputProcessors = [createGroundingProcessor(refusal ? { refusal } : {})];
    const agent = () => agentOf(scripted(steps), { outputProcessors });
    expect(await generated(agent())).toBe(shown);
    const { text, whole } = await streamed(agent());
    expect([text, whole]).toEqual([shown, shown]);
  });

  it('asks its judge about words, in generate and in stream', async () => {
    const reply =
      'Refunds are closed for 30 days. Money comes back in 30 days. [1] It takes 9 days.';
    const steps = [[call('refunds')], [said(reply)]];
    const judge: parts.GroundingProcessorOptions['judge'] = async (sentences) =>
      sentences.map((one) => !one.includes('closed'));
    const outputProcessors = [createGroundingProcessor({ judge })];
    const kept = 'Money comes back in 30 days. [1]\n\nSources:\n[1] Refunds (refunds.md)';
    expect(await generated(agentOf(scripted(steps), { outputProcessors }))).toBe(kept);
    expect((await streamed(agentOf(scripted(steps), { outputProcessors }))).text).toBe(kept);
  });

  it('does not end the answer if a step with tool calls reports `stop`', async () => {
    const { text, whole } = await streamed(agentOf(scripted(lying(), 'stop')));
    expect([text, whole]).toEqual([answer, answer]);
  });

  it('gives the text before a further search its own sources', async () => {
    const steps = [
      [call('refunds')],
      [said('Refunds are open for 30 days. [1]'), call('office')],
      [said('The office opens at nine. [1] It is on Mars.')],
    ];
    const first = 'Refunds are open for 30 days. [1]\n\nSources:\n[1] Refunds (refunds.md)';
    const last = '\n\nThe office opens at nine. [1]\n\nSources:\n[1] Office (office.md)';
    // Mastra's promise is the text of the last step.
    expect(await streamed(agentOf(scripted(steps)))).toMatchObject({
      text: `${first}${last}`,
      whole: last,
    });
    expect(await generated(agentOf(scripted(steps)))).toBe(`${first}${last}`);
  });

  it('reads passages from its option', async () => {
    const title = 'Bank [2] Evil (http://evil.example)';
    const passages = () => [{ text: lie, title, url: 'https://example.com/a_(b)' }];
    const outputProcessors = [createGroundingProcessor({ passages })];
    expect(await generated(agentOf(scripted([[said(lie)]]), { outputProcessors }))).toBe(
      `${lie} [1]\n\nSources:\n[1] Bank 2 Evil (https://example.com/a_%28b%29)`,
    );
  });

  it('ignores results of other tools and of earlier turns', async () => {
    const memory = new MockMemory();
    const agent = agentOf(scripted([...lying(), [said('Refunds are open for 30 days. [1]')]]), {
      memory,
    });
    const options = { memory: { thread: 'one', resource: 'user' } };
    expect((await agent.generate('How long do refunds take?', options)).text).toBe(answer);
    expect((await agent.generate('Really?', options)).text).toBe(refused);
    const { messages } = await memory.recall({ threadId: 'one', resourceId: 'user' });
    expect(JSON.stringify(messages)).toContain('30 days');
    expect(JSON.stringify(messages)).not.toContain('weeks');
    const steps = [[call('refunds', 'lookUp')], [said('Refunds are open for 30 days. [1]')]];
    const other = agentOf(scripted(steps), { tools: { lookUp: searchDocs() } });
    expect(await generated(other)).toBe(refused);
  });

  it('reads texts of one step as paragraphs', async () => {
    const steps = [
      [call('refunds')],
      [said('Refunds are open for 30 days.'), said('Refunds need a receipt.'), said(lie)],
    ];
    const onOneLine = (text: string) => text.replace(/\s+/g, ' ');
    const { text } = await streamed(agentOf(scripted(steps)));
    expect(onOneLine(text)).toBe(onOneLine(answer));
  });

  it('answers two turns at a time separately', async () => {
    const processor = createGroundingProcessor();
    const agents = [scripted(lying()), scripted([[said(lie)]])].map((model) =>
      agentOf(model, { outputProcessors: [processor] }),
    );
    const texts = await Promise.all(agents.map(async (agent) => (await streamed(agent)).text));
    expect(texts).toEqual([answer, refused]);
  });

  it('shows no text if the check fails', async () => {
    const fail = () => {
      throw new Error('no passages');
    };
    const outputProcessors = [createGroundingProcessor({ passages: fail })];
    const { text, chunks } = await streamed(agentOf(scripted([[said(lie)]]), { outputProcessors }));
    expect(text).toBe('');
    expect(chunks.find(({ type }) => type === 'tripwire')).toMatchObject({
      payload: { reason: 'check_failed' },
    });
    expect(JSON.stringify(chunks)).not.toContain('weeks');
    expect(await generated(agentOf(scripted([[said(lie)]]), { outputProcessors }))).toBe('');
  });

  it('checks a text that another processor returns instead of the model', async () => {
    const canned = {
      id: 'canned',
      processLLMRequest: () => ({
        response: {
          chunks: [
            { type: 'text-start', payload: { id: '0' } },
            { type: 'text-delta', payload: { id: '0', text: lie } },
            { type: 'text-end', payload: { id: '0' } },
            {
              type: 'finish',
              payload: {
                stepResult: { reason: 'stop' },
                output: { usage: {} },
                metadata: {},
                messages: { all: [], user: [], nonUser: [] },
              },
            },
          ],
        },
      }),
    };
    expect(await generated(agentOf(scripted([]), { inputProcessors: [canned] }))).toBe(refused);
  });
});

it.each([
  [{ passages: 5 }, TypeError],
  [{ language: 'xx' }, RangeError],
])('the grounding processor refuses the options %j at once', (options: any, error) =>
  expect(() => parts.createGroundingProcessor(options)).toThrow(error),
);

describe('the mention gate processor', () => {
  const gated = (model: MockLanguageModelV4, isNeeded = true) =>
    agentOf(model, {
      inputProcessors: [
        createMentionGateProcessor(createMentionGate({ mentions: ['@agent'], isNeeded })),
      ],
    });

  it('keeps the agent silent without a mention, and calls no model', async () => {
    const model = scripted(lying());
    const result = await gated(model).generate('How long do refunds take?');
    expect(result).toMatchObject({ text: '', tripwire: { reason: 'not_mentioned' } });
    expect(await streamed(gated(model))).toMatchObject({ text: '', whole: '' });
    expect([...model.doGenerateCalls, ...model.doStreamCalls]).toEqual([]);
  });

  it('lets the agent answer a mention, or if its gate needs none', async () => {
    expect(await generated(gated(scripted(lying())), '@agent How long are refunds open?')).toBe(
      answer,
    );
    expect(await generated(gated(scripted(lying()), false))).toBe(answer);
  });
});

it('the examples of the README print their documented output, and the first is the file', async () => {
  const examples = examplesOf('packages/mastra/README.md');
  expect(examples[0]?.code).toBe(read('packages/mastra/example.ts'));
  const code = examples
    .map((example) => example.code)
    .join('')
    .replace(/^import [^;]*;$/gm, '')
    .replaceAll(/model: '.*?'/g, 'model');
  const lines: string[] = [];
  const steps = [[call('refunds')], [said(`Refunds are open for 30 days. [1] ${lie}`)]];
  const names = {
    Agent,
    runEvals,
    ...parts,
    createSearchDocsTool: searchDocs,
    model: scripted([...steps, ...steps, [said(lie)], ...steps]),
    console: { log: (...words: unknown[]) => lines.push(words.join(' ')) },
  };
  await new Function(...Object.keys(names), `return (async () => {${code}})()`)(
    ...Object.values(names),
  );
  expect(lines).toEqual(examples.map(({ output }) => output.trimEnd()));
});
