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
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
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

/** A lock whose folder is deleted; the lock notices it. */
function lockOfDeleted(options: { readonly isHidden?: boolean }) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const first = lock(options);
  const files = readdirSync(folder).sort();
  rmSync(folder, { recursive: true });
  vi.advanceTimersByTime(10_000);
  return { ...first, files };
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
    const name = join(folder, 'server.json');
    writeFileSync(name, '{"pid":1,"host":"elsewhere","startedAt":"2026-01-01T00:00:00.000Z"}');
    const next = lock();
    expect(JSON.parse(readFileSync(name, 'utf8')).pid).toBe(process.pid);
    next.release();
    expect(existsSync(name)).toBe(false);
  });

  it('is acquired again and reported if the folder is deleted', () => {
    const first = lockOfDeleted({});
    expect(first.reports).toEqual(['replaced']);
    expect(() => lock()).toThrow(FolderInUseError);
    first.release();
  });

  it('is hidden in a folder that people see, and does not create that folder again', () => {
    const first = lockOfDeleted({ isHidden: true });
    expect(first.files).toEqual(['.server.json', '.server.lock']);
    expect(existsSync(folder)).toBe(false);
    mkdirSync(folder);
    vi.advanceTimersByTime(10_000);
    expect(() => lock({ isHidden: true })).toThrow(FolderInUseError);
    first.release();
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
