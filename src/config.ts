/**
 * Parses the environment into the configuration of the process and reports all problems at once.
 * Pure: callers pass the environment.
 */
import { join } from 'node:path';
import { baseUrlOfApp } from '../packages/calls/src/upstream.ts';
import { readModels } from './config/models.ts';
import { rules, weaknesses } from './config/rules.ts';
import {
  type Environment,
  findMisspelt,
  findRemoved,
  isRemoved,
  list,
} from './config/setting-types.ts';
import {
  environmentName,
  quotations,
  settingSchema,
  settings,
  shownTexts,
} from './config/settings.ts';

export {
  hasVisitors,
  isAuthenticated,
  isLoopback,
  isOpenToAll,
  keylessAccess,
  takesChatWebhooks,
  usesJwt,
} from './config/access.ts';
export { noJudge } from './config/models.ts';
export { readWebhookSecret } from './config/setting-types.ts';

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      `The settings have ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${problems.map((line) => `  ${line}`).join('\n')}`,
    );
    this.problems = problems;
  }
}

/**
 * Names of settings whose values may be secrets or URLs with credentials: messages never repeat
 * them.
 */
const secretName = /(?:KEYS?|SECRET|PASSWORD|URL|ENDPOINT|PATH_PREFIX)$/;
const maxShownChars = 60;

type GivenTexts = Readonly<Record<string, string>>;
type Issue = Readonly<{ path: readonly PropertyKey[]; message: string }>;

/** Names the wrong entry of a list, or the whole value. */
function problemOf({ path: [field, index], message }: Issue, given: GivenTexts) {
  const name = environmentName(String(field));
  const text = given[String(field)] ?? '';
  const value = typeof index === 'number' ? (list.parse(text)[index] ?? text) : text;
  const shown = value.length > maxShownChars ? `${value.slice(0, maxShownChars)}…` : value;
  return `${name}: ${message}${secretName.test(name) ? '' : `; got ${JSON.stringify(shown)}`}`;
}

/** Non-empty texts of the settings, by field. */
const readGiven = (environment: Environment): GivenTexts =>
  Object.fromEntries(
    Object.keys(settingSchema.shape).flatMap((field) => {
      const value = environment[environmentName(field)]?.trim();
      return value ? [[field, value]] : [];
    }),
  );

/** Settings of commands, which may be in the same `.env`. */
const commandKeys = ['KNOWLEDGE_API_KEY', 'CHAT_API_KEY'];

/** Maximum bytes of an upload, as a multiple of `MAX_SOURCE_BYTES`. */
const uploadFactor = 10;

/** @throws ConfigError with every problem, never with the value of a secret */
function readSettings(environment: Environment) {
  const texts = readGiven(environment);
  const given = new Set(Object.keys(texts));
  const parsed = settingSchema.safeParse(texts);
  const issues = parsed.error?.issues ?? [];
  const wrong = new Set(issues.map(({ path }) => path[0]));
  const valid = settingSchema
    .partial()
    .parse(Object.fromEntries(Object.entries(texts).filter(([field]) => !wrong.has(field))));
  const models = readModels(valid, given, environment);
  const names = Object.keys(environment).filter(
    (name) => !commandKeys.includes(name) && !isRemoved(name) && environment[name]?.trim(),
  );
  const misspelt = findMisspelt(names, Object.keys(settings));
  const problems = [
    ...issues.map((issue) => problemOf(issue, texts)),
    ...rules.flatMap((rule) => rule(valid, given) || []),
    ...models.problems,
    ...misspelt
      .filter(({ isProtective }) => isProtective)
      .map(
        ({ problem }) =>
          `${problem} The server does not start without it, because it may restrict access`,
      ),
  ];
  if (!parsed.success || problems.length > 0) throw new ConfigError([...new Set(problems)]);
  return { value: parsed.data, given, ...models, misspelt: misspelt.map(({ problem }) => problem) };
}

/** Returns the output of the schema, with what follows from several settings. @throws ConfigError */
export function parseConfig(environment: Environment) {
  const { value, given, endpoints, misspelt } = readSettings(environment);
  const { callsAppId: appId, callsRegion: region, pathPrefix = '' } = value;
  // If only INDEX_DIR is set, it also holds the state, as in earlier releases.
  const stateDir = value.stateDir ?? value.indexDir ?? './.data';
  const publicUrl = value.publicUrl?.replace(/\/+$/, '');
  return {
    ...value,
    ...endpoints,
    stateDir,
    indexDir: value.indexDir ?? join(stateDir, 'index'),
    /** Without a trailing slash and without `PATH_PREFIX`. */
    publicUrl: publicUrl?.endsWith(pathPrefix)
      ? publicUrl.slice(0, publicUrl.length - pathPrefix.length)
      : publicUrl,
    /** Undefined: the embedded call log answers. */
    callsBaseUrl: appId && region ? baseUrlOfApp(appId, region) : value.callsBaseUrl,
    maxUploadBytes: uploadFactor * value.maxSourceBytes,
    /** Whether documents are quoted if every model fails. */
    quotesAtLast: value.llmFallbackModel?.includes(quotations) === true,
    misspeltSettings: [...findRemoved(environment), ...misspelt],
    weakSettings: [
      ...weaknesses.flatMap((rule) => rule(value, given) || []),
      ...(given.has('llmModel') && !endpoints.llm
        ? [
            'LLM_MODEL: has no effect without LLM_API_KEY or LLM_BASE_URL; answers only quote the documents',
          ]
        : []),
    ],
  };
}

export type Config = Readonly<ReturnType<typeof parseConfig>>;

/** All settings. A value is null if it is unset, or a secret, path, address or free text. */
export function shownSettings(config: Config) {
  const defaults = parseConfig({});
  return Object.keys(settingSchema.shape).map((field) => {
    const value = config[field as keyof Config];
    const isShown =
      typeof value === 'number' || typeof value === 'boolean' || shownTexts.has(field);
    const text = Object(value).text ?? value;
    return {
      name: environmentName(field),
      value: value === undefined || !isShown ? null : String(text),
      isDefault: JSON.stringify(value) === JSON.stringify(defaults[field as keyof Config]),
    };
  });
}

/** Settings by name, as in `.env` (docs/settings.md): `{ KNOWLEDGE_DIR: './docs' }`. */
export type ServerSettings = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Settings of a program that embeds the service; it gets only warnings by default. @throws
 * TypeError, ConfigError
 */
export function parseSettings(settings: ServerSettings): Config {
  if (Object(settings) !== settings)
    throw new TypeError("Pass settings by name: { KNOWLEDGE_DIR: './knowledge' }.");
  const texts = Object.entries(settings).map(([name, value]) => [name, value?.toString()]);
  return parseConfig({ LOG_LEVEL: 'warn', ...Object.fromEntries(texts) });
}
