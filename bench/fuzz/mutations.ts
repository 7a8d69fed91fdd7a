/**
 * Turns valid bodies into almost valid ones: one value is changed, or the text, its bytes or its
 * transfer is broken.
 */
import { gzipSync } from 'node:zlib';
import type { Random } from '../retrieval/random.ts';
import { chance, oddTexts } from './schema-values.ts';

/** Depth at which a recursive reader overflows. */
const deep = 10_000;
const huge = 100_000;

const others = (random: Random): unknown =>
  random.pick<unknown>([
    ...[
      null,
      true,
      false,
      0,
      -1,
      1.5,
      2 ** 53,
      1e308,
      [],
      {},
      [[]],
      { a: 1 },
      ['x', 1, null],
      'x'.repeat(huge),
    ],
    ...[
      {
        toString: 1,
        valueOf: 2,
        hasOwnProperty: 3,
        length: 1e9,
        constructor: { prototype: { admin: true } },
      },
      Array(2_000).fill('x'),
    ],
    random.pick(oddTexts),
  ]);

/** Every replaceable value inside a value. */
function placesOf(
  value: unknown,
  found: { holder: any; key: string | number }[] = [],
): { holder: any; key: string | number }[] {
  if (found.length > 500 || typeof value !== 'object' || value === null) return found;
  for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
    found.push({ holder: value, key });
    placesOf((value as any)[key], found);
  }
  return found;
}

/** Changes the type of one or two values, or replaces them by nothing or something odd. */
export function mutateValue(original: unknown, random: Random): unknown {
  const value = structuredClone(original);
  const places = placesOf(value);
  if (places.length === 0 || chance(random, 0.05)) return others(random);
  for (let times = 1 + random.below(2); times > 0; times--) {
    const { holder, key } = random.pick(places);
    const what = random.below(5);
    if (what === 0 && !Array.isArray(holder)) delete holder[key];
    else if (what === 1) holder[key] = [holder[key]];
    else if (what === 2 && !Array.isArray(holder))
      holder[random.pick(['unknown', 'Extra', '$ref', 'instructions', 'system'])] = others(random);
    else holder[key] = others(random);
  }
  return value;
}

export interface Sent {
  readonly bytes: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent in chunks, without a length. */
  readonly isChunked?: boolean;
  /** Sends only so many bytes, then stalls. */
  readonly cutAt?: number;
}

const json = (value: unknown) => JSON.stringify(value) ?? 'null';
const first = (text: string, more: string) =>
  text.startsWith('{') ? `{${more}${text.length > 2 ? ',' : ''}${text.slice(1)}` : `[${text}]`;
const of = (text: string): Sent => ({ bytes: Buffer.from(text) });

const broken: readonly ((text: string, random: Random) => Sent)[] = [
  (text) => of(first(text, '"__proto__":{"namespace":"vault","isAdmin":true}')),
  (text) => of(first(text, '"constructor":{"prototype":{"namespace":"vault"}}')),
  (text) => of(first(text, `"extra":${'['.repeat(deep)}${']'.repeat(deep)}`)),
  (text) => of(first(text, `"extra":${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`)),
  (text) => of(first(text, '"extra":123456789012345678901234567890,"more":1e400,"less":-1e-400')),
  // A duplicate key with another value.
  (text) => of(text.replace(/("\w+"):/, '$1:null,$1:')),
  (text) => of(text.replace(/\d+/, '99999999999999999999')),
  (text, random) => of(text.slice(0, random.below(text.length))),
  (text, random) => of(text.slice(random.below(text.length))),
  (text) => of(`${text}${text}`),
  (text) => of(`${text}\n\u0000garbage`),
  (text) => of(`\ufeff${text}`),
  (text) => of(text.replaceAll('"', "'")),
  (text) => of(text.replace(/}$/, ',}')),
  (text) => of(`)]}',\n${text}`),
  (text) => of(`/* a comment */ ${text}`),
  (text) => of(encodeURIComponent(text)),
  () => of(''),
  () => of(' \n\t '),
  ...[
    'null',
    '[]',
    '{}',
    '7',
    '"text"',
    'true',
    'NaN',
    '{',
    '[',
    '"',
    '-',
    '\\',
    '[1,]',
    '{"":""}',
  ].map((text) => () => of(text)),
  () => of('['.repeat(deep)),
  () => of(`${'['.repeat(deep)}${']'.repeat(deep)}`),
  (text) => ({ bytes: Buffer.from(text, 'utf16le') }),
  (text, random) => {
    const bytes = Buffer.from(text);
    for (let times = 1 + random.below(4); times > 0; times--)
      bytes[random.below(bytes.length)] = random.below(256);
    return { bytes };
  },
  // Lone surrogates and invalid bytes.
  (text) => ({
    bytes: Buffer.concat([
      Buffer.from(text.slice(0, -2)),
      Buffer.from([0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80]),
      Buffer.from('"}'),
    ]),
  }),
  (text) => ({ bytes: gzipSync(text), headers: { 'content-encoding': 'gzip' } }),
  (text) => ({ ...of(text), headers: { 'content-encoding': 'gzip' } }),
  (text) => ({ ...of(text), headers: { 'content-encoding': 'br, gzip, deflate, zstd' } }),
  (text) => ({ ...of(text), isChunked: true }),
  (text, random) => ({ ...of(text), cutAt: random.below(text.length) }),
  (text, random) => ({ ...of(text), cutAt: random.below(text.length), isChunked: true }),
  (text) => of(first(text, `"padding":"${'x'.repeat(1_100_000)}"`)),
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    '',
    'application/json; charset=utf-16',
    'APPLICATION/JSON',
  ]
    .concat([
      'application/json;',
      'json',
      'application/json, text/html',
      'multipart/form-data',
      'multipart/form-data; boundary=',
    ])
    .map((type) => (text: string) => ({ ...of(text), headers: { 'content-type': type } })),
];

