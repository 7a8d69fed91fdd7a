/** A process that keeps answers: `node keep-answers.ts <state.db> <name> <count> <maxAnswers>`; every tenth question is not answered. */
import { AnswerLog } from '../../src/answers/answer-log.ts';
import { createAnswerRows } from '../../src/state/answers.ts';
import { SqliteStore } from '../../src/state/sqlite-store.ts';
import { answered, unanswered } from './answer-entries.ts';

const [path = '', name = '', count = '0', maxAnswers = '0'] = process.argv.slice(2);
const onWarning = (message: string, error?: unknown) => process.stderr.write(`${message} ${String(error)}\n`);
const log = new AnswerLog({
  rows: createAnswerRows(new SqliteStore({ path, onWarning })),
  maxAnswers: Number(maxAnswers),
  clock: () => new Date(),
  onWarning,
});
await log.open();
for (let number = 0; number < Number(count); number++) {
  const runId = `${name}-${number}`;
  log.keep(number % 10 === 0 ? unanswered(runId, `what is the ${name} of item${number}?`) : answered(runId));
  // Each in a write of its own.
  await log.get(runId);
}
await log.close();
