import { describe, expect, it } from 'vitest';
import { findMisspelt } from '../../../src/config/setting-types.ts';
import { settings } from '../../../src/config/settings.ts';
import { ConfigError, parseConfig } from '../../../src/config.ts';

const known = Object.keys(settings);

it.each([
  ['LLM_API_KYE', 'LLM_API_KEY'],
  ['KNOWLEDGE_DIRECTORY', 'KNOWLEDGE_DIR'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['llm_model', 'LLM_MODEL'],
])('parseConfig warns about %s and suggests %s', (name, right) => {
  const [problem, ...more] = parseConfig({ [name]: 's3cret' }).misspeltSettings;
  expect(more).toEqual([]);
  expect(problem).toContain(name);
  expect(problem).toContain(right);
  expect(problem).not.toContain('s3cret');
});

describe('parseConfig rejects a misspelled security setting', () => {
  it.each([
    ['API_KEY', 'API_KEYS'],
    ['JWT_SECERT', 'JWT_SECRET'],
    ['JWT_KEY_SET', 'JWT_JWKS_URL'],
    ['ALLOWED_ORIGINS', 'ALLOWED_'],
  ])('%s and suggests %s', (name, right) => {
    const start = () => parseConfig({ [name]: 's3cret' });
    expect(start).toThrow(ConfigError);
    expect(start).toThrow(new RegExp(`${name}: .*${right}`));
    expect(start).not.toThrow(/s3cret/);
  });
});

it('KNOWLEDGE_API_KEY is accepted', () =>
  expect(parseConfig({ KNOWLEDGE_API_KEY: 'key' }).misspeltSettings).toEqual([]));

it('empty misspelled settings are ignored', () =>
  expect(parseConfig({ API_KEY: '', LLM_API_KYE: ' ' }).misspeltSettings).toEqual([]));

it('findMisspelt ignores variables of systems, shells, npm, editors and clusters', () => {
  const usual =
    `HOME HOSTNAME HOSTTYPE LOGNAME PATH OLDPWD SHELL TERM LANG LC_ALL TZ EDITOR PAGER DISPLAY _ NODE NODE_ENV NODE_OPTIONS
    INIT_CWD COLOR NO_COLOR CI DEBUG npm_config_cache npm_package_name http_proxy NO_PROXY SSH_AUTH_SOCK XDG_RUNTIME_DIR VSCODE_PID
    AWS_SECRET_ACCESS_KEY OPENAI_API_KEY ANTHROPIC_API_KEY DATABASE_URL REDIS_URL KUBERNETES_SERVICE_HOST KUBERNETES_PORT_443_TCP_ADDR
    DOCKER_HOST PYTHONPATH MAIL HISTSIZE MASTRA_TELEMETRY_DISABLED OTEL_SERVICE_NAME VITEST_POOL_ID UV_THREADPOOL_SIZE`.split(
      /\s+/,
    );
  expect(findMisspelt(usual, known)).toEqual([]);
  expect(findMisspelt(known, known)).toEqual([]);
});
