/** `npm run docs`: writes the settings' table of README.md and `.env.example` from the schema in `src/config/settings.ts`; a test holds them equal. */
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

/** The README with the table as it has to be. */
export const withSettingsTable = (readme: string): string => readme.replace(/^\| setting \|.*(?:\n\|.*)*/m, settingsTable);

const envHead = `# Every setting, with its default. Copy to .env and change what you need; lines that begin with # are unset.
# A value that holds a # has to be quoted: API_KEYS="abc#def".
`;

/** A default that does something else when it is written down stays a comment. */
const changesNothing = (name: string, text: string) => text !== '' && isDeepStrictEqual(parseConfig({ [name]: text }), parseConfig({}));

export const envExample = (): string =>
  [envHead, ...all.map(({ name, text, meaning }) => `# ${meaning}\n${changesNothing(name, text) ? '' : '# '}${name}=${text}\n`)].join('\n');

const file = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(file('README.md'), withSettingsTable(readFileSync(file('README.md'), 'utf8')));
  writeFileSync(file('.env.example'), envExample());
}
