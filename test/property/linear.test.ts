/**
 * Runs every function that matches patterns in foreign text on inputs that make some patterns
 * quadratic: a repeated part, a start that lets a pattern match and an end that makes it fail. Four
 * times the text may take about four times the CPU time of this thread.
 */
import { expect, it } from 'vitest';
import { parseCsv } from '../../packages/converters/src/data/parse-table.ts';
import { detectFormat } from '../../packages/converters/src/formats.ts';
import { parseMarkdown } from '../../packages/converters/src/markdown/parse-markdown.ts';
import { exactPartsOf } from '../../packages/grounding/src/checks/exact-parts.ts';
import { toPlainPassage } from '../../packages/grounding/src/plain-passage.ts';
import { ReplyReader } from '../../packages/grounding/src/reply-reader.ts';
import { codeIn } from '../../packages/grounding/src/sentence-check.ts';
import { createMentionGate } from '../../packages/mastra/src/mention.ts';
import {
  asksForInstructions,
  isAddressedToModel,
} from '../../packages/shared/src/language/addressed-to-model.ts';
import { queryWords } from '../../packages/shared/src/language/query-words.ts';
import { segments } from '../../packages/shared/src/language/segments.ts';
import { smallTalkOf } from '../../packages/shared/src/language/small-talk.ts';
import { contentWords } from '../../packages/shared/src/language/tokens.ts';
import { holdsActiveMarkup } from '../../packages/shared/src/markdown/active-markup.ts';
import { readFrontMatter } from '../../packages/shared/src/markdown/front-matter.ts';
import { firstHeading, plainHeading } from '../../packages/shared/src/markdown/headings.ts';
import { mentionsCalls, splitQuestion } from '../../src/calls/calls-question.ts';
import { createChunker } from '../../src/documents/chunk.ts';
import { fileNameFor } from '../../src/documents/document-file.ts';
import { readRobots } from '../../src/ingest/crawl/robots.ts';
import { readLlmsTxt, readSitemaps } from '../../src/ingest/crawl/sitemap.ts';
import { createMatcher } from '../../src/ingest/glob.ts';
import { scrub } from '../../src/log.ts';
import { sampled } from '../support/depth.ts';

const site = (text: string) => async (url: string) => ({
  status: 200,
  url: new URL(url),
  bytes: Buffer.from(text),
});
const page = 'https://example.com/';
const chunk = createChunker(async () => []);
const gate = createMentionGate({ mentions: ['@agent'] });
const readReply = (text: string) => {
  const reader = new ReplyReader();
  for (let from = 0; from < text.length; from += 1_000)
    reader.push(text.slice(from, from + 1_000), () => false);
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
    readSitemaps(site(`<urlset>${text}`), [page], () => true, 100, undefined),
  'llms.txt is read': (text) => readLlmsTxt(site(text), page, 100, undefined),
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
