/**
 * Runs every function that matches patterns in foreign text on inputs that make some patterns
 * quadratic: a repeated part, a start that lets a pattern match and an end that makes it fail. Four
 * times the text may take about four times the CPU time of this thread.
 */
import { describe, expect, it } from 'vitest';
import { parseCsv } from '../../packages/converters/src/data/parse-table.ts';
import { detectFormat } from '../../packages/converters/src/formats.ts';
import { parseHtml } from '../../packages/converters/src/html/parse-html.ts';
import { parseMarkdown } from '../../packages/converters/src/markdown/parse-markdown.ts';
import { exactPartsOf } from '../../packages/grounding/src/exact-parts.ts';
import { toPlainPassage } from '../../packages/grounding/src/plain-passage.ts';
import { ReplyReader } from '../../packages/grounding/src/reply-reader.ts';
import { createVerifier } from '../../packages/grounding/src/rules.ts';
import { createMentionGate } from '../../packages/mastra/src/mention.ts';
import {
  asksForInstructions,
  isAddressedToModel,
} from '../../packages/shared/src/language/addressed-to-model.ts';
import { queryWords } from '../../packages/shared/src/language/query-words.ts';
import { codeIn } from '../../packages/shared/src/language/quoted-code.ts';
import { segments } from '../../packages/shared/src/language/segments.ts';
import { smallTalkOf } from '../../packages/shared/src/language/small-talk.ts';
import { contentWords } from '../../packages/shared/src/language/tokens.ts';
import { holdsActiveMarkup } from '../../packages/shared/src/markdown/active-markup.ts';
import { readFrontMatter } from '../../packages/shared/src/markdown/front-matter.ts';
import { firstHeading, plainHeading } from '../../packages/shared/src/markdown/headings.ts';
import { backgroundOf } from '../../src/ask/gate.ts';
import { AnswerWriter } from '../../src/ask/reply/answer-writer.ts';
import { mentionsCalls, splitQuestion } from '../../src/calls/calls-question.ts';
import { chunkDocument } from '../../src/documents/chunk.ts';
import { fileNameFor } from '../../src/documents/document-file.ts';
import { splitProse } from '../../src/documents/split-prose.ts';
import { verifyCitation } from '../../src/documents/verify-citation.ts';
import { taskReplyOf } from '../../src/http/agents/dialects/task-prompts.ts';
import { readRobots } from '../../src/ingest/crawl/robots.ts';
import { readLlmsTxt, readSitemaps } from '../../src/ingest/crawl/sitemap.ts';
import { createMatcher } from '../../src/ingest/glob.ts';
import { scrub } from '../../src/log.ts';
import { type GapRow, groupGaps, topicOf } from '../../src/records/gaps.ts';
import { sampled } from '../support/depth.ts';
import { expectLinear, expectLinearIn } from '../support/growth.ts';
import { handbook } from '../support/handbook.ts';
import { listed } from '../support/listed.ts';
import { passageOf } from '../support/passages.ts';

