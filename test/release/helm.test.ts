/** The chart in `deploy/helm`, rendered by Helm. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { stagesOf } from '../../scripts/dockerfile.ts';
import { settings } from '../../src/config/settings.ts';
import { parseConfig } from '../../src/config.ts';
import { read as readInRoot } from '../support/repository.ts';
import {
  chart,
  hasHelm,
  helmFolder,
  problemsOf,
  type Resource,
  render,
  runHelm,
  valuesFile,
} from './helm.ts';

const read = (path: string) => readInRoot(join('deploy/helm/knowledge-agent', path));
const image = { repository: 'registry.example.com/knowledge-agent' };
const key = 'one-key';
const small = { image, secret: { values: { API_KEYS: key } } };
const database = { url: 'postgres://writer@database/knowledge' };
/** What an operator adds to the pod. */
const operators = {
  serviceAccountName: 'agent',
  priorityClassName: 'high',
  podLabels: { team: 'docs' },
  extraVolumes: [{ name: 'ca', configMap: { name: 'ca' } }],
  extraVolumeMounts: [{ name: 'ca', mountPath: '/etc/ca', readOnly: true }],
};
/** The values that the chart's README shows. */
const [one = {}, replicas = {}] = [...read('README.md').matchAll(/^```yaml\n(.*?)^```/gms)].map(
  ([, text = '']) => parse(text) as object,
);

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: object;
}
interface Container {
  readonly env: readonly Variable[];
  readonly envFrom?: readonly object[];
  readonly ports: readonly object[];
  readonly volumeMounts: readonly object[];
  readonly [field: string]: unknown;
}
interface PodSpec {
  readonly containers: readonly [Container];
  readonly volumes: readonly { readonly name: string }[];
  readonly terminationGracePeriodSeconds: number;
}
interface SetSpec {
  readonly replicas: number;
  readonly template: {
    readonly metadata: { readonly annotations: object; readonly labels: object };
    readonly spec: PodSpec;
  };
  readonly volumeClaimTemplates?: readonly object[];
}

/** The claim of the volume of each server. */
const volumeClaimTemplates = [{ metadata: { name: 'data' } }];

const find = (resources: readonly Resource[], kind: Resource['kind']) =>
  resources.find((resource) => resource.kind === kind);
const serverOf = (values: object) => find(render(values), 'StatefulSet')?.['spec'] as SetSpec;
const containerOf = (values: object) => serverOf(values).template.spec.containers[0];
const kindsOf = (values: object) => render(values).map(({ kind }) => kind);
const environmentOf = (values: object) =>
  Object.fromEntries(containerOf(values).env.map(({ name, value }) => [name, value]));

afterAll(() => rmSync(helmFolder, { recursive: true, force: true }));

describe.skipIf(!hasHelm)('the chart', () => {
  it.each(Object.entries({ one, replicas, small }))('passes helm lint (%s)', (_, values) =>
    expect(runHelm('lint', '--strict', chart, '--values', valuesFile(values))).toContain(
      '0 chart(s) failed',
    ),
  );

  it('has the version of the package', () => {
    expect(parse(read('Chart.yaml'))).toMatchObject({
      version: manifest.version,
      appVersion: manifest.version,
    });
  });

  it('renders only resources that Kubernetes knows, in every mode', () => {
    const everything = {
      ...replicas,
      ...one,
      ...operators,
      replicas: 2,
      secret: { existing: 'keys', values: { LLM_API_KEY: 'secret' } },
      database,
      persistence: { storageClass: 'fast' },
      imagePullSecrets: [{ name: 'registry' }],
      podAnnotations: { team: 'docs' },
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'docs', operator: 'Exists' }],
      affinity: { nodeAffinity: {} },
      prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
      dashboard: { enabled: true },
    };
    const resources = [
      one,
      replicas,
      small,
      everything,
      { ...small, database, persistence: { enabled: false } },
    ].flatMap(render);
    expect(resources.length).toBeGreaterThan(20);
    expect(problemsOf(resources)).toEqual([]);
  });

  it('would not pass with a wrong value or an unknown field', () => {
    const service = find(render(small), 'Service')!;
    const withSpec = (spec: object): Resource => ({
      ...service,
      spec: { ...(service['spec'] as object), ...spec },
    });
    expect(problemsOf([withSpec({ type: 'Public' })])).toContain(
      'Service: Error: data/spec/type must be equal to one of the allowed values',
    );
    expect(problemsOf([service, withSpec({ selectors: {} })])).toEqual([
      expect.stringMatching(/^Service: .*'"?selectors/),
    ]);
  });
});

