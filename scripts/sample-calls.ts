/** `npm run sample:calls`: writes the default `CALLS_FILE`. A test compares them. */
import { writeFileSync } from 'node:fs';
import { callRecords, toJsonLines } from './call-records.ts';

export const sampleCalls = () =>
  toJsonLines(callRecords({ count: 500, seed: 7, until: Date.UTC(2026, 10, 21) / 1000, days: 90 }));

if (import.meta.main)
  writeFileSync(new URL('../samples/calls.jsonl', import.meta.url), sampleCalls());
