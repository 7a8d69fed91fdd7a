/**
 * All functions that read foreign text with patterns, given texts that could take quadratic time: a repeated part, a start at which a pattern
 * begins and an end at which it fails. Four times the text may take about four times the CPU time of this thread. Short times pass.
 */
import { expect, it } from 'vitest';
import { createMentionGate } from '../../src/app/ask/mention.ts';
import { speaksOfCalls, splitQuestion } from '../../src/calls/calls-question.ts';
import { parseCsv } from '../../src/convert/data/parse-table.ts';
import { detectFormat } from '../../src/convert/formats.ts';
import { parseMarkdown } from '../../src/convert/markdown/parse-markdown.ts';
import { createChunker } from '../../src/documents/chunk.ts';
import { fileNameFor } from '../../src/documents/document-file.ts';
import { exactPartsOf } from '../../src/grounding/checks/exact-parts.ts';
import { toPlainPassage } from '../../src/grounding/plain-passage.ts';
import { readRobots } from '../../src/ingest/crawl/robots.ts';
import { readLlmsTxt, readSitemaps } from '../../src/ingest/crawl/sitemap.ts';
import { createMatcher } from '../../src/ingest/glob.ts';
import { asksForInstructions, isAddressedToModel } from '../../src/language/addressed-to-model.ts';
import { queryWords } from '../../src/language/query-words.ts';
import { segments } from '../../src/language/segments.ts';
import { smallTalkOf } from '../../src/language/small-talk.ts';
import { contentWords } from '../../src/language/tokens.ts';
import { scrub } from '../../src/log.ts';
import { holdsActiveMarkup } from '../../src/markdown/active-markup.ts';
import { readFrontMatter } from '../../src/markdown/front-matter.ts';
import { firstHeading, plainHeading } from '../../src/markdown/headings.ts';
import { ReplyReader } from '../../src/reply/reply-reader.ts';
import { codeIn } from '../../src/reply/sentence-check.ts';
import { sampled } from '../support/depth.ts';

const site = (text: string) => async (url: string) => ({ status: 200, url: new URL(url), bytes: Buffer.from(text) });
const page = 'https://example.com/';
const chunk = createChunker(async () => []);
const gate = createMentionGate(['@agent']);
const readReply = (text: string) => {
  const reader = new ReplyReader();
  for (let from = 0; from < text.length; from += 1_000) reader.push(text.slice(from, from + 1_000), () => false);
  return reader.end();
};

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  'Markdown parsing': (text) => parseMarkdown(text, 'markdown'),
  'MDX parsing': (text) => parseMarkdown(text, 'mdx'),
  'text parsing': (text) => parseMarkdown(text, 'text'),
  'table parsing': (text) => parseCsv(`name,value\n${text.slice(0, 8_192)},1\n`, ','),
  'format detection': (text) => detectFormat(Buffer.from(text), 'a.md', 'text/markdown'),
  chunking: (text) => chunk(text, 0),
  'front matter parsing': (text) => readFrontMatter(`---\n${text}\n---\n`),
  'heading parsing': (text) => [plainHeading(text), firstHeading(`# ${text}`)],
  'file naming': (text) => fileNameFor('url', 'identity', text),
  'robots.txt parsing': async (text) => (await readRobots(site(`user-agent: *\ndisallow: /${text}`), page, undefined)).isAllowed(page),
  'sitemap parsing': (text) => readSitemaps(site(`<urlset>${text}`), [page], () => true, 100, undefined),
  'llms.txt parsing': (text) => readLlmsTxt(site(text), page, 100, undefined),
  'glob matching': (text) => createMatcher([text.slice(0, 2_000)])('a/b.md'),
  segmentation: (text) => [...segments(text)],
  tokenization: (text) => contentWords(text),
  'query planning': (text) => queryWords(text.slice(0, 2_000), ['en', 'de'], ['en']),
  'mention detection': (text) => gate.question(`@agent ${text}`),
  'small-talk detection': (text) => smallTalkOf(text.slice(0, 2_000)),
  'detection of questions about calls': (text) => [speaksOfCalls(text), splitQuestion(`my calls ${text}`.slice(0, 2_000))],
  'detection of instructions': (text) => [isAddressedToModel(text), asksForInstructions(text)],
  'conversion to plain text': toPlainPassage,
  'active markup detection': holdsActiveMarkup,
  'exact part detection': exactPartsOf,
  'reply parsing': readReply,
  'code search': (text) => [codeIn(text, text.slice(0, 1_200)), codeIn('```\nx\n```\n', text)],
  'log scrubbing': scrub,
};

const parts =
  ' |\t|\n|\u2028|\u200d|a|A|1|é|返|.|,|-|_|*|#|~|`|<|>|[|](|![|(|{|}|{{/*|{/*|{%|{{<|&|@|/|"|\\"|:|;|$|%|=|+|!|www.|a.|a-|a@|.a|1,|+A|A b |Aa |](x|[1] |- a\n|# a\n|> |<a |<!--|```\n|and |\n\n|?a=|<loc>|{"\\"|, and\t|x\u2028';
const allAttacks = [
  ...parts
    .split('|')
    .filter((part) => part !== '')
    .concat('|', '| ', '|-')
    .map((part) => ({ before: 'x', part, after: '\u2028x' })),
  ...[' ', '\t', '\n', '`', '#', '{/*', '{{/*', '[', '\u2028', '/', '+A'].map((part) => ({ before: '', part, after: 'x' })),
  { before: ':::a', part: '\t', after: ':' },
  { before: 'ignore', part: '\t', after: 'x' },
];

const attacks = sampled(allAttacks, 32);
const chars = 24_576;
const smallChars = chars / 4;
/** Less is never measured again. */
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

it.each(Object.entries(readers))('%s takes linear time', { timeout: 120_000 }, async (_, read) => {
  const slow: string[] = [];
  for (const { part, before, after } of attacks) {
    const textOf = (length: number) => before + part.repeat(Math.ceil(length / part.length)) + after;
    // The minimum of several runs: first calls include compilation, and other processes use the CPU caches.
    let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let run = 0; run < 10 && large > freeMs && !(large < maxGrowth * small && run > 0); run++) {
      large = Math.min(large, await workOf(read, textOf(chars)));
      if (large > freeMs) small = Math.min(small, await workOf(read, textOf(smallChars)));
    }
    if (large > freeMs && large > maxGrowth * small) slow.push(`${JSON.stringify([before, part, after])}: ${small} → ${large} ms`);
  }
  expect(slow).toEqual([]);
});
