/** Generates Word documents: realistic ones with a library, and others from raw XML. */
import { readFile } from 'node:fs/promises';
import {
  CommentRangeEnd,
  CommentRangeStart,
  CommentReference,
  Document,
  Footer,
  Header,
  HeadingLevel,
  InsertedTextRun,
  type IParagraphOptions,
  type IRunOptions,
  LevelFormat,
  Packer,
  Paragraph,
  type ParagraphChild,
  Table,
  TableCell,
  TableOfContents,
  TableRow,
  TextRun,
} from 'docx';
import { ZipFile } from 'yazl';
import { listed } from './listed.ts';

export type Sample = Readonly<{
  name: string;
  fileName: string;
  make(): Promise<Uint8Array>;
  /** Texts that the Markdown must contain. */
  keep: readonly string[];
  /** Texts that it must not contain. */
  drop: readonly string[];
}>;

const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const namespaces = `xmlns:w="${word}" xmlns:r="${office}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"`;

export const zipOf = (files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const zip = new ZipFile();
    for (const [name, content] of Object.entries(files))
      zip.addBuffer(typeof content === 'string' ? Buffer.from(content) : content, name, {
        mtime: new Date(0),
        // As EPUB requires.
        compress: name !== 'mimetype',
      });
    zip.end();
    const chunks: Buffer[] = [];
    zip.outputStream.on('data', (chunk: Buffer) => chunks.push(chunk));
    zip.outputStream.on('error', reject);
    zip.outputStream.on('end', () => resolve(Buffer.concat(chunks)));
  });

const relationships = (lines: string) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${lines}</Relationships>`;

export type WordParts = Readonly<{
  body?: string;
  /** Complete word/document.xml instead of `body`. */
  document?: string;
  styles?: string;
  numbering?: string;
  footnotes?: string;
  /** Link id → target. */
  links?: Readonly<Record<string, string>>;
  properties?: string;
  more?: Readonly<Record<string, string | Buffer>>;
}>;

const part = (name: string, elements: string | undefined) =>
  elements === undefined
    ? {}
    : { [`word/${name}.xml`]: `<w:${name} ${namespaces}>${elements}</w:${name}>` };

export const wordFile = ({
  body = '',
  document,
  styles,
  numbering,
  footnotes,
  links = {},
  properties,
  more = {},
}: WordParts): Promise<Buffer> =>
  zipOf({
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    '_rels/.rels': relationships(
      `<Relationship Id="r1" Type="${office}/officeDocument" Target="word/document.xml"/>`,
    ),
    'word/document.xml':
      document ?? `<w:document ${namespaces}><w:body>${body}</w:body></w:document>`,
    'word/_rels/document.xml.rels': relationships(
      Object.entries(links)
        .map(
          ([id, target]) =>
            `<Relationship Id="${id}" Type="${office}/hyperlink" Target="${target}" TargetMode="External"/>`,
        )
        .join(''),
    ),
    ...part('styles', styles),
    ...part('numbering', numbering),
    ...part('footnotes', footnotes),
    ...(properties === undefined
      ? {}
      : {
          'docProps/core.xml': `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">${properties}</cp:coreProperties>`,
        }),
    ...more,
  });

/** A paragraph of runs; a plain string is one run. */
export const p = (content: string, properties = ''): string =>
  `<w:p>${properties === '' ? '' : `<w:pPr>${properties}</w:pPr>`}${content.startsWith('<') ? content : r(content)}</w:p>`;
export const r = (text: string, properties = ''): string =>
  `<w:r>${properties === '' ? '' : `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;
export const styled = (id: string): string => `<w:pStyle w:val="${id}"/>`;

const cell = (text: string, options: Partial<ConstructorParameters<typeof TableCell>[0]> = {}) =>
  new TableCell({ children: [new Paragraph(text)], ...options });
const row = (...cells: TableCell[]) => new TableRow({ children: cells });
const line = (text: string, more: IParagraphOptions = {}) => new Paragraph({ text, ...more });
const paragraph = (...children: ParagraphChild[]) => new Paragraph({ children });
const run = (text: string, more: IRunOptions = {}) => new TextRun({ text, ...more });
/** An item of a numbered list. */
const item = (text: string, reference: string, level: number, more: IParagraphOptions = {}) =>
  line(text, { numbering: { reference, level }, ...more });

