import { describe, expect, it } from 'vitest';
import { createLayout, type LayoutPart } from '../../../packages/grounding/src/shown-sentence.ts';
import { groundReply } from '../../support/grounded.ts';
import { listed } from '../../support/listed.ts';
import { passageOf } from '../../support/passages.ts';

const part = (
  text: string,
  kind: LayoutPart['kind'] = 'sentence',
  index = 1,
  passage = text,
): LayoutPart => ({ text, indexes: [index], kind, passage });
const layOut = (parts: readonly LayoutPart[]) => parts.map(createLayout()).join('');
const plans = '| Plan | Price |\n| --- | --- |\n| Team | $28 |\n| Solo | $9 |';
const limits = '| Plan | Seats |\n|---|---|\n| Team | 50 |';
const row = (text: string, passage = plans, index = 1) => part(text, 'row', index, passage);

describe('table rows', () => {
  it('follow two headers if they are of two tables', () => {
    expect(layOut([row('| Team | $28 |'), row('| Team | 50 |', limits, 2)])).toBe(
      '| Plan | Price |\n| --- | --- |\n| Team | $28 [1] |\n\n| Plan | Seats |\n| --- | --- |\n| Team | 50 [2] |',
    );
  });
  it('repeat the header after a sentence', () => {
    expect(
      layOut([row('| Team | $28 |'), part('So.'), row('| Solo | $9 |')]).match(/Plan/g),
    ).toHaveLength(2);
  });
  it('have no header if their passage has none', () => {
    expect(layOut([row('| Team | $28 |', '| Team | $28 |')])).toBe('| Team | $28 [1] |');
    expect(layOut([row('| A | B | C |', '| Plan | Price |\n|---|---|\n| A | B | C |')])).toBe(
      '| A | B | C [1] |',
    );
    const other = `${plans}\n\nThen.\n\n| Pro | $5 |`;
    expect(layOut([row('| Team | $28 |', other), row('| Pro | $5 |', other)])).toBe(
      '| Plan | Price |\n| --- | --- |\n| Team | $28 [1] |\n\n| Pro | $5 [1] |',
    );
  });
  it.each([
    '<img src=x onerror=alert(1)>',
    '![x](https://evil.example/x.png)',
    '[x](javascript:alert(1))',
  ])('omit a header with active markup: %s', (markup) => {
    const body = layOut([
      row('| Team | $28 |', `| ${markup} | Price |\n|---|---|\n| Team | $28 |`),
    ]);
    expect(body).toBe('| Team | $28 [1] |');
  });
});

describe('code', () => {
  it.each(['a\n```\nb', '````js\nx\n````', '`'.repeat(9)])('cannot close its fence: %j', (code) => {
    const body = layOut([part(code, 'code')]);
    const fence = /^`+/.exec(body)?.[0] ?? '';
    expect(code).not.toContain(fence);
    expect(body).toBe(`${fence}\n${code}\n${fence}\n[1]`);
  });
});

describe('a checked reply', () => {
  const bodyOf = (reply: string, ...texts: string[]) =>
    groundReply(
      reply,
      texts.map((text) => passageOf(text, 'Plans')),
    ).text.split('\n\nSources:')[0];

  it('keeps its rows under the header of the passage, not its own', () => {
    const wanted = '| Plan | Price |\n| --- | --- |\n| Team | $28 |\n| Solo | $9 [1] |';
    expect(bodyOf('| Team | $28 [1] |\n| Solo | $9 [1] |', plans)).toBe(wanted);
    expect(
      bodyOf('| Plan | Bribe |\n|---|---|\n| Team | $28 [1] |\n| Solo | $9 [1] |', plans),
    ).toBe(wanted);
  });
  it('shows code of a passage in its fence, whatever tags it has, with its language', () => {
    const fenced = (code: string, language = 'html') => `\`\`\`${language}\n${code}\n\`\`\``;
    for (const code of [
      ...listed(`
        <script defer src="/a.js"></script> | get <resource-name>@<provider_name> | const all: Promise<void> = run();
      `),
      '<<<<<<< HEAD\nport: 8080\n>>>>>>> next',
    ]) {
      const passage = `Embed it:\n\n${fenced(code, '')}\n`;
      expect(bodyOf(`${fenced(code)}\n[1]`, passage)).toBe(`${fenced(code)}\n[1]`);
      const changed = code.replace(/[a-z](?=[^a-z]*$)/, 'q');
      expect(bodyOf(`${fenced(changed)}\n[1]`, passage)).not.toContain(changed);
    }
  });
  it('shows no tag of a passage outside a fence, and no code that could end its fence', () => {
    const script = '<script src="https://example.com/x.js"></script>';
    expect(bodyOf(`${script} [1]`, `Embed it:\n\n\`\`\`html\n${script}\n\`\`\`\n`)).toBe(
      `This may answer it:\n\n**Plans**\n\nEmbed it:\n\n\`\`\`html\n${script}\n\`\`\`\n\n[1]`,
    );
    const nested = '````\n```\nport: 1\n```\n````';
    expect(bodyOf(`${nested}\n[1]`, `Run it:\n\n${nested}\n`)).toMatch(/^This may answer it/);
  });
  it('shows no comment of the model in code', () => {
    const passage = 'Install it:\n\n```sh\n# Once\nnpm ci\n```\n';
    expect(bodyOf('```sh\n# Once\nnpm ci\n# Visit evil.example\n```\n[1]', passage)).toBe(
      '```sh\nnpm ci\n```\n[1]',
    );
  });
  it('keeps the sentences of a list item on one line, with their citation once', () => {
    const item = 'Calls end after 60 minutes. Recordings stay for 30 days.';
    expect(bodyOf(`- ${item} [1]\n- Plans cost $28. [1]`, `- ${item}\n- Plans cost $28.`)).toBe(
      '- Calls end after 60 minutes. Recordings stay for 30 days.\n- Plans cost $28. [1]',
    );
  });
  it('gives a sentence its own item if the start of its item is dropped', () => {
    const passage = 'Plan A costs $28 a month. Seats are billed yearly.';
    expect(
      bodyOf(
        '- Plan A costs $28 a month. [1]\n- Plan B costs $90 a month. Seats are billed yearly. [1]',
        passage,
      ),
    ).toBe('- Plan A costs $28 a month.\n- Seats are billed yearly. [1]');
  });
});
