import { describe, expect, it } from 'vitest';
import { segments } from '../../packages/shared/src/language/segments.ts';
import { terms } from '../../packages/shared/src/language/tokens.ts';
import {
  readFrontMatter,
  writeFrontMatter,
} from '../../packages/shared/src/markdown/front-matter.ts';
import { listed } from '../support/listed.ts';

const unitsOf = (text: string) =>
  [...segments(text)].map((unit) => text.slice(unit.start, unit.end));

describe('terms', () => {
  it('exist in any script without spaces', () =>
    expect([...terms('การคืนเงิน')].length).toBeGreaterThan(0));
  it('exclude long strings without spaces', () => {
    expect([...terms('a.b'.repeat(300_000))].every((term) => term.length <= 64)).toBe(true);
  });
});

describe('segments', () => {
  it('end at no dot of an abbreviation or an ordinal, in any language', () => {
    const whole = listed(`
      Ab dem 4. Juni gilt der Plan. | Siehe dazu §§ 12 ff. BGB. | Sie zahlt, vgl. Anlage 7, z. B. Miete.
      Ask Rev. Hall in Feb. 2025. | Dial ext. 77 on Sat. 9 May. | Llame al Sr. Ruiz, núm. 8. | Voir p. 9, c.-à-d. L’annexe.
      Il Dott. Neri è qui. | Zie blz. 3, d.w.z. Deel twee. | A Av. Central fecha. | Вход с ул. Мира, д. 7.
      Er kam am 7. 8. 2023 an.
    `);
    expect(whole.filter((text) => unitsOf(text).length > 1)).toEqual([]);
  });
  it('end at the dot of a figure, a time or a unit before another sentence', () => {
    expect(
      unitsOf(
        'Siehe Seite 12. Dort steht es. We close at 6 p.m. Doors open later. He said no. Wait.',
      ),
    ).toHaveLength(6);
  });
  it('continue at a line that begins with a figure inside a sentence', () => {
    expect(unitsOf('Wir treffen uns am\n4. Juni im Hof.')).toEqual([
      'Wir treffen uns am\n4. Juni im Hof.',
    ]);
    expect(unitsOf('Steps:\n2. Press it.\n3. Wait.')).toEqual(['Steps:', 'Press it.', 'Wait.']);
  });
  it('exclude bold lines that are labels, but not bold sentences', () => {
    expect(
      unitsOf('**Dogs?**\n\nYes.\n\n**Returns**\n\n**Refunds take 30 days.** And **more** here.'),
    ).toEqual(['Yes.', '**Refunds take 30 days.**', 'And **more** here.']);
    expect(unitsOf('**Refunds take 30 days.**')).toEqual(['**Refunds take 30 days.**']);
  });
  it('keep the box of an open task', () =>
    expect(unitsOf('- [ ] Boats.\n- [x] Sails.\n1. [ ] Oars.')).toEqual([
      '[ ] Boats.',
      'Sails.',
      '[ ] Oars.',
    ]));
});

describe('front matter', () => {
  it('is data only: a block in another language is text and does not run', () => {
    const text = '---js\nglobalThis.ran = true\n---\nBody';
    expect(readFrontMatter(text)).toEqual({ attributes: {}, bodyStart: 0 });
    expect('ran' in globalThis).toBe(false);
  });
  it('counts as body if it does not parse', () => {
    expect(readFrontMatter('---\n: [\n---\nBody').bodyStart).toBe(0);
    expect(readFrontMatter('---\nnever closed').bodyStart).toBe(0);
  });
  it('rejects nested complex keys, which take exponential time', () => {
    expect(readFrontMatter(`---\n${'? '.repeat(600)}\n---\nBody`).bodyStart).toBe(0);
    expect(readFrontMatter('---\ntitle: Why? Because\n---\nBody').attributes).toEqual({
      title: 'Why? Because',
    });
  });
  it('rejects an alias bomb', () => {
    const bomb = `---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c]\n---\n`;
    expect(readFrontMatter(bomb).bodyStart).toBe(0);
  });
  it('survives a round trip', () => {
    const titles = listed(`plain | a: b | "q" | it's #1 | --- | yes | 1.0 | 返金 | {a} | *x`);
    for (const title of [...titles, '|']) {
      const written = writeFrontMatter({ title });
      expect(readFrontMatter(`${written}Body`)).toEqual({
        attributes: { title },
        bodyStart: written.length - 1,
      });
    }
  });
});