/** Policy that uses Word features as a library writes them. */
export const policyDocument = (): Promise<Buffer> =>
  Packer.toBuffer(
    new Document({
      title: 'Refund policy 2026',
      comments: {
        children: [
          {
            id: 0,
            author: 'x',
            date: new Date(0),
            children: [new Paragraph('Comment of an editor')],
          },
        ],
      },
      numbering: {
        config: [
          {
            reference: 'clauses',
            levels: [
              { level: 0, format: LevelFormat.DECIMAL, text: '%1.' },
              { level: 1, format: LevelFormat.DECIMAL, text: '%1.%2' },
            ],
          },
        ],
      },
      styles: {
        paragraphStyles: [{ id: 'SourceCode', name: 'Source Code', basedOn: 'Normal' }],
        characterStyles: [{ id: 'Ghost', name: 'Ghost', run: { vanish: true } }],
      },
      sections: [
        {
          headers: { default: new Header({ children: [new Paragraph('Confidential header')] }) },
          footers: { default: new Footer({ children: [new Paragraph('Page footer')] }) },
          children: [
            line('Refund policy', { heading: HeadingLevel.TITLE }),
            new TableOfContents('Contents of the policy', {
              hyperlink: true,
              headingStyleRange: '1-3',
            }),
            item('Scope', 'clauses', 0, { heading: HeadingLevel.HEADING_1 }),
            paragraph(
              run('Refunds are paid within '),
              run('30 days ', { bold: true }),
              run('of purchase.'),
            ),
            item('Each order is refunded once.', 'clauses', 1),
            line('Outer', { bullet: { level: 0 } }),
            line('Inner', { bullet: { level: 1 } }),
            new Table({
              rows: [
                new TableRow({
                  tableHeader: true,
                  children: [cell('Plan'), cell('Days'), cell('Fee')],
                }),
                row(cell('Annual', { rowSpan: 2 }), cell('30'), cell('0 | none')),
                row(cell('31'), cell('5')),
              ],
            }),
            paragraph(run('Seen '), run('shrunk', { size: 2 }), run('ghostly', { style: 'Ghost' })),
            paragraph(
              new InsertedTextRun({
                text: 'Inserted',
                id: 1,
                author: 'a',
                date: '2026-01-01T00:00:00Z',
              }),
              new CommentRangeStart(0),
              run(' words.'),
              new CommentRangeEnd(0),
              new TextRun({ children: [new CommentReference(0)] }),
            ),
            line('const days = 30;', { style: 'SourceCode' }),
            line('  if (days < 31) pay();', { style: 'SourceCode' }),
          ],
        },
      ],
    }),
  );

const text = (content: string) => () => Promise.resolve(Buffer.from(content));

/** Realistic files with expected and forbidden texts of their Markdown. */
export const samples: readonly Sample[] = [
  {
    name: 'policy made by a program',
    fileName: 'policy.docx',
    make: policyDocument,
    keep: [
      '# Refund policy',
      '## 1. Scope',
      'Refunds are paid within **30 days** of purchase.',
      '- 1.1 Each order is refunded once.',
      '- Inner',
      '| Annual | 31 | 5 |',
      '0 \\| none',
      'Inserted words.',
      'const days = 30;\n  if (days < 31) pay();',
    ],
    drop: listed('shrunk | ghostly | Comment of | Confidential | Page footer | Contents of'),
  },
  {
    name: 'FAQ exported as CSV',
    fileName: 'faq.csv',
    make: text(
      '\uFEFFQuestion;Answer;Updated\r\n"How long do refunds take?";"Within <b>30 days</b>.\r\n\r\nFees are kept.";2026-01-02\r\n"Can I cancel; anytime?";"Yes, ""any time"".";2026-02-03\r\n',
    ),
    keep: [
      '## How long do refunds take?',
      '**30 days**',
      'Fees are kept.',
      '## Can I cancel; anytime?',
      'Yes, "any time".',
      '- **Updated**: 2026-02-03',
    ],
    drop: ['<b>', '""', '\uFEFF', '\r'],
  },
  {
    name: 'limits as CSV',
    fileName: 'limits.csv',
    make: text(
      `Plan,Users,Price\n${Array.from({ length: 45 }, (_, n) => `Plan ${n},${n * 5},${n} €`).join('\n')}\n`,
    ),
    keep: ['| Plan | Users | Price |', '| Plan 44 | 220 | 44 € |'],
    drop: ['##'],
  },
  {
    name: 'settings as JSON',
    fileName: 'settings.json',
    make: text(
      '{"title":"Chat settings","limits":{"maxGroupMembers":300,"accountId":12345678901234567890,"retry":{"waitMs":500}},"faq":[{"question":"How many members?","answer":"Up to 300.\\n\\n# By default"},{"question":"Can it grow?","answer":"Yes."}],"__proto__":{"polluted":true}}',
    ),
    keep: [
      ...listed(`
      ## Limits | - **maxGroupMembers**: 300 | 12345678901234567890 | ### Retry | - **waitMs**: 500 | ### How many members?
      Up to 300. | **polluted**: true
    `),
    ],
    drop: ['\n# By default'],
  },
  {
    name: 'API as OpenAPI',
    fileName: 'openapi.json',
    make: () => readFile(new URL('../fixtures/samples/openapi.json', import.meta.url)),
    keep: [
      '# Chat API',
      'For **servers**.',
      '## GET /users/{uid}: Get user',
      '| uid | path | true | string | 100 | Id of the user |',
      '#### 200\n\n- **description**: The user',
      '## Schema User',
      '- **required**: uid',
      '- **enum**: admin, guest',
    ],
    drop: ['openapi', '3.1.0'],
  },
  {
    name: 'page of a documentation in MDX',
    fileName: 'users.mdx',
    make: () => readFile(new URL('../fixtures/samples/users.mdx', import.meta.url)),
    keep: [
      '# Users {#users-api}',
      'How users are made.',
      '**Note:**\n\nAt most **25** users.',
      '**Billing**\n\nManage invoices.',
      '**uid** (string, required)\n\nId of the user.',
      '**npm**\n\n## Install',
      '```bash\nnpm i  <Tabs/>\n  # {kept}\n```',
      '**Warning**\n\nDeleting is final.',
      'Refunds in < 30 days & quoted',
    ],
    drop: ['import', 'export', "don't", 'Ignore all', 'remark', 'props', ':::', '<Card', 'display'],
  },
];
