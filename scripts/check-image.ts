/**
 * `npm run check:image`: builds the image and checks that its server answers if only `/data` is
 * writable. Without Docker or Podman, it runs the commands of the Dockerfile in empty folders and
 * the server as another user with a read-only tree. Needs npm's registry.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Instruction, isGivenToBuilder, type Stage, stagesOf } from './dockerfile.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const isRoot = process.getuid?.() === 0;
const image = 'knowledge-agent:check';
const key = 'check-image';
const readyWithinMs = 60_000;
/** Without npm's variables, because these commands run in another folder. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')),
);

const say = (line: string) => process.stdout.write(`${line}\n`);
const run = (command: string, args: readonly string[]) =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8' }).trim();
const succeeds = (command: string, args: readonly string[]): boolean => {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return typeof address === 'object' && address ? address.port : 0;
}

/**
 * @throws Error if the server does not become ready, serves no page or does not answer from the
 * given document
 */
async function ask(url: string, hasEnded: () => boolean): Promise<void> {
  const until = performance.now() + readyWithinMs;
  const isReady = () =>
    fetch(`${url}/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (hasEnded() || performance.now() > until)
      throw new Error('The server does not become ready.');
    await new Promise((next) => setTimeout(next, 100));
  }
  const get = async (path: string) => {
    const response = await fetch(new URL(path, url));
    if (!response.ok) throw new Error(`${path} returned status ${response.status}.`);
    return response.text();
  };
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} returned status ${response.status}: ${text}`);
    return text;
  };
  const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(await get('/')) ?? [];
  await get(script);
  await post('/api/tools/ingestSources', {
    sources: [{ title: 'Refund FAQ', text: 'Refunds are paid within 30 days of purchase.' }],
  });
  const answer = await post('/api/agents/knowledge/generate', {
    messages: '@agent how long do refunds take?',
  });
  if (!answer.includes('within 30 days'))
    throw new Error(`The answer does not quote the document: ${answer}`);
}

/** Prints the heap limit as a share of the memory. */
const heapProgram = `const { getHeapStatistics } = require('node:v8');
const memory = Math.min(process.constrainedMemory() || Infinity, require('node:os').totalmem());
process.stdout.write(String(getHeapStatistics().heap_size_limit / memory));`;

/** @throws Error if the heap is not bounded by the memory limit */
function checkHeap(share: string): void {
  if (!(Number(share) > 0.6 && Number(share) < 0.8))
    throw new Error(`The heap limit is ${share} of the memory, expected 0.7.`);
}

/** Builds and runs with Docker or Podman. */
async function checkImage(builder: string): Promise<void> {
  execFileSync(builder, ['build', '--tag', image, '.'], { cwd: root, stdio: 'inherit' });
  const port = await freePort();
  const guards = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];
  const container = run(builder, [
    'run',
    '--detach',
    '--memory',
    '2g',
    ...guards,
    '--env',
    `API_KEYS=${key}`,
    '--publish',
    `127.0.0.1:${port}:4111`,
    image,
  ]);
  try {
    await ask(
      `http://127.0.0.1:${port}`,
      () => run(builder, ['inspect', '--format', '{{.State.Running}}', container]) !== 'true',
    );
    checkHeap(run(builder, ['exec', container, 'node', '-e', heapProgram]));
  } catch (error) {
    execFileSync(builder, ['logs', container], { stdio: 'inherit' });
    throw error;
  } finally {
    run(builder, ['rm', '--force', '--volumes', container]);
  }
  say(
    `The image has ${Math.round(Number(run(builder, ['image', 'inspect', '--format', '{{.Size}}', image])) / 1e6)} MB.`,
  );
}

/** Tracked files without those that .dockerignore excludes. */
function makeContext(folder: string): void {
  const dockerignore = readFileSync(join(root, '.dockerignore'), 'utf8');
  const files = run('git', ['ls-files', '-z']).split('\0');
  for (const path of files)
    if (path !== '' && isGivenToBuilder(dockerignore, path))
      cpSync(join(root, path), join(folder, path));
}