export const breakBody = (value: unknown, random: Random): Sent =>
  random.pick(broken)(json(value), random);

export const wholeBody = (value: unknown): Sent => of(json(value));

const fileNames = [
  ...[
    'policy.md',
    'a/b/c.md',
    '../../outside.md',
    '..\\..\\outside.md',
    '/etc/passwd',
    'C:\\x.md',
    '.hidden.md',
    '.synonyms.txt',
    '',
  ],
  ...[
    'a\u0000.md',
    '%2e%2e%2fx.md',
    'x'.repeat(300),
    '返金.md',
    'CON',
    'note.pdf',
    'note.docx',
    'note.zip',
    'note.json',
    'note.csv',
    'note.html',
  ],
  ...['note.exe', 'a"b.md', "a'; rm.md", '\u202egnp.md', 'x.md/', 'x/./y.md', '~/x.md'],
];
const fileContents: readonly (string | Buffer)[] = [
  ...[
    '# Refunds\n\nRefunds are paid within thirty days.\n',
    '',
    '\u0000',
    '---\na: [\n---\ntext',
    '<html><body><p>Refunds</p></body></html>',
  ],
  ...[
    '{"a":1}',
    'a,b\n1,2',
    '%PDF-1.7\nbroken',
    'PK\u0003\u0004broken',
    '---\n__proto__: 1\ntitle: !!js/function x\n---\n\nText.\n',
  ],
  ...[
    Buffer.from([0xff, 0xfe, 0x00, 0xd8]),
    gzipSync('# Refunds\n\nRefunds are paid.\n'),
    'word '.repeat(20_000),
  ],
];

/** A form with files: valid with odd file names, or broken as a form. */
export function uploadBody(random: Random): Sent {
  const boundary = 'fuzz-boundary';
  const isBroken = chance(random, 0.4);
  const parts = Array.from({ length: 1 + random.below(3) }, () => {
    const name = random.pick(
      isBroken ? ['files', 'file', '', '__proto__', 'files[]', 'namespace'] : ['files'],
    );
    const filename = chance(random, 0.5) ? 'policy.md' : random.pick(fileNames);
    const disposition = random.pick([
      ...Array(6).fill(`form-data; name="${name}"; filename="${filename.replaceAll('"', '%22')}"`),
      `form-data; name="${name}"; filename*=UTF-8''${encodeURIComponent(filename)}`,
      ...(isBroken
        ? [
            `form-data; name="${name}"`,
            'form-data',
            'attachment',
            `form-data; name=${name}; filename="${filename}`,
          ]
        : []),
    ]);
    const content = random.pick(fileContents);
    return Buffer.concat([
      Buffer.from(`--${boundary}\r\ncontent-disposition: ${disposition}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]);
  });
  const bytes = Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  if (!isBroken) return { bytes, headers };
  return random.pick<Sent>([
    { bytes, headers },
    { bytes: bytes.subarray(0, random.below(bytes.length)), headers },
    { bytes, headers, cutAt: random.below(bytes.length) },
    { bytes, headers, isChunked: true },
    { bytes, headers: { 'content-type': 'multipart/form-data; boundary=another' } },
    { bytes, headers: { 'content-type': 'multipart/form-data' } },
    { bytes, headers: { 'content-type': `multipart/form-data; boundary="${'x'.repeat(300)}"` } },
    { bytes, headers: { 'content-type': 'application/json' } },
    { bytes: Buffer.from(`--${boundary}--`), headers },
    { bytes: Buffer.from(`--${boundary}\r\n`.repeat(500)), headers },
    { bytes: Buffer.alloc(0), headers },
  ]);
}
