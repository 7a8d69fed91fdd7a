/**
 * SQLite's full-text index in memory: Porter stemming, BM25 with title ×3, OR of the query's words.
 * Contentless, like other engines.
 */
import { DatabaseSync } from 'node:sqlite';
import type { Passage } from './collections.ts';
import type { Engine } from './engines.ts';
import { meaningfulWords } from './stop-words.ts';

export function createFts5(): Engine {
  const database = new DatabaseSync(':memory:');
  database.exec(`create virtual table passages using fts5(title, text, content='', contentless_delete=1, tokenize='porter unicode61');
    insert into passages(passages, rank) values('rank', 'bm25(3.0, 1.0)')`);
  const insert = database.prepare('insert into passages(rowid, title, text) values(?, ?, ?)');
  const remove = database.prepare('delete from passages where rowid = ?');
  const find = database.prepare(
    'select rowid from passages where passages match ? order by rank limit ?',
  );
  const ids: string[] = [''];
  const rows = new Map<string, number>();

  function write({ id, title, text }: Passage): void {
    const known = rows.get(id);
    if (known !== undefined) remove.run(known);
    const row = known ?? ids.push(id) - 1;
    rows.set(id, row);
    insert.run(row, title, text);
  }

  return {
    async add(passages) {
      database.exec('begin');
      for (const passage of passages) write(passage);
      database.exec('commit');
    },
    async settle() {
      database.exec(`insert into passages(passages) values('optimize')`);
    },
    async replace(passage) {
      database.exec('begin');
      write(passage);
      database.exec('commit');
    },
    async search(query, limit) {
      const words = meaningfulWords(query).map((word) => `"${word}"`);
      if (words.length === 0) return [];
      return find.all(words.join(' OR '), limit).map(({ rowid }) => ids[Number(rowid)]!);
    },
  };
}
