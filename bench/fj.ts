import { toPlainPassage } from '../packages/grounding/src/plain-passage.ts';
import { ReplyReader } from '../packages/grounding/src/reply-reader.ts';
import { createVerifier as createNew } from '../packages/grounding/src/rules.ts';
import { readLines } from './retrieval/collections.ts';

const createOld =
  process.argv[2] === 'old'
    ? (await import('../packages/grounding/src/verifier.ts' as string)).createVerifier
    : createNew;
const dir = '/work/shared/data/faithjudge/';
const questions = new Map(readLines<any>(dir + 'questions.jsonl.gz').map((q: any) => [q.id, q]));
const clean = (s: string) =>
  s
    .replace(/^(?:based on|according to)[^,]{0,80},\s*/i, '')
    .replace(/\s*\((?:passages?|source)[^)]*\)/gi, '')
    .replace(/^./, (c) => c.toUpperCase());
let [whole, cons, kept, sents, caught, incons] = [0, 0, 0, 0, 0, 0];
const why = new Map<string, number>();
for (const { id, reply, consistent } of readLines<any>(dir + 'replies.jsonl.gz') as any) {
  const q: any = questions.get(id);
  const verify = createOld(
    q.passages.map((text: string) => ({
      text: toPlainPassage(text).text,
      context: '',
      language: 'en',
    })),
  );
  const reader = new ReplyReader();
  const all = [...reader.push(reply, () => false), ...reader.end()]
    .map((s: any) => clean(s.text))
    .filter((t: string) => t !== '' && !/\bpassages?\b/i.test(t) && !/:$/.test(t.trim()));
  const verdicts = all.map((t: string) => verify(t));
  const ok = verdicts.map((v: any) => v.reason === undefined || v.reason === 'empty');
  if (consistent) {
    cons++;
    if (ok.every(Boolean)) whole++;
    kept += ok.filter(Boolean).length;
    sents += ok.length;
    verdicts.forEach((v: any) => {
      if (v.reason) why.set(v.reason, (why.get(v.reason) ?? 0) + 1);
    });
  } else {
    incons++;
    if (!ok.every(Boolean)) caught++;
  }
}
const p = (a: number, b: number) => ((100 * a) / b).toFixed(1);
console.log(
  process.argv[2] ?? 'new',
  'whole',
  p(whole, cons),
  'kept',
  p(kept, sents),
  'caught',
  p(caught, incons),
  'balanced',
  (((100 * whole) / cons + (100 * caught) / incons) / 2).toFixed(1),
  JSON.stringify([...why]),
);