const site = (text: string) => async (url: string) => ({
  status: 200,
  url: new URL(url),
  bytes: Buffer.from(text),
});
const page = 'https://example.com/';
const { signal } = new AbortController();
const chunk = chunkDocument.bind(undefined, async () => []);
const gate = createMentionGate({ mentions: ['@agent'] });
const readReply = (text: string) => {
  const reader = new ReplyReader();
  for (let from = 0; from < text.length; from += 1_000) reader.push(text.slice(from, from + 1_000));
  return reader.end();
};

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  'Markdown is parsed': (text) => parseMarkdown(text, 'markdown'),
  'MDX is parsed': (text) => parseMarkdown(text, 'mdx'),
  'text is parsed': (text) => parseMarkdown(text, 'text'),
  'a table is parsed': (text) => parseCsv(`name,value\n${text.slice(0, 8_192)},1\n`, ','),
  'a format is recognised': (text) => detectFormat(Buffer.from(text), 'a.md', 'text/markdown'),
  'a document is chunked': (text) => chunk(text, 0),
  'front matter is read': (text) => readFrontMatter(`---\n${text}\n---\n`),
  'a heading is read': (text) => [plainHeading(text), firstHeading(`# ${text}`)],
  'a file is named': (text) => fileNameFor('url', 'identity', text),
  'robots.txt is read': async (text) =>
    (await readRobots(site(`user-agent: *\ndisallow: /${text}`), page, undefined)).isAllowed(page),
  'a sitemap is read': (text) =>
    readSitemaps(site(`<urlset>${text}`), [page], () => true, 100, signal),
  'llms.txt is read': (text) => readLlmsTxt(site(text), page, 100, signal),
  'a glob is read': (text) => createMatcher([text.slice(0, 2_000)])('a/b.md'),
  'units are found': (text) => [...segments(text)],
  'words are found': (text) => contentWords(text),
  'a query is planned': (text) => queryWords(text.slice(0, 2_000), ['en', 'de'], ['en']),
  'a mention is found': (text) => gate.question(`@agent ${text}`),
  'small talk is recognised': (text) => smallTalkOf(text.slice(0, 2_000)),
  'a question about calls is recognised': (text) => [
    mentionsCalls(text),
    splitQuestion(`my calls ${text}`.slice(0, 2_000)),
  ],
  'instructions are recognised': (text) => [isAddressedToModel(text), asksForInstructions(text)],
  'a passage is made plain': toPlainPassage,
  'active markup is recognised': holdsActiveMarkup,
  'exact parts are found': exactPartsOf,
  'a reply is read': readReply,
  'code is found': (text) => [codeIn(text, text.slice(0, 1_200)), codeIn('```\nx\n```\n', text)],
  'a log line is scrubbed': scrub,
};

const parts =
  ' |\t|\n|\u2028|\u200d|a|A|1|é|返|.|,|-|_|*|#|~|`|<|>|[|](|![|(|{|}|{{/*|{/*|{%|{{<|&|@|/|"|\\"|:|;|$|%|=|+|!|www.|a.|a-|a@|.a|1,|+A|A b |Aa |](x|[1] |- a\n|# a\n|> |<a |<!--|```\n|and |\n\n|?a=|<loc>|{"\\"|, and\t|x\u2028';
const allAttacks = [
  ...parts
    .split('|')
    .filter((part) => part !== '')
    .concat('|', '| ', '|-')
    .map((part) => ({ before: 'x', part, after: '\u2028x' })),
  ...[' ', '\t', '\n', '`', '#', '{/*', '{{/*', '[', '\u2028', '/', '+A'].map((part) => ({
    before: '',
    part,
    after: 'x',
  })),
  { before: ':::a', part: '\t', after: ':' },
  { before: 'ignore', part: '\t', after: 'x' },
];

const attacks = sampled(allAttacks, 32);
const chars = 24_576;
const smallChars = chars / 4;
/** Shorter runs are not checked. */
const freeMs = 40;
/** Linear is 4, quadratic 16. */
const maxGrowth = 9;

const cpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

async function workOf(read: (text: string) => unknown, text: string): Promise<number> {
  const before = cpuMs();
  try {
    await read(text);
  } catch {
    // A rejected text was read too.
  }
  return cpuMs() - before;
}

it.each(Object.entries(readers))('%s in linear time', { timeout: 120_000 }, async (_, read) => {
  const slow: string[] = [];
  for (const { part, before, after } of attacks) {
    const textOf = (length: number) =>
      before + part.repeat(Math.ceil(length / part.length)) + after;
    // Fastest of several runs: the first ones are slowed by compilation, others by cache
    // contention.
    let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (
      let run = 0;
      run < 10 && large > freeMs && !(large < maxGrowth * small && run > 0);
      run++
    ) {
      large = Math.min(large, await workOf(read, textOf(chars)));
      if (large > freeMs) small = Math.min(small, await workOf(read, textOf(smallChars)));
    }
    if (large > freeMs && large > maxGrowth * small)
      slow.push(`${JSON.stringify([before, part, after])}: ${small} → ${large} ms`);
  }
  expect(slow).toEqual([]);
});

const { text: refunds, title } = handbook.refunds;
const judged = (text: string, sentence: string) =>
  createVerifier([{ text, context: title, language: 'en' }])(sentence);
