import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requireFilled } from '../../../packages/shared/src/disk/damaged-database.ts';

let folder: string;
let database: DatabaseSync;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'knowledge-database-'));
  database = new DatabaseSync(join(folder, 'a.db'));
  // A small cache, so that pages reach the log before their transaction is committed.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA cache_size = 2; CREATE TABLE said (text TEXT)');
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

const insert = (text: string, rows = 1) => {
  database.exec('BEGIN');
  for (let row = 0; row < rows; row++)
    database.prepare('INSERT INTO said VALUES (?)').run(text.repeat(500));
};

/** Copies the files in the state that a kill would leave. */
function killed(): string {
  cpSync(join(folder, 'a.db'), join(folder, 'b.db'));
  cpSync(join(folder, 'a.db-wal'), join(folder, 'b.db-wal'));
  return join(folder, 'b.db');
}

describe('the log of a database', () => {
  it('is valid at every moment and after a kill at any position', () => {
    for (let round = 0; round < 40; round++) {
      insert(`round ${round}`, 1 + ((round * 7) % 13));
      requireFilled(killed());
      database.exec(round % 3 === 1 ? 'ROLLBACK' : 'COMMIT');
      requireFilled(killed());
      if (round % 11 === 10) database.exec('PRAGMA wal_checkpoint(RESTART)');
      const path = killed();
      truncateSync(
        `${path}-wal`,
        Math.floor((readFileSync(`${path}-wal`).length * (round + 1)) / 41),
      );
      requireFilled(path);
    }
  });

  it.each([0, 0.2, 0.5, 0.8])(
    'is reported as damaged after zeros or a flipped bit at %d of its length',
    (share) => {
      for (const text of ['one', 'two', 'three', 'four', 'five', 'six']) {
        insert(text);
        database.exec('COMMIT');
      }
      const path = killed();
      const log = readFileSync(`${path}-wal`);
      const at = Math.floor(log.length * share);
      const zeros = Buffer.from(log).fill(0, at, at + 5_000);
      const flipped = Buffer.from(log);
      flipped[at] = (flipped[at] ?? 0) ^ 1;
      for (const damaged of [zeros, flipped]) {
        writeFileSync(`${path}-wal`, damaged);
        expect(() => requireFilled(path)).toThrow('its write-ahead log is damaged');
      }
    },
  );
});
