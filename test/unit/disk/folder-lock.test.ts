import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FolderInUseError, FolderLock } from '../../../packages/shared/src/disk/folder-lock.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'knowledge-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function lock(options: { readonly isHidden?: boolean } = {}) {
  const reports: string[] = [];
  const locked = new FolderLock(folder, {
    ...options,
    onWarning: (message) => reports.push(message),
    onReplaced: () => reports.push('replaced'),
  });
  return { reports, release: () => locked.release() };
}

describe('the lock of a folder', () => {
  it('has one holder and names it', () => {
    const first = lock();
    expect(() => lock()).toThrow(FolderInUseError);
    expect(() => lock()).toThrow(`process ${process.pid} on`);
    first.release();
    lock().release();
    expect(first.reports).toEqual([]);
  });

  it('ignores the name of a killed process, even one of another machine', () => {
    writeFileSync(
      join(folder, 'server.json'),
      JSON.stringify({ pid: 1, host: 'elsewhere', startedAt: '2026-01-01T00:00:00.000Z' }),
    );
    const next = lock();
    expect(JSON.parse(readFileSync(join(folder, 'server.json'), 'utf8'))).toMatchObject({
      pid: process.pid,
    });
    next.release();
    expect(existsSync(join(folder, 'server.json'))).toBe(false);
  });

  it('is acquired again and reported if the folder is deleted', () => {
    vi.useFakeTimers();
    try {
      const first = lock();
      rmSync(folder, { recursive: true });
      vi.advanceTimersByTime(10_000);
      expect(first.reports).toEqual(['replaced']);
      expect(() => lock()).toThrow(FolderInUseError);
      first.release();
    } finally {
      vi.useRealTimers();
    }
  });

  it('is hidden in a folder that people see, and does not create that folder again', () => {
    vi.useFakeTimers();
    try {
      const first = lock({ isHidden: true });
      expect(readdirSync(folder).sort()).toEqual(['.server.json', '.server.lock']);
      rmSync(folder, { recursive: true });
      vi.advanceTimersByTime(10_000);
      expect(existsSync(folder)).toBe(false);
      mkdirSync(folder);
      vi.advanceTimersByTime(10_000);
      expect(() => lock({ isHidden: true })).toThrow(FolderInUseError);
      first.release();
    } finally {
      vi.useRealTimers();
    }
  });

  it('warns if the folder cannot be locked and does not stop the server', () => {
    writeFileSync(
      join(folder, 'server.lock'),
      'no database, although it is long enough to be read as one '.repeat(20),
    );
    const first = lock();
    expect(first.reports).toEqual([expect.stringContaining('cannot be locked')]);
    first.release();
  });
});