const renewal = 'There is no refund for annual plans after renewal.';
/** Returns a text in pieces of seven characters, as a model streams it. */
const piecesOf = (text: string) => text.match(/[\s\S]{1,7}/g) ?? [];
const readPieces = (text: string) => {
  const reader = new ReplyReader();
  for (const piece of piecesOf(text)) reader.push(piece);
  reader.end();
};
const passages = Array.from({ length: 6 }, () =>
  passageOf(
    'Refunds are paid within 30 days of purchase. Annual plans cost $28 for each seat. '.repeat(40),
  ),
);
const checkReply = (text: string) => {
  const writer = new AnswerWriter({ passages });
  for (const piece of piecesOf(text)) writer.push(piece);
  writer.end();
};
const cleanPassage = (stored: string) => {
  const { text, storedSpan } = toPlainPassage(stored);
  for (let at = 0; at < 100; at++) storedSpan(Math.floor((at * text.length) / 100), text.length);
};
const chunkProse = chunkDocument.bind(undefined, splitProse);
const blockLines = `${'a\n'.repeat(500)}b`;
const rulesOf = (text: string) => readRobots(site(text), page, undefined);

const replyParts = [
  '\n- a',
  '# ',
  '> > ',
  '\r',
  ' (',
  ' (1).',
  'Sources:\n[1] ',
  'According to [1] ',
  ', according to passage 1, 2',
  ...listed(`
    {"a": | Sources | \u200b | <think> | ¹ | <sup>1</sup> | (Passage 1, | Source: 1, | [[1 | let me know if you have any
    ] | [1] | . a | 👩‍👩‍👧. | Refunds are paid [1] | Refunds cost 5. [1] | www. | ![ | <a
  `).map((part) => `${part} `),
];
const markdownParts = [
  'x\n',
  '\n:::tip\n',
  '- <B>\n',
  'export const a = {\n',
  '\n!!! note\n    ',
  '~~~\n',
  ...listed(`
    { | \` | \`\` \` | <b> | <b><i> | ![]( | &lt; | <!-- | <a b=" | {' | {\` | <div hidden> | <table> | <pre>
    <Card title="a"> | &#x | <p> | <script>
  `),
];

/** Functions with parts and a length of their own. */
it.each<[string, readonly string[], (text: string) => unknown, number]>([
  ['a reply is read in pieces', replyParts, readPieces, 20_000],
  ['a reply is checked', sampled(replyParts, 12), checkReply, 20_000],
  ['Markdown is parsed', markdownParts, (text) => parseMarkdown(text, 'markdown'), 20_000],
  ['MDX is parsed', markdownParts, (text) => parseMarkdown(text, 'mdx'), 20_000],
  [
    'a document is chunked',
    ['# a\n\nb\n\n', '- a\n', '> a\n\n', '***\n', '| a |\n'],
    (text) => chunkProse(text, 0),
    100_000,
  ],
  ['units are found', ['{%', '{{< ', '{# x\n', '{%\n'], (text) => [...segments(text)], 60_000],
  [
    'a passage is made plain',
    ['[1]', '[1,1,1,1', '\u200B', 'a\u200D', '[1]\n', '```\n'],
    cleanPassage,
    100_000,
  ],
  [
    'a sentence is judged',
    ['Refunds ', '(not ', 'ab_', '"x', "'", 'x@y.', '\u0301', '三', '\ud800', 'twenty '],
    (text) => [judged(refunds, text), judged(text, 'Refunds are paid within 30 days of purchase.')],
    20_000,
  ],
  ['a long passage is judged', [`${refunds}\n\n`], (text) => judged(text, renewal), 200_000],
  [
    'code is found',
    ['```\na\n```\n', '`a` ', 'a\n', ' \n'],
    (text) => [codeIn(text, blockLines), codeIn(text, 'a b')],
    50_000,
  ],
  [
    'a previous answer is read',
    ['[1] ', '\n\nSources:\n[1] x (', 'and ', '\n[1] a (b)', '.'],
    (text) =>
      backgroundOf('and for annual plans?', [
        { role: 'user', content: text },
        { role: 'assistant', content: `${text}x\n\nSources:\n[1] x(${text}` },
      ]),
    200_000,
  ],
  [
    'a question about calls is split',
    ['my calls and what ', 'can i can you ', '? ', 'to from with ', '2026-'],
    splitQuestion,
    20_000,
  ],
  [
    'a task of a chat client is told',
    ['\n', '\n '],
    (text) => taskReplyOf([{ role: 'user', content: `user: a${text}b` }]),
    100_000,
  ],
  ['a path is matched', ['a'], createMatcher([`${'*a'.repeat(200)}b`, '{a,b}'.repeat(40)]), 4_000],
  ['a glob is matched', ['*a'], (glob) => createMatcher([`${glob}b`])('a'.repeat(4_000)), 400],
])('%s in linear time, with its own parts', (_, own, read, length) =>
  expectLinearIn(own, read, length),
);

