import { describe, expect, it } from 'vitest';
import { queryWords } from '../../src/language/query-words.ts';
import { segments } from '../../src/language/segments.ts';
import { contentWords, terms } from '../../src/language/tokens.ts';
import { readFrontMatter, writeFrontMatter } from '../../src/markdown/front-matter.ts';
import { expectLinearIn } from '../support/growth.ts';
import { listed } from '../support/listed.ts';

const unitsOf = (text: string) => [...segments(text)].map((unit) => text.slice(unit.start, unit.end));

describe('terms', () => {
  it('fold case and accents and stem English words', () => {
    expect([...terms('Refunded REFUNDS Café Zürich')]).toEqual(['refund', 'refund', 'cafe', 'zurich']);
  });
  it('give a compound whole and in parts', () => {
    expect([...terms('getUserById')]).toEqual(['getuserbyid', 'get', 'user', 'by', 'id']);
    expect([...terms('ERR_CALL_BUSY')]).toContain('err_call_busy');
    expect([...terms('ERR_CALL_BUSY')]).toContain('call');
    expect([...terms('v1.2.3')]).toContain('v1.2.3');
    expect([...terms('/v3/calls')]).toEqual(['v3/calls', 'v3', 'call']);
  });
  it('cut scripts without spaces so that a part of a sentence meets it', () => {
    const document = new Set(terms('返金は購入後30日以内に行われます。'));
    expect([...terms('返金 購入後')].every((term) => document.has(term))).toBe(true);
    expect([...terms('การคืนเงิน')].length).toBeGreaterThan(0);
  });
  it('leave nothing of a megabyte without a space', () => {
    expect([...terms('a.b'.repeat(300_000))].every((term) => term.length <= 64)).toBe(true);
  });
  it('drop the words of a question that say only how it is asked', () => {
    const asked = (query: string) => queryWords(query, ['en'], ['en']).flatMap((word) => word.terms);
    expect(asked('How long do refunds take?')).toEqual(['refund']);
    expect(asked('who is it')).toEqual(['who', 'is', 'it']);
  });
  it('tell names and figures from other words', () => {
    const names = contentWords('Is France covered by plan 3?').filter((word) => word.isName);
    expect(names.map((word) => word.term)).toEqual(['franc', '3']);
  });
});

describe('units', () => {
  it('are sentences, list items, table rows and code blocks, without headings and frames', () => {
    const text =
      '# Title\n\nOne, e.g. this. Two\nwrapped here!\n\n- item **a**\n- item b. More.\n\n> quote\n\n| h |\n|---|\n| cell |\n\n```js\ncode()\n```\nLast';
    expect(unitsOf(text)).toEqual([
      'One, e.g. this.',
      'Two\nwrapped here!',
      'item **a**',
      'item b. More.',
      'quote',
      '| cell |',
      'code()',
      'Last',
    ]);
  });
  it('take a line that is bold as a whole for a label, unless it is a sentence', () => {
    expect(unitsOf('**Are dogs welcome?**\n\nYes, on a lead.\n\n**Returns**\n\n**Refunds take 30 days.** And **more** here.')).toEqual([
      'Yes, on a lead.',
      '**Refunds take 30 days.**',
      'And **more** here.',
    ]);
    expect(unitsOf('**Refunds take 30 days.**')).toEqual(['**Refunds take 30 days.**']);
  });
  it('take anything in time linear in its length', async () => {
    await expectLinearIn(['|', '| ', '- ', '`', '<', '> ', ' ', 'a. ', '[x](', '#'], unitsOf, 100_000);
  });
});

describe('front matter', () => {
  it('is data: a block in another language is text, and is not run', () => {
    const text = '---js\nglobalThis.ran = true\n---\nBody';
    expect(readFrontMatter(text)).toEqual({ attributes: {}, bodyStart: 0 });
    expect('ran' in globalThis).toBe(false);
  });
  it('is body where it does not parse, so that nothing is lost', () => {
    expect(readFrontMatter('---\n: [\n---\nBody').bodyStart).toBe(0);
    expect(readFrontMatter('---\nnever closed').bodyStart).toBe(0);
  });
  it('refuses keys of keys of keys, which take the parser for ever', () => {
    expect(readFrontMatter(`---\n${'? '.repeat(600)}\n---\nBody`).bodyStart).toBe(0);
    expect(readFrontMatter('---\ntitle: Why? Because\n---\nBody').attributes).toEqual({ title: 'Why? Because' });
  });
  it('refuses an alias bomb', () => {
    const bomb = `---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c]\n---\n`;
    expect(readFrontMatter(bomb).bodyStart).toBe(0);
  });
  it('reads back whatever was written', () => {
    for (const title of [
      ...listed(`
        plain | a: b | "q" | it's #1 | - x | --- | yes | 1.0 | null | 返金 | 👍 | {a} | *x | &x | !tag | @at
      `),
      '`b`',
      '%',
      '|',
      '>',
    ]) {
      const written = writeFrontMatter({ title });
      expect(readFrontMatter(`${written}Body`)).toEqual({ attributes: { title }, bodyStart: written.length - 1 });
    }
  });
});
