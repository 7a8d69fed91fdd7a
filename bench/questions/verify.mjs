// Checks the question sets: shape, counts, unique ids and questions, files exist, every regex compiles
// and matches the text of a listed file. Usage: node bench/questions/verify.mjs
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const modules = join(here, '..', '..', 'node_modules');
const path = {
  handbook: (f) => join(here, 'handbook', f),
  mastra: (f) => join(modules, '@mastra/core/dist/docs/references', f),
  undici: (f) =>
    f.startsWith('pino/') ? join(modules, 'pino/docs', f.slice(5)) : join(modules, 'undici/docs/docs', f.slice(7)),
};
const errors = [];
const ids = new Set();
const questions = new Set();
for (const set of ['handbook', 'mastra', 'off-topic', 'undici']) {
  const file = join(here, `${set}.jsonl`);
  if (!existsSync(file)) { errors.push(`${set}: no file`); continue; }
  const count = {};
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
    const q = JSON.parse(line);
    const bad = (m) => errors.push(`${q.id}: ${m}`);
    if (Object.keys(q).join() !== 'id,set,split,kind,question,files,answer') bad('keys');
    if (ids.has(q.id)) bad('id twice');
    ids.add(q.id);
    if (questions.has(q.question.toLowerCase())) bad('question twice');
    questions.add(q.question.toLowerCase());
    if (q.set !== (set === 'off-topic' ? 'any' : set)) bad('set');
    if (!['tune', 'check'].includes(q.split)) bad('split');
    count[`${q.kind}/${q.split}`] = (count[`${q.kind}/${q.split}`] ?? 0) + 1;
    if (q.kind !== 'answerable') { if (q.files.length || q.answer.length) bad('files or answer not empty'); continue; }
    if (!q.files.length || !q.answer.length) bad('files or answer empty');
    const texts = q.files.map((f) => {
      const p = path[set](f);
      if (!existsSync(p)) { bad(`no file ${f}`); return ''; }
      return readFileSync(p, 'utf8');
    });
    const res = q.answer.map((a) => { try { return new RegExp(a, 'i'); } catch (e) { bad(e.message); return /$^/; } });
    res.forEach((r) => { if (!texts.some((t) => r.test(t))) bad(`no listed file matches ${r}`); });
    texts.forEach((t, i) => { if (!res.some((r) => r.test(t))) bad(`${q.files[i]} matches none`); });
    // Files that are not listed but match: possible omissions or regexes that are too general (for reading, not an error).
    if (process.argv.includes('--others')) {
      const all = set === 'undici'
        ? ['pino', 'undici', 'undici/api', 'undici/best-practices'].flatMap((d) => readdirSync(path.undici(`${d}/`)).filter((f) => f.endsWith('.md')).map((f) => `${d}/${f}`))
        : readdirSync(path[set]('')).filter((f) => f.endsWith('.md'));
      const others = all.filter((f) => !q.files.includes(f) && res.some((r) => r.test(readFileSync(path[set](f), 'utf8'))));
      if (others.length) console.log(q.id, q.question.slice(0, 50), '|', others.slice(0, 12).join(' '), others.length);
    }
  }
  console.log(set, JSON.stringify(count));
  const want = set === 'off-topic' ? { 'off-topic/tune': 30, 'off-topic/check': 30 }
    : { 'answerable/tune': 20, 'answerable/check': 20, 'unanswerable/tune': 10, 'unanswerable/check': 10 };
  for (const [k, n] of Object.entries(want)) if (count[k] !== n) errors.push(`${set}: ${k} is ${count[k]}, not ${n}`);
}
console.log(errors.length ? errors.join('\n') : 'all good');
process.exitCode = errors.length ? 1 : 0;
