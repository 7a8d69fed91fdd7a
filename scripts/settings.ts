/**
 * `npm run docs`: writes `docs/settings.md` and `.env.example` from the schema in
 * `src/config/settings.ts`. A test compares them.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { settings } from '../src/config/settings.ts';
import { parseConfig } from '../src/config.ts';

/** Each group begins with the setting named here and ends before the next one. */
const groups = {
  HOST: 'Server',
  KNOWLEDGE_DIR: 'Documents and storage',
  PUBLIC_URL: 'Public address',
  LLM_API_KEY: 'Models',
  AGENT_MENTIONS: 'Agent',
  API_KEYS: 'Access',
  MAX_BODY_BYTES: 'Limits',
  CALLS_APP_ID: 'Calls',
  CHAT_WEBHOOK_SECRET: 'Chat webhook',
};

/** Accepted values of a setting, in a few words. */
function valuesOf(schema: z.ZodType): string {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional)
    return valuesOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodEnum)
    return schema.options.map((option) => `\`${option}\``).join(', ');
  if (schema instanceof z.ZodLiteral)
    return [...schema.values].map((value) => `\`${value}\``).join(', ');
  if (schema instanceof z.ZodUnion)
    return schema.options.map((option) => valuesOf(option as z.ZodType)).join(', ');
  if (schema instanceof z.ZodURL) return 'URL';
  if (!(schema instanceof z.ZodPipe)) return 'text';
  if (schema.out instanceof z.ZodBoolean) return '`true`, `false`';
  if (schema.out instanceof z.ZodNumber) return `${schema.out.minValue} to ${schema.out.maxValue}`;
  const wrong = schema.safeParse('a,b');
  return schema.out instanceof z.ZodArray || (wrong.success && Array.isArray(wrong.data))
    ? 'list'
    : valuesOf(schema.in as z.ZodType);
}

const all = Object.entries(settings).map(([name, schema]) => {
  const value: unknown = schema.parse(undefined);
  const text = Array.isArray(value) ? value.join(',') : String(value ?? '');
  return { name, text, meaning: schema.description ?? '', values: valuesOf(schema) };
});

const settingsHead = `# Settings

After reading this page you can look up every setting: what it does, its default, and the values that it accepts.

Settings come from the environment, or from a file \`.env\` in the project folder (copy \`.env.example\`). The server reports all invalid settings
at once and does not start until they are correct. It warns about misspelled names, and refuses to start if a misspelled name looks like a
security setting. \`npm run docs\` generates this page. A list is separated by commas.
`;

export const settingsPage = (): string =>
  [
    settingsHead,
    ...all.map(({ name, text, meaning, values }) => {
      const group = groups[name as keyof typeof groups];
      const head =
        group === undefined
          ? ''
          : `\n## ${group}\n\n| setting | default | values | meaning |\n|---|---|---|---|\n`;
      return `${head}| \`${name}\` | ${text === '' ? 'unset' : `\`${text}\``} | ${values} | ${meaning} |\n`;
    }),
  ].join('');

const envHead = `# Every setting with its default. Copy to .env and change what you need. Lines that begin with # are unset.
# Quote a value that contains a #: API_KEYS="abc#def".
`;

/** Whether a default may be written out without changing the configuration. */
const changesNothing = (name: string, text: string) =>
  text !== '' && isDeepStrictEqual(parseConfig({ [name]: text }), parseConfig({}));

export const envExample = (): string =>
  [
    envHead,
    ...all.map(
      ({ name, text, meaning, values }) =>
        `# ${meaning}${/\d to \d|, `/.test(values) ? ` (${values})` : ''}\n${changesNothing(name, text) ? '' : '# '}${name}=${text}\n`,
    ),
  ].join('\n');

const file = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(file('docs/settings.md'), settingsPage());
  writeFileSync(file('.env.example'), envExample());
}
