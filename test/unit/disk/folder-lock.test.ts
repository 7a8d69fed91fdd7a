import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FolderInUseError, lockFolder } from '../../../src/disk/folder-lock.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'knowledge-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function lock() {
  const told: string[] = [];
  const locked = lockFolder(folder, { onWarning: (message) => told.push(message), onReplaced: () => told.push('replaced') });
  return { told, ...locked };
}

describe('the lock of a folder', () => {
  it('has one holder, whom it names', () => {
    const first = lock();
    expect(lock).toThrow(FolderInUseError);
    expect(lock).toThrow(`process ${process.pid} on`);
    first.release();
    lock().release();
    expect(first.told).toEqual([]);
  });

  it('ignores the name of an earlier process that was killed, also one of another machine', () => {
    writeFileSync(join(folder, 'server.json'), JSON.stringify({ pid: 1, host: 'elsewhere', startedAt: '2026-01-01T00:00:00.000Z' }));
    const next = lock();
    expect(JSON.parse(readFileSync(join(folder, 'server.json'), 'utf8'))).toMatchObject({ pid: process.pid });
    next.release();
    expect(existsSync(join(folder, 'server.json'))).toBe(false);
  });

  it('is taken again, with a report, when the folder was deleted', () => {
    vi.useFakeTimers();
    try {
      const first = lock();
      rmSync(folder, { recursive: true });
      vi.advanceTimersByTime(10_000);
      expect(first.told).toEqual(['replaced']);
      expect(lock).toThrow(FolderInUseError);
      first.release();
    } finally {
      vi.useRealTimers();
    }
  });

  it('warns if the folder cannot be locked, and lets the server start', () => {
    writeFileSync(join(folder, 'server.lock'), 'no database, although it is long enough to be read as one '.repeat(20));
    const first = lock();
    expect(first.told).toEqual([expect.stringContaining('cannot be locked')]);
    first.release();
  });
});