/** `COPY a b ./`: copies the content of folders, or files. */
function copy({ text, flags }: Instruction, from: string, stage: string, workdir: string): void {
  const paths = text.split(/\s+/);
  const target = join(stage, resolve(workdir, paths.pop() ?? ''));
  for (const path of paths) {
    const to =
      text.endsWith('/') && statSync(join(from, path)).isFile()
        ? join(target, basename(path))
        : target;
    mkdirSync(dirname(to), { recursive: true });
    cpSync(join(from, path), to, { recursive: true, verbatimSymlinks: true });
    const [user, group] = (flags['chown'] ?? '').split(':').map(Number);
    if (isRoot && user !== undefined && group !== undefined) chownSync(to, user, group);
  }
}

/** Runs the commands of a stage that create files, with `folders/<name>` as `/`. */
function makeStages(stages: readonly Stage[], folders: string): void {
  const workdirs = new Map<string, string>();
  for (const { from, name, instructions } of stages) {
    const folder = join(folders, name);
    const isStage = workdirs.has(from);
    if (isStage) cpSync(join(folders, from), folder, { recursive: true, verbatimSymlinks: true });
    let workdir = workdirs.get(from) ?? '/';
    for (const instruction of instructions) {
      if (instruction.name === 'WORKDIR') workdir = instruction.text;
      mkdirSync(join(folder, workdir), { recursive: true });
      if (instruction.name === 'COPY')
        copy(instruction, join(folders, instruction.flags['from'] ?? 'context'), folder, workdir);
      if (instruction.name !== 'RUN') continue;
      say(`${name}: ${instruction.text}`);
      execFileSync('sh', ['-e', '-c', instruction.text], {
        cwd: join(folder, workdir),
        env: environment,
        stdio: 'inherit',
      });
    }
    workdirs.set(name, workdir);
  }
}

/**
 * Starts the command of the last stage as its user, who may write only to `/data`, and runs its
 * health check.
 */
async function checkStage({ instructions }: Stage, folder: string): Promise<void> {
  const textOf = (name: string) => instructions.findLast((one) => one.name === name)?.text ?? '';
  const pairs = textOf('ENV')
    .split(/\s+/)
    .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const);
  const settings = Object.fromEntries(
    pairs.map(([name, value]) => [name, value.startsWith('/') ? join(folder, value) : value]),
  );
  const port = await freePort();
  const [user, group] = textOf('USER').split(':').map(Number);
  if (!isRoot) run('chmod', ['-R', 'a-w', join(folder, 'app')]);
  const options = {
    cwd: join(folder, textOf('WORKDIR')),
    env: {
      PATH: dirname(process.execPath),
      TMPDIR: '/nowhere',
      API_KEYS: key,
      ...settings,
      HOST: '127.0.0.1',
      PORT: String(port),
    },
    ...(isRoot && user !== undefined && group !== undefined ? { uid: user, gid: group } : {}),
  };
  const [command = '', ...args]: string[] = JSON.parse(textOf('CMD'));
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'inherit', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    await ask(`http://127.0.0.1:${port}`, () => child.exitCode !== null);
    const [health = '', ...of]: string[] = JSON.parse(textOf('HEALTHCHECK').replace(/^CMD /, ''));
    execFileSync(health, of, { ...options, stdio: 'inherit' });
    checkHeap(execFileSync(command, ['-e', heapProgram], { ...options, encoding: 'utf8' }));
  } finally {
    child.kill('SIGTERM');
    await ended;
    if (!isRoot) run('chmod', ['-R', 'u+w', join(folder, 'app')]);
  }
  say(
    `${run('du', ['-sm', '--apparent-size', join(folder, 'app')]).split('\t')[0]} MB come to the base image.`,
  );
}

const stages = stagesOf(readFileSync(join(root, 'Dockerfile'), 'utf8'));
const builder = ['docker', 'podman'].find((one) => succeeds(one, ['info']));
if (builder) await checkImage(builder);
else {
  const folders = mkdtempSync(join(tmpdir(), 'knowledge-agent-image-'));
  try {
    // The user must be able to enter the folder.
    chmodSync(folders, 0o755);
    makeContext(join(folders, 'context'));
    makeStages(stages, folders);
    await checkStage(stages.at(-1) as Stage, join(folders, stages.at(-1)?.name ?? ''));
  } finally {
    rmSync(folders, { recursive: true, force: true });
  }
}
