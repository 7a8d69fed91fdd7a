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

/** `list`, or the range of a number; empty for others. */
function valuesOf(schema: z.ZodType): string {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional)
    return valuesOf(schema.unwrap() as z.ZodType);
  if (!(schema instanceof z.ZodPipe)) return '';
  if (schema.out instanceof z.ZodNumber) return `${schema.out.minValue} to ${schema.out.maxValue}`;
  const parsed = schema.safeParse('a,b');
  return schema.out instanceof z.ZodArray || (parsed.success && Array.isArray(parsed.data))
    ? 'list'
    : valuesOf(schema.in as z.ZodType);
}

const all = Object.entries(settings).map(([name, schema]) => {
  const value: unknown =
    schema instanceof z.ZodPrefault ? schema.def.defaultValue : schema.parse(undefined);
  const text = Array.isArray(value) ? value.join(',') : String(value ?? '');
  const values = valuesOf(schema);
  const shown = values && ` (${values})`;
  return { name, text, meaning: `${schema.description}${shown}` };
});

const settingsHead = `# Settings

After reading this page you can look up every setting: what it does, its default, and the values that it accepts.

Settings come from the environment, or from a file \`.env\` in the project folder (copy \`.env.example\`). The server does not start with an
invalid setting, or with a misspelled name that looks like a security setting. It warns about other misspelled names. \`npm run docs\` generates
this page. A list is separated by commas. A setting without a default is unset. "Its" refers to the setting above.
`;

export const settingsPage = (): string =>
  [
    settingsHead,
    ...all.map(({ name, text, meaning }) => {
      const group = groups[name as keyof typeof groups];
      const head =
        group === undefined
          ? ''
          : `\n## ${group}\n\n| setting | default | meaning |\n|---|---|---|\n`;
      return `${head}| \`${name}\` |${text && ` \`${text}\``} | ${meaning} |\n`;
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
      ({ name, text, meaning }) =>
        `# ${meaning}\n${changesNothing(name, text) ? '' : '# '}${name}=${text}\n`,
    ),
  ].join('\n');

const file = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(file('docs/settings.md'), settingsPage());
  writeFileSync(file('.env.example'), envExample());
}
