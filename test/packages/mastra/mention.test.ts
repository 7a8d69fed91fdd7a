import { describe, expect, it } from 'vitest';
import { createMentionGate } from '../../../packages/mastra/src/mention.ts';
import { listed } from '../../support/listed.ts';

const gate = createMentionGate({ mentions: ['@agent', '<@uid:knowledge>'] });

describe('a message with a mention is a question', () => {
  it.each([
    ['@agent how long?', 'how long?'],
    ['how long, @Agent?', 'how long, ?'],
    ['hi\n@agent', 'hi'],
    ['返金は@agent教えて', '返金は教えて'],
    ['<@uid:knowledge> hi', 'hi'],
    ['`code` and @agent', '`code` and'],
    ['an ` alone and @agent', 'an ` alone and'],
    ['```\ncode\n```\n@agent hi', '```\ncode\n```\n hi'],
    ['Thanks.@agent hi', 'Thanks. hi'],
    ['@agent', ''],
    ['https://x.test/をご覧。@agent どう', 'https://x.test/をご覧。 どう'],
    ['a ` b\n\n@agent c ` d', 'a ` b\n\n c ` d'],
    ['(https://x.test/a)@agent hi', '(https://x.test/a) hi'],
    ['> what she said\n@agent how long?', '> what she said\n how long?'],
    ['"@agent" how long?', '"" how long?'],
    ['＠agent 返金は？', '返金は？'],
    ['- @agent how long?', 'how long?'],
    ['see docs.x.test/a?b, @agent how long?', 'see docs.x.test/a?b, how long?'],
  ])('%j', (message, question) => expect(gate.question(message)).toBe(question));
});

describe('a message without a mention is no question', () => {
  it.each([
    ...listed(`
      how long do refunds take? | agent | @agents hi | @agent-x hi | @agent_x hi | me@agent.com | me@agent | @agent.com | @@agent
      https://example.com/@agent | https://example.com/?q=@agent | www.example.com/@agent
    `),
    'docs.example.com/search?to=@agent',
    'https://example.com/straße?to=@agent',
    'https://example.com/wiki/Agent_(software)?to=@agent',
    '`@agent`',
    '``a ` @agent``',
    '```\n@agent\n```',
    '~~~\n@agent',
    '- ```\n  @agent\n  ```',
    'uid:knowledge',
    '@agent/core is a package',
    '@agent:matrix.org hi',
    'mailto:@agent hi',
    '@agent\u0301 hi',
    ...listed(`
      <code>@agent</code> hi | - > @agent how long? | 1. > @agent how long? | &gt; @agent how long? | > @agent how long?
    `),
    '  > > @agent how long?\n\nhe wrote',
    '@＠agent',
    '<@uid:knowledge-2>',
    '',
  ])('%j', (message) => expect(gate.question(message)).toBeUndefined());
});

describe('a configured mention', () => {
  const named = createMentionGate({
    mentions: ['@Help Desk', '@Hilfe', '@Zoë', '@知識', '<@uid:kb-1>'],
  });
  it.each([
    ['@help  desk: how long?', 'how long?'],
    ['@Help\u00a0Desk how long?', 'how long?'],
    ['@Hilfe, wie lange?', 'wie lange?'],
    ['@Zoe\u0308 how long?', 'how long?'],
    ['返金は@知識さん', '返金はさん'],
    ['<@uid:kb-1>how long?', 'how long?'],
    ['hi <@UID:KB-1>!', 'hi !'],
  ])('%j', (message, question) => expect(named.question(message)).toBe(question));

  it.each(['see docs/ask for it', 'me!bot'])('is a whole word: %j', (message) =>
    expect(createMentionGate({ mentions: ['/ask', '!bot'] }).question(message)).toBeUndefined(),
  );

  it.each([
    '@Help',
    '@Help\nDesk',
    '@Hilfebereich',
    '@Zoe',
    '<@uid:kb-10>',
    '`<@uid:kb-1>`',
    'help desk',
  ])('does not match %j', (message) => expect(named.question(message)).toBeUndefined());
});

describe('a message in a direct conversation', () => {
  const open = createMentionGate({ mentions: ['@agent'], isNeeded: false });
  it('is a question without its mentions', () => {
    expect(gate.question(' how long? ', true)).toBe('how long?');
    expect(gate.question('@agent how long?', true)).toBe('how long?');
    expect(open.question('how long?')).toBe('how long?');
  });
  it('follows the explicit setting of its channel', () => {
    expect(open.question('how long?', false)).toBeUndefined();
    expect(open.question('@agent how long?', false)).toBe('how long?');
  });
});
