import { describe, expect, it } from 'vitest';
import { parseCsv } from '../../../../packages/converters/src/data/parse-table.ts';

const read = async (text: string, delimiter = ',') => (await parseCsv(text, delimiter)).markdown;
const refusal = (text: string) =>
  parseCsv(text, ',').then(
    () => 'parsed',
    (error) => `${error.code}: ${error.message}`,
  );

describe('the table parser', () => {
  it('writes a section for each question with its answer', async () => {
    expect(
      await read(
        'Question,Answer\n"How long, usually?","30 days.\n\nSee a|b."\nWho?,# Users of C#\n',
      ),
    ).toBe('## How long, usually?\n\n30 days.\n\nSee a|b.\n\n## Who?\n\n**Users of C#**');
  });

  it('writes short cells as tables that repeat their header', async () => {
    const markdown = await read(
      `Plan,Users\n${Array.from({ length: 50 }, (_, n) => `P${n},${n}`).join('\n')}`,
    );
    expect(markdown.match(/^\| Plan \| Users \|$/gm)).toHaveLength(3);
    for (const block of markdown.split('\n\n'))
      expect(block.split('\n').length).toBeLessThanOrEqual(22);
    expect(markdown.match(/^\| P\d+ \| \d+ \|$/gm)).toHaveLength(50);
  });

  it('writes wide rows as sections headed by the name column', async () => {
    expect(
      await read(
        'id,company,mail,city,land,phone,notes,unused\n1,Acme,a@b.c,Bonn,DE,+49,"Two\nlines",\n2,Byte,b@b.c,Rome,IT,+39,,\n',
      ),
    ).toBe(
      '## Acme\n\n- **id**: 1\n- **mail**: a@b.c\n- **city**: Bonn\n- **land**: DE\n- **phone**: +49\n- **notes**: Two; lines\n\n## Byte\n\n- **id**: 2\n- **mail**: b@b.c\n- **city**: Rome\n- **land**: IT\n- **phone**: +39',
    );
  });

  it('accepts semicolons, tabs, a byte order mark, CRLF, bars and formulas', async () => {
    expect(await read('\uFEFFPlan;Price\r\nA|B;=1+1\r\n\r\n')).toBe(
      '| Plan | Price |\n| - | - |\n| A\\|B | =1+1 |',
    );
    expect(await read('k\tv\n1\t2, 3\n')).toBe('| k | v |\n| - | - |\n| 1 | 2, 3 |');
    expect(await read('k\tv\n1\t2\n', '\t')).toBe('| k | v |\n| - | - |\n| 1 | 2 |');
  });

  it('keeps text above the header', async () => {
    expect(await read('Prices 2026,,\n,,\nPlan,Price,Seats\nPro,12,50\n')).toBe(
      'Prices 2026\n\n| Plan | Price | Seats |\n| - | - | - |\n| Pro | 12 | 50 |',
    );
  });

  it('removes HTML and invisible characters and keeps ordinary signs', async () => {
    expect(await read('a,b\n"<p>1 <b>x</b></p><script>y</script>",2 < 3 & {z}\n')).toContain(
      '| 1 **x** | 2 < 3 & {z} |',
    );
    expect(await read('a,b\nx\u200by,<div hidden>secret</div>z\n')).toContain('| xy | z |');
  });

  it('rejects tables above a limit and reports the limit', async () => {
    expect(await refusal('a\n'.repeat(200_000))).toBe(
      'payload_too_large: The table has more than 100000 rows. Split the file.',
    );
    expect(await refusal(','.repeat(1_000))).toBe(
      'payload_too_large: The table has more than 500 columns.',
    );
    expect(await refusal(`a,b\n"${'x'.repeat(200_000)}",y`)).toBe(
      'payload_too_large: A table cell is longer than 100000 characters.',
    );
  });

  it('reads 100,000 rows', async () => {
    const markdown = await read(
      `id,name,price\n${Array.from({ length: 100_000 }, (_, n) => `${n},Product ${n},${n / 10}`).join('\n')}`,
    );
    expect(markdown).toContain('| 99999 | Product 99999 | 9999.9 |');
  });
});

describe('a table in a spreadsheet export', () => {
  it.each([
    ['Question,Yes,No\nWho?,12,3', 'Question | Yes | No'],
    ['Region;2022;2023/24\nNord;12;15', 'Region | 2022 | 2023/24'],
    ['Ann;1990;no\nBo;1985;no', 'Column 1 | Column 2 | Column 3'],
    ['2022;12\n2023;13', 'Column 1 | Column 2'],
    ['Artikel, Farbe;Preis;Lager\nHemd rot;19,90;5', 'Artikel, Farbe | Preis | Lager'],
    ['sep=;\nArtikel, Farbe;Preis\nHemd, rot;19', 'Artikel, Farbe | Preis'],
    ['Last, first, middle\tRoom\nLee, Ann, B\t12', 'Last, first, middle | Room'],
  ])('has the columns that a reader sees: %j', async (text, columns) =>
    expect(await read(text)).toContain(`| ${columns} |`),
  );
});

describe('a table with two columns of the same name', () => {
  it('keeps its header and tells the columns apart', async () => {
    expect(await read('Port,Fee,Fee\nRiga,3,4\nOslo,5,6')).toBe(
      '| Port | Fee | Fee (2) |\n| - | - | - |\n| Riga | 3 | 4 |\n| Oslo | 5 | 6 |',
    );
    expect(await read('Port\tMate\tMate\nRiga\tAnn\tBo', '\t')).toContain(
      '| Port | Mate | Mate (2) |',
    );
  });

  it('has no header if the repeated name is a value', async () =>
    expect(await read('oak,red,red\nelm,red,blue')).toContain(
      '| Column 1 | Column 2 | Column 3 |',
    ));
});
