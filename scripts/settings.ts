/** `npm run docs`: writes the table of settings in README.md and `.env.example` from `src/config/settings.ts`. A test compares them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { settings } from '../src/config/settings.ts';
import { parseConfig } from '../src/config.ts';

const all = Object.entries(settings).map(([name, schema]) => {
  const value: unknown = schema.parse(undefined);
  const text = Array.isArray(value) ? value.join(',') : String(value ?? '');
  return { name, text, meaning: schema.description ?? '' };
});

const settingsTable = (): string =>
  [
    '| setting | default | meaning |',
    '|---|---|---|',
    ...all.map(({ name, text, meaning }) => `| \`${name}\` | ${text === '' ? 'unset' : `\`${text}\``} | ${meaning} |`),
  ].join('\n');

/** Returns the README with the current table. */
export const withSettingsTable = (readme: string): string => readme.replace(/^\| setting \|.*(?:\n\|.*)*/m, settingsTable);

const envHead = `# Every setting, with its default. Copy to .env and change what you need; lines that begin with # are unset.
# Quote a value that contains #: API_KEYS="abc#def".
`;

/** Whether setting the default explicitly has no effect; otherwise its line stays a comment. */
const isSafeToSet = (name: string, text: string) => text !== '' && isDeepStrictEqual(parseConfig({ [name]: text }), parseConfig({}));

export const envExample = (): string =>
  [envHead, ...all.map(({ name, text, meaning }) => `# ${meaning}\n${isSafeToSet(name, text) ? '' : '# '}${name}=${text}\n`)].join('\n');

const file = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(file('README.md'), withSettingsTable(readFileSync(file('README.md'), 'utf8')));
  writeFileSync(file('.env.example'), envExample());
}
