/**
 * Setup of the projects `pure` and `laws`: opening a socket or starting a process throws an error.
 */
import childProcess from 'node:child_process';
import dgram from 'node:dgram';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

function refuse(): never {
  throw new Error(
    'A pure test must not open sockets or start processes. Move it to test/contract (sockets) or test/e2e (processes).',
  );
}

// All connections, listeners and processes use these functions.
net.Socket.prototype.connect = refuse;
net.Server.prototype.listen = refuse;
dgram.Socket.prototype.bind = refuse;
dgram.Socket.prototype.send = refuse;
Object.assign(childProcess.ChildProcess.prototype, { spawn: refuse });
Object.assign(childProcess, { spawnSync: refuse, execSync: refuse, execFileSync: refuse });
syncBuiltinESMExports();
