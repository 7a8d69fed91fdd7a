import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { stagesOf } from '../../scripts/dockerfile.ts';
import { settings } from '../../src/config/settings.ts';
import { parseConfig } from '../../src/config.ts';
import { read } from '../support/repository.ts';

interface Service {
  readonly image: string;
  readonly build?: string;
  readonly environment?: Record<string, string>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];

  readonly stop_grace_period?: string;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly configs?: readonly { readonly source: string }[];
}
interface ComposeFile {
  readonly services: Record<string, Service>;
  readonly volumes: Record<string, null>;
  readonly configs: Record<string, { readonly content: string }>;
}

const readCompose = (path: string): ComposeFile => parse(read(path), { merge: true });
const one = readCompose('compose.yaml');
const file = readCompose('compose.replicas.yaml');
const { database, balancer, ...servers } = file.services;
const server = one.services['server'];

/** Substitutes variables like Compose. */
const filledIn = (value: string, variables: Record<string, string>) =>
  value.replace(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_, name: string, operator: string, other: string) => {
      const given = variables[name];
      if (given === undefined && operator === '?') throw new Error(other);
      return given ?? other ?? '';
    },
  );
const settingsOf = ({ environment = {} }: Service, variables: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, filledIn(value, variables)]),
  );
const configOf = (service: Service) =>
  parseConfig(settingsOf(service, { POSTGRES_PASSWORD: 'abc123', API_KEYS: 'one,two' }));

describe('compose.yaml', () => {
  it('has one server with one volume, reachable only from this machine', () => {
    expect(Object.keys(one.services)).toEqual(['server']);
    expect(server?.volumes).toEqual(['data:/data']);
    expect(Object.keys(one.volumes)).toEqual(['data']);
    expect(server?.ports?.map((port) => filledIn(port, {}))).toEqual(['127.0.0.1:8080:4111']);
  });

  it('requires a key', () => {
    expect(() => settingsOf(server!, {})).toThrow();
  });
});

describe('a server of either compose file', () => {
  const each = Object.entries({ ...one.services, ...servers });

  it.each(each)(
    '%s uses the Dockerfile, can write only to its volume and to limited memory and gains no privileges',
    (_, service) => {
      expect(service.healthcheck).toBeUndefined();
      expect(service).toMatchObject({
        image: 'knowledge-agent',
        build: '.',
        // The heap is a share of it.
        mem_limit: '2g',
        read_only: true,
        tmpfs: ['/tmp'],
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        volumes: [expect.stringMatching(/^[\w-]+:\/data$/)],
      });
    },
  );

  it.each(each)('%s keeps the settings of the image even if .env differs', (_, service) => {
    const set =
      stagesOf(read('Dockerfile'))
        .at(-1)
        ?.instructions.find(({ name }) => name === 'ENV')?.text ?? '';
    expect(service.environment).toMatchObject(
      Object.fromEntries(set.split(' ').map((pair) => pair.split(/=(.*)/s, 2))),
    );
    expect(Object.keys(service.environment ?? {}).filter((name) => !(name in settings))).toEqual([
      'NODE_OPTIONS',
    ]);
    expect(configOf(service)).toMatchObject({ host: '0.0.0.0', port: 4111 });
  });

  it.each(each)('%s has enough time for stopping', (_, service) => {
    const config = configOf(service);
    expect(config.shutdownDelay).toBe(5);
    expect(Number.parseInt(service.stop_grace_period ?? '', 10)).toBeGreaterThan(
      config.shutdownDelay + config.shutdownSeconds + 13,
    );
  });
});

describe('compose.replicas.yaml', () => {
  it('has three servers with separate volumes', () => {
    expect(Object.keys(servers)).toEqual(['server-1', 'server-2', 'server-3']);
    const mounted = Object.values(file.services).flatMap(({ volumes = [] }) =>
      volumes.map((one) => one.split(':')[0]),
    );
    expect(mounted.toSorted()).toEqual(Object.keys(file.volumes).toSorted());
  });

  it('checks the health of database and load balancer', () => {
    for (const service of [database, balancer]) expect(service?.healthcheck?.test[0]).toBe('CMD');
  });

  it.each(Object.entries(servers))(
    'puts %s behind the load balancer with the shared database',
    (name, replica) => {
      const config = configOf(replica);
      expect(config.databaseUrl).toBe('postgres://knowledge:abc123@database:5432/knowledge');
      const balanced = file.configs[balancer?.configs?.[0]?.source ?? '']?.content;
      expect(balanced).toMatch(new RegExp(`reverse_proxy .*\\b${name}:${config.port}\\b`));
      expect(balanced).toContain('health_uri /ready');
    },
  );

  it('requires a password and keys', () => {
    for (const service of [database!, ...Object.values(servers)])
      for (const given of [{}, { POSTGRES_PASSWORD: 'abc123' }, { API_KEYS: 'one' }].slice(
        0,
        service === database ? 1 : 3,
      ))
        expect(() => settingsOf(service, given)).toThrow();
  });

  it('is reachable only through the load balancer and only from this machine', () => {
    expect(Object.values(file.services).filter(({ ports }) => ports)).toEqual([balancer]);
    expect(balancer?.ports?.map((port) => filledIn(port, {}))).toEqual(['127.0.0.1:8080:8080']);
  });
});