describe.skipIf(!hasHelm)('what an operator adds', () => {
  it('is in the pod: volumes, accounts, labels and an image by digest', () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const { template } = serverOf({ ...small, ...operators, image: { ...image, digest } });
    expect(template).toMatchObject({
      metadata: { labels: { team: 'docs', 'app.kubernetes.io/name': 'knowledge-agent' } },
      spec: { serviceAccountName: 'agent', priorityClassName: 'high' },
    });
    const [server] = template.spec.containers;
    expect(server['image']).toBe(`${image.repository}@${digest}`);
    expect(server.volumeMounts).toEqual(expect.arrayContaining(operators.extraVolumeMounts));
    expect(template.spec.volumes).toEqual(expect.arrayContaining(operators.extraVolumes));
  });

  it('can be a claim of one server, not of several', () => {
    const persistence = { existingClaim: 'documents' };
    const server = serverOf({ ...small, persistence });
    expect(server).not.toHaveProperty('volumeClaimTemplates');
    expect(server.template.spec.volumes).toContainEqual({
      name: 'data',
      persistentVolumeClaim: { claimName: 'documents' },
    });
    expect(() => render({ ...small, database, replicas: 2, persistence })).toThrow(
      'One claim belongs to one server',
    );
  });

  it('is alerts and a dashboard on metrics that the server has', () => {
    const enabled = { enabled: true };
    const resources = render({ ...small, prometheusRule: enabled, dashboard: enabled });
    const rules = JSON.stringify(find(resources, 'PrometheusRule'));
    const { data } = find(resources, 'ConfigMap') as unknown as { data: Record<string, string> };
    const dashboard = data['knowledge-agent.json'] ?? '';
    expect(JSON.parse(dashboard).panels.length).toBeGreaterThan(10);
    const operate = readInRoot('docs/operate.md');
    const named = [...`${rules}${dashboard}`.matchAll(/knowledge_(\w+?)(?:_bucket)?(?=[{[) "])/g)];
    expect(new Set(named.map(([, name = '']) => name)).size).toBeGreaterThan(12);
    for (const [, name = ''] of named) expect(operate, name).toContain(`\`${name}\``);
  });
});

describe.skipIf(!hasHelm)('one server', () => {
  it('has one volume and can be drained', () => {
    expect(kindsOf(one).toSorted()).toEqual(
      'Ingress NetworkPolicy Service Service StatefulSet'.split(' '),
    );
    expect(serverOf(one)).toMatchObject({ replicas: 1, volumeClaimTemplates });
  });

  it('gets the address of its ingress as PUBLIC_URL', () => {
    expect(environmentOf(one)['PUBLIC_URL']).toBe('https://agent.example.com');
    const plain = { ...small, ingress: { enabled: true, host: 'a.example' } };
    expect(environmentOf(plain)['PUBLIC_URL']).toBe('http://a.example');
    const own = { ...one, settings: { PUBLIC_URL: 'https://docs.example' } };
    expect(containerOf(own).env.filter(({ name }) => name === 'PUBLIC_URL')).toEqual([
      { name: 'PUBLIC_URL', value: 'https://docs.example' },
    ]);
  });
});

describe.skipIf(!hasHelm)('several servers', () => {
  it('share a database and are drained one at a time', () => {
    expect(serverOf(replicas)).toMatchObject({ replicas: 3, volumeClaimTemplates });
    expect(find(render(replicas), 'PodDisruptionBudget')).toMatchObject({
      spec: { maxUnavailable: 1 },
    });
    const [variable] = containerOf(replicas).env.filter(({ name }) => name === 'DATABASE_URL');
    expect(variable?.valueFrom).toEqual({
      secretKeyRef: { name: 'knowledge-agent-database', key: 'DATABASE_URL' },
    });
  });

  it('need no volume', () => {
    const server = serverOf({ ...replicas, persistence: { enabled: false } });
    expect(server.volumeClaimTemplates).toBeUndefined();
    expect(server.template.spec.volumes).toContainEqual({ name: 'data', emptyDir: {} });
  });

  it.each([{}, { path: '/docs/metrics' }])('are scraped with a key (%j)', (at) => {
    const credentials = { name: 'm', key: 'k' };
    const values = { ...replicas, serviceMonitor: { enabled: true, credentials, ...at } };
    const endpoints = [{ path: '/metrics', ...at, authorization: { credentials } }];
    expect(find(render(values), 'ServiceMonitor')).toMatchObject({ spec: { endpoints } });
  });
});

describe.skipIf(!hasHelm)('a server', () => {
  it('has the settings of the image even if a secret differs', () => {
    const last = stagesOf(readInRoot('Dockerfile')).at(-1);
    const given = (name: string) =>
      last?.instructions.filter((each) => each.name === name).map(({ text }) => text) ?? [];
    const image = Object.fromEntries(
      given('ENV').flatMap((text) =>
        text
          .split(' ')
          .map((pair) => pair.split(/=(.*)/s, 2))
          .filter(([name = '']) => name in settings),
      ),
    );
    expect(Object.keys(image)).toHaveLength(5);
    expect(environmentOf(small)).toMatchObject(image);
    expect(given('VOLUME')).toEqual(['/data']);
    const container = containerOf(small);
    expect(container.volumeMounts).toContainEqual({ name: 'data', mountPath: '/data' });
    const [containerPort] = given('EXPOSE').map(Number);
    expect(container.ports).toEqual([{ name: 'http', containerPort }]);
    expect(container).not.toHaveProperty('command');
    expect(container).not.toHaveProperty('args');
  });

  it('gets only settings that exist, and starts with them', () => {
    for (const values of [one, replicas, small]) {
      const environment = environmentOf(values);
      expect(Object.keys(environment).filter((name) => !(name in settings))).toEqual([]);
      const config = parseConfig({ ...environment, DATABASE_URL: database.url, API_KEYS: key });
      expect(config).toMatchObject({ host: '0.0.0.0', port: 4111, shutdownDelay: 5 });
    }
  });

  it('gets its secrets from secrets', () => {
    expect(containerOf(one).envFrom).toEqual([{ secretRef: { name: 'knowledge-agent-keys' } }]);
    const values = { ...small, database };
    expect(containerOf(values).envFrom).toEqual([{ secretRef: { name: 'docs-knowledge-agent' } }]);
    expect(find(render(values), 'Secret')).toMatchObject({
      stringData: { API_KEYS: key, DATABASE_URL: database.url },
    });
    expect(JSON.stringify(serverOf(values))).not.toMatch(/one-key|writer/);
  });

  it('restarts when the secret of the chart changes', () => {
    const checksum = (API_KEYS: string) =>
      serverOf({ image, secret: { values: { API_KEYS } } }).template.metadata.annotations;
    expect(checksum('one')).toEqual(checksum('one'));
    expect(checksum('one')).not.toEqual(checksum('two'));
  });

  it('gets whole numbers as digits', () => {
    const values = { ...small, settings: { MAX_BODY_BYTES: 2_000_000 } };
    expect(environmentOf(values)['MAX_BODY_BYTES']).toBe('2000000');
  });

  it('runs without privileges and writes only to its volume and /tmp', () => {
    const { template } = serverOf(one);
    expect(template.spec).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 1000,
        runAsGroup: 1000,
        fsGroup: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      },
    });
    expect(template.spec.containers[0]).toMatchObject({
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
      volumeMounts: [{ mountPath: '/data' }, { mountPath: '/tmp' }],
      resources: { limits: { memory: '2Gi' } },
    });
  });

  it('is restarted only if it does not respond, and gets requests only when it is ready', () => {
    const probe = (path: string) => ({ httpGet: { path, port: 'http' } });
    expect(containerOf(one)).toMatchObject({
      startupProbe: probe('/health'),
      livenessProbe: probe('/health'),
      readinessProbe: probe('/ready'),
    });
  });

  it.each([{}, { SHUTDOWN_DELAY: '20' }, { SHUTDOWN_DELAY: 10, SHUTDOWN_SECONDS: 120 }])(
    'has time to stop (%j)',
    (settings) => {
      const values = { ...small, settings };
      const { shutdownDelay, shutdownSeconds } = parseConfig({
        ...environmentOf(values),
        API_KEYS: key,
      });
      expect(serverOf(values).template.spec.terminationGracePeriodSeconds).toBe(
        shutdownDelay + shutdownSeconds + 15,
      );
    },
  );
});

describe.skipIf(!hasHelm)('the network policy', () => {
  const policyOf = (values: object) =>
    find(render(values), 'NetworkPolicy')?.['spec'] as { ingress: object[]; egress: object[] };

  it('keeps a server away from private addresses and cloud metadata', () => {
    const [dns, open, ...more] = policyOf(small).egress;
    expect(dns).toEqual({ ports: [{ port: 53, protocol: 'UDP' }, { port: 53 }] });
    const except = expect.arrayContaining(
      '10.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16'.split(' '),
    );
    expect(open).toMatchObject({
      to: [
        { ipBlock: { cidr: '0.0.0.0/0', except } },
        { ipBlock: { except: ['fc00::/7', 'fe80::/10'] } },
      ],
    });
    expect(more).toEqual([]);
  });

  it('opens the port of the database and what the values name', () => {
    const { ingress, egress } = policyOf({
      ...replicas,
      database: { existingSecret: 'database', port: 6432 },
    });
    expect(egress.slice(2)).toEqual([
      { ports: [{ port: 6432 }] },
      expect.objectContaining({ ports: [{ port: 11434 }] }),
    ]);
    expect(ingress).toEqual([
      { ports: [{ port: 'http' }], from: [expect.anything(), expect.anything()] },
    ]);
    expect(policyOf(small).ingress).toEqual([{ ports: [{ port: 'http' }] }]);
    expect(kindsOf({ ...small, networkPolicy: { enabled: false } })).not.toContain('NetworkPolicy');
  });
});

describe.skipIf(!hasHelm)('the chart', () => {
  it.each<[string, object, string]>([
    ['without an image', { secret: small.secret }, 'There is no public image'],
    ['without keys', { image }, 'The server needs keys of its callers'],
    [
      'with ALLOW_ANONYMOUS=false instead of keys',
      { image, settings: { ALLOW_ANONYMOUS: false } },
      'The server needs keys',
    ],
    [
      'with several replicas and no database',
      { ...small, replicas: 2 },
      'Several replicas need a database',
    ],
    [
      'without volume and database',
      { ...small, persistence: { enabled: false } },
      'would lose all documents',
    ],
    [
      'with two databases',
      { ...small, database: { ...database, existingSecret: 'a' } },
      'not both',
    ],
    ['with a nameless ingress', { ...small, ingress: { enabled: true } }, 'set ingress.host'],
    [
      'with metrics and no key',
      { ...small, serviceMonitor: { enabled: true, credentials: { name: 'm' } } },
      'GET /metrics needs a key',
    ],
    [
      'with a database among the secrets',
      { image, secret: { values: { API_KEYS: key, DATABASE_URL: 'a' } } },
      'belongs to database.url',
    ],
    ['with an unknown value', { ...small, replica: 2 }, 'replica'],
    ['with an unknown nested value', { ...small, ingress: { hosts: ['a.example'] } }, 'hosts'],
    [
      'with a setting that is a list',
      { ...small, settings: { AGENT_MENTIONS: ['@agent'] } },
      'AGENT_MENTIONS',
    ],
    ['with a setting in lower case', { ...small, settings: { logLevel: 'debug' } }, 'logLevel'],
    ['with a database of another kind', { ...small, database: { url: 'mysql://a' } }, 'url'],
  ])('refuses values %s', (_, values, sentence) => expect(() => render(values)).toThrow(sentence));

  it('refuses settings that it sets itself', () => {
    const own = ['HOST', 'PORT', 'KNOWLEDGE_DIR', 'STATE_DIR', 'INDEX_DIR'];
    for (const name of own)
      expect(() => render({ ...small, settings: { [name]: 'a' } })).toThrow(
        `${name} is set by the chart`,
      );
  });

  it('refuses secrets among the settings', () => {
    const secrets = Object.keys(settings).filter((name) =>
      /KEY(?!S_FILE)|SECRET|PASSWORD/.test(name),
    );
    expect(secrets.length).toBeGreaterThan(10);
    for (const name of secrets)
      expect(() => render({ ...small, settings: { [name]: 'a' } })).toThrow(`${name} is a secret`);
  });

  it.each<[string, object]>([
    ['a secret', { secret: { existing: 'keys' } }],
    ['a JWT secret', { secret: { values: { JWT_SECRET: 'a' } } }],
    ['keys of tokens', { settings: { JWT_JWKS_URL: 'https://login.example/keys' } }],
    ['a file of keys', { settings: { API_KEYS_FILE: '/data/keys.jsonl' } }],
    ['open access', { settings: { ALLOW_ANONYMOUS: true } }],
    ['open reading', { settings: { ALLOW_ANONYMOUS: 'read' } }],
  ])('accepts %s instead of API_KEYS', (_, values) =>
    expect(kindsOf({ image, ...values })).toContain('StatefulSet'),
  );
});

it('the texts of the chart name only settings that exist', () => {
  for (const path of [
    'README.md',
    'values.yaml',
    'templates/NOTES.txt',
    'templates/_helpers.tpl',
    'templates/statefulset.yaml',
  ])
    expect(
      [...new Set(read(path).match(/\b[A-Z]+(?:_[A-Z]+)+\b/g))].filter(
        // Node's own variable.
        (name) => !(name in settings) && name !== 'NODE_EXTRA_CA_CERTS',
      ),
    ).toEqual([]);
});
