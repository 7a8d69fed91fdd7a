/** Set up before each file of the project `pure`: whoever opens a socket or starts a process is told where such a test belongs. */
import childProcess from 'node:child_process';
import dgram from 'node:dgram';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

function refuse(): never {
  throw new Error('A pure test opens no socket and starts no process: test/contract is for sockets, test/e2e for processes.');
}

// Everything that connects, listens or forks comes by these; what is named when imported is the same function.
net.Socket.prototype.connect = refuse;
net.Server.prototype.listen = refuse;
dgram.Socket.prototype.bind = refuse;
dgram.Socket.prototype.send = refuse;
Object.assign(childProcess.ChildProcess.prototype, { spawn: refuse });
Object.assign(childProcess, { spawnSync: refuse, execSync: refuse, execFileSync: refuse });
syncBuiltinESMExports();
