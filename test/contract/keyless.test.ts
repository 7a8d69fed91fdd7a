/** Tests answers without a model from hand-written files. */
import { describe, expect, it } from 'vitest';
import { generated, streamed } from '../support/answer-contract.ts';
import { startService } from '../support/workspace.ts';

const pad = (cell: string, width: number) => cell.padEnd(width);
const rows = [
  ['Country', 'Notice period', 'Public holidays'],
  ['Germany', '3 months', '9 days'],
  ['Spain', '15 days', '14 days'],
];
const padded = (width: number) =>
  rows
    .map((cells) => `| ${cells.map((cell) => pad(cell, width)).join(' | ')} |`)
    .toSpliced(1, 0, `| ${rows[0]?.map(() => '-'.repeat(width)).join(' | ')} |`)
    .join('\n');

describe('without a key', () => {
  it.each([9, 40, 400])(
    'a table padded to %i characters is quoted whole, without the padding',
    async (width) => {
      const service = await startService(
        {},
        { 'docs/countries.md': `# Countries\n\n${padded(width)}\n` },
      );
      for (const ask of [generated, streamed]) {
        const answer = await ask(service, 'what is the notice period in Spain?');
        expect(answer.text).toMatch(
          /^This may answer it:\n\n\*\*Countries\*\*\n\n\| Country *\| Notice period *\| Public holidays *\|\n\| --- \| --- \| --- \|\n\| Germany *\| 3 months *\| 9 days *\|\n\| Spain *\| 15 days *\| 14 days *\|\n\n\[1\]\n\nSources:\n\[1\] Countries$/,
        );
        expect(answer.body).toMatchObject({
          reason: 'closest',
          citations: [{ quote: expect.stringMatching(/^\| Country [\s\S]* 14 days +\|$/) }],
        });
      }
    },
  );

  it.each([
    ['Wer ist der Papst?', 'no_context'],
    ['Comment cuire des pâtes ?', 'no_context'],
    ['Wie richte ich SAML ein?', 'closest'],
  ])('needs a rare word of the documents in another language: %s', async (question, reason) => {
    const text = '# Sign-on\n\nPaste the certificate to set up SAML. Patents need a lawyer.\n';
    const service = await startService({}, { 'docs/sign-on.md': text });
    expect((await generated(service, question)).body).toMatchObject({ reason });
  });

  it.each([
    ['keywords', 'keywords: [pto, vacation]'],
    ['description', 'description: All about your vacation.'],
  ])('words in %s find their document', async (_, line) => {
    const service = await startService(
      {},
      {
        'docs/leave.md': `---\n${line}\n---\n\n# Time off\n\nTwenty days.\n`,
        'docs/other.md': '# Other\n\nText.\n',
      },
    );
    const { body } = await service.find({ namespace: 'docs', query: 'vacation' });
    expect(body.results.map(({ file }: any) => file)).toEqual(['leave.md']);
    expect((await generated(service, 'vacation')).text).toContain('Twenty days.');
  });

  it('sources are labelled with the original headings', async () => {
    const text =
      '---\ntitle: Q&amp;A\n---\n\n## Time off (PTO)\n\nThe zebra doors close at nine.\n';
    const service = await startService({}, { 'docs/a.md': text });
    expect((await generated(service, 'when do the zebra doors close?')).text).toMatch(
      /\[1\] Q&A › Time off \(PTO\)$/,
    );
  });
});
