import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseConfig, settings } from '../../src/config.ts';

interface Service {
  readonly image: string;
  readonly environment?: Record<string, string>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly healthcheck: { readonly test: readonly string[] };
  readonly build?: { readonly dockerfile_inline: string };
  readonly configs?: readonly { readonly source: string }[];
}
interface ComposeFile {
  readonly services: Record<string, Service>;
  readonly volumes: Record<string, null>;
  readonly configs: Record<string, { readonly content: string }>;
}

const at = (path: string) => new URL(`../../${path}`, import.meta.url);
const text = readFileSync(at('compose.yaml'), 'utf8');
const file: ComposeFile = parse(text, { merge: true });
const { database, balancer, ...servers } = file.services;

/** As Compose puts variables in. */
const filledIn = (value: string, variables: Record<string, string>) =>
  value.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, operator: string, other: string) => {
    const given = variables[name];
    if (given === undefined && operator === '?') throw new Error(other);
    return given ?? other ?? '';
  });
const settingsOf = ({ environment = {} }: Service, variables: Record<string, string>) =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filledIn(value, variables)]));

describe('compose.yaml', () => {
  it('has three servers of one image, each with a volume of its own', () => {
    expect(Object.keys(servers)).toEqual(['server-1', 'server-2', 'server-3']);
    expect(new Set(Object.values(servers).map(({ image }) => image)).size).toBe(1);
    const mounted = Object.values(file.services).flatMap(({ volumes = [] }) => volumes.map((one) => one.split(':')[0]));
    expect(mounted.toSorted()).toEqual(Object.keys(file.volumes).toSorted());
  });

  it('asks every service whether it is well, and the servers whether they are ready', () => {
    for (const { healthcheck } of Object.values(file.services)) expect(healthcheck.test[0]).toBe('CMD');
    for (const { healthcheck } of Object.values(servers)) expect(healthcheck.test.join(' ')).toContain('127.0.0.1:4111/ready');
  });

  it.each(Object.entries(servers))('gives %s settings that there are, and that start', (name, server) => {
    expect(Object.keys(server.environment ?? {}).filter((one) => !(one in settings))).toEqual([]);
    const config = parseConfig(settingsOf(server, { POSTGRES_PASSWORD: 'abc123', API_KEYS: 'one,two' }));
    expect(config).toMatchObject({
      databaseUrl: 'postgres://knowledge:abc123@database:5432/knowledge',
      sharedRateLimits: true,
      port: 4111,
    });
    expect(config.ignoredSettings).toEqual([]);
    const balanced = file.configs[balancer?.configs?.[0]?.source ?? '']?.content;
    expect(balanced).toMatch(new RegExp(`reverse_proxy .*\\b${name}:${config.port}\\b`));
    expect(balanced).toContain('health_uri /ready');
  });

  it('starts with no password and no key that anybody knows', () => {
    for (const service of [database!, ...Object.values(servers)])
      for (const given of [{}, { POSTGRES_PASSWORD: 'abc123' }, { API_KEYS: 'one' }].slice(0, service === database ? 1 : 3))
        expect(() => settingsOf(service, given)).toThrow();
  });

  it('lets nobody in from outside but through the load balancer, and there from this machine alone', () => {
    expect(Object.values(file.services).filter(({ ports }) => ports)).toEqual([balancer]);
    expect(balancer?.ports?.map((port) => filledIn(port, {}))).toEqual(['127.0.0.1:8080:8080']);
  });

  it('builds the image from files that there are', () => {
    const copied = [...(servers['server-1']?.build?.dockerfile_inline ?? '').matchAll(/^COPY (.*) \S+$/gm)].flatMap(([, paths = '']) =>
      paths.split(' '),
    );
    expect(copied).toContain('src');
    for (const path of copied) expect(existsSync(at(path))).toBe(true);
  });
});