describe('in linear time', () => {
  it('questions are grouped without losing one', async () => {
    const words = ['refund', 'window', 'invoice', 'password', 'account', 'payment'];
    const rowOf = (question: string): GapRow => ({
      namespace: 'docs',
      topic: topicOf(question),
      question,
      count: 1,
      firstAskedAt: '',
      lastAskedAt: '',
      coverage: 0.1,
      closest: '[]',
    });
    const rowsOf = (count: number) =>
      Array.from({ length: count }, (_, at) =>
        rowOf(`what about ${words[at % words.length]} x${at % (count / 2)}y?`),
      );
    const group = (rows: readonly GapRow[]) =>
      expect(groupGaps(rows).reduce((sum, { count }) => sum + count, 0)).toBe(rows.length);
    await expectLinear(rowsOf, group, 2_400);
  });

  it.each<[string, (size: number) => string]>([
    ['is everywhere', () => 'a'],
    ['is nowhere', () => 'b'],
    ['matches everywhere except at its end', (size) => `${'a'.repeat(size / 20)}b`],
    ['matches everywhere except at its beginning', (size) => `b${'a'.repeat(size / 20)}`],
    ['matches everywhere', (size) => 'a'.repeat(size / 20)],
  ])('a citation is found whose quote %s', async (_, quoteOf) => {
    const make = (size: number) => {
      const quote = quoteOf(size);
      const start = Math.floor(size * 0.95);
      const cited = { quote, start, end: start + quote.length - 1, revision: 'r1' };
      return { document: 'a'.repeat(size), cited };
    };
    await expectLinear(make, ({ document, cited }) => verifyCitation(document, 'r2', cited), 4e6);
  });

  it('a sentence of many names is judged', async () => {
    const nameOf = (at: number) =>
      `N${String(at).replace(/\d/g, (digit) => 'abcdefghij'[+digit]!)}`;
    const namesOf = (count: number) =>
      `Drivers register with ${Array.from({ length: count }, (_, at) => nameOf(at)).join(' ')}.`;
    const judge = (sentence: string) =>
      expect(judged('Drivers register with the NRTA.', sentence).reason).toBeDefined();
    await expectLinear(namesOf, judge, 2_000);
  });

  it('robots.txt is parsed and matched', async () => {
    const groups = (size: number) =>
      `${'User-agent: *\n'.repeat(size)}${'Allow: /\n'.repeat(size)}`;
    await expectLinear(groups, rulesOf, 8_000);
    const lines = (size: number) => Array.from({ length: size }, (_, at) => `Allow: /*a${at}\n`);
    await expectLinear((size) => `User-agent: *\n${lines(size).join('')}`, rulesOf, 8_000);
    const hostile = `User-agent: *\n${`Disallow: /${'*a'.repeat(100)}b\n`.repeat(50)}`;
    const { isAllowed } = await rulesOf(hostile);
    await expectLinearIn(['a'], (path) => isAllowed(`${page}${path}`), 8_000);
  });

  it('a deep quotation is chunked', () =>
    expectLinear(
      (size) => `${'>'.repeat(90)} a\n${'b\n'.repeat(size / 2)}`,
      (text) => chunkProse(text, 0),
      100_000,
    ));

  const many = (count: number, of: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => of(at)).join('');
  it.each([
    [
      'spans',
      `<table>${'<tr><td rowspan="65534" colspan="1000">x</td></tr>'.repeat(2_000)}</table>`,
    ],
    ['rules', `<p>x</p><style>${many(20_000, (at) => `p:not(.a${at}) ~ p{display:none}`)}</style>`],
    ['hidden elements', `<p>x</p>${'<h3>Why?</h3><div hidden></div>'.repeat(10_000)}`],
    ['brackets', `<p>x${'['.repeat(300_000)}</p>`],
  ])('a page is parsed with many %s', async (_, html) => {
    const before = cpuMs();
    expect((await parseHtml(html, page)).markdown).toMatch(/^x/);
    expect(cpuMs() - before).toBeLessThan(4_000);
  });
});
