import { expect, it } from 'vitest';
import { personalIn } from '../../../src/records/personal.ts';

it.each([
  ['Call Ann on 555-0142 or +49 30 1234567.', ['ann', '555-0142', '+49 30 1234567']],
  ['Write to ann@zoo.example, or ring 212-555-0142.', ['ann', 'ann@zoo.example', '212-555-0142']],
  ['From 1990-1995 the order KX-4410 cost 1,250.0000 euros.', []],
])('marks names, mail addresses and phone numbers in %j', (text, marked) => {
  expect(personalIn(text, ['ann', 'bob'])).toEqual(marked);
});
