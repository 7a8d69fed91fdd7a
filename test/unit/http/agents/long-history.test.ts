import { describe, expect, it } from 'vitest';
import { cutHistory } from '../../../../src/http/agents/long-history.ts';

const cut = async (text: string, maxBytes: number) =>
  (await cutHistory(Buffer.from(text), maxBytes)).toString();
const message = (at: number) => ({
  role: 'user',
  content: `question "${at}", of [many] {words} \\`,
});
const messages = Array.from({ length: 100 }, (_, at) => message(at));

describe('cutHistory', () => {
  it.each(['messages', 'input'])(
    'keeps the last messages and all other fields (%s)',
    async (field) => {
      const body = { before: { messages: [1, 2] }, [field]: messages, after: ['x'] };
      const text = await cut(JSON.stringify(body, undefined, 1), 2_000);
      expect(text.length).toBeLessThanOrEqual(2_000);
      const left = JSON.parse(text);
      expect(left).toMatchObject({ before: body.before, after: body.after });
      expect(left[field].length).toBeGreaterThan(10);
      expect(left[field]).toEqual(messages.slice(-left[field].length));
    },
  );

  it('keeps all messages of a body that fits', async () => {
    const body = JSON.stringify({ messages });
    expect(await cut(body, body.length)).toBe(body);
    expect(await cut(body, 1_000_000)).toBe(body);
  });

  it('never cuts the last message', async () => {
    const body = JSON.stringify({
      messages: [message(1), { role: 'user', content: 'x'.repeat(3_000) }],
    });
    expect(await cut(body, 2_000)).toBe(body);
  });

  it.each([
    ['without a list of messages', '{"messages":"x","others":[1,2,3,4,5]}'],
    ['with a list below another field', '{"others":{"messages":[1,2,3,4,5]}}'],
    ['with an open string', '{"messages":["1,2,3,4,5'],
    ['that is not an object', '["messages",[1,2,3,4,5]]'],
    ['that is empty', ''],
  ])('does not change a body %s', async (_, text) => expect(await cut(text, 2)).toBe(text));

  it.each([
    ['nested lists', '{"messages":[', '['],
    ['nested objects', '', '{"input":'],
    ['short strings', '{"messages":[', '"",'],
    ['escapes', '{"messages":["', '\\"'],
    ['fields', '{', '"input":1,'],
  ])('does not block the event loop with 8 MiB of %s', async (_, before, repeated) => {
    const body = Buffer.from(before + repeated.repeat(Math.floor(8_388_608 / repeated.length)));
    let longestMs = 0;
    const cpuMs = () => process.threadCpuUsage().user / 1_000;
    let lastAt = cpuMs();
    const timer = setInterval(() => {
      longestMs = Math.max(longestMs, cpuMs() - lastAt);
      lastAt = cpuMs();
    });
    await cutHistory(body, 1_048_576);
    clearInterval(timer);
    expect(longestMs).toBeLessThan(2_000);
  });
});
