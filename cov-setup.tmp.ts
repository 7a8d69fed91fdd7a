import { appendFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { afterEach, beforeEach, expect } from 'vitest';

const g = globalThis as any;
if (!g.__cov) {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  g.__cov = session;
}
const take = () => {
  let out: any;
  g.__cov.post('Profiler.takePreciseCoverage', (_: any, r: any) => {
    out = r;
  });
  return out.result;
};
beforeEach(() => {
  take();
});
afterEach((ctx: any) => {
  const scripts: Record<string, number[]> = {};
  for (const s of take()) {
    if (!/\/tmp\/wt\/t3\/(src|packages)\//.test(s.url)) continue;
    // boundaries: paint ranges in order (outer first), innermost wins
    const fns = s.functions.filter((f: any) => true);
    const ranges = fns
      .flatMap((f: any) => f.ranges)
      .sort((a: any, b: any) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
    const iv: number[] = [];
    // only functions executed
    const stack: any[] = [];
    const events: number[][] = [];
    let pos = 0;
    const emit = (to: number) => {
      const top = stack.at(-1);
      if (to > pos && top && top.count > 0) {
        if (iv.length && iv[iv.length - 1] === pos) iv[iv.length - 1] = to;
        else iv.push(pos, to);
      }
      pos = Math.max(pos, to);
    };
    for (const r of ranges) {
      while (stack.length && stack.at(-1).endOffset <= r.startOffset) {
        emit(stack.at(-1).endOffset);
        stack.pop();
      }
      emit(r.startOffset);
      pos = r.startOffset;
      stack.push(r);
    }
    while (stack.length) {
      emit(stack.at(-1).endOffset);
      stack.pop();
    }
    if (iv.length) scripts[s.url.replace(/.*\/tmp\/wt\/t3\//, '')] = iv;
  }
  const t = ctx.task;
  const names = [];
  for (let x = t; x && x.name !== undefined && x !== x.file; x = x.suite) names.unshift(x.name);
  appendFileSync(
    `/tmp/t3/cov/${process.pid}-${(globalThis as any).__vitest_worker__?.ctx?.workerId ?? 0}.jsonl`,
    `${JSON.stringify({ file: ctx.task.file.filepath.replace(/.*\/tmp\/wt\/t3\//, ''), name: names.join(' > '), scripts })}\n`,
  );
});
