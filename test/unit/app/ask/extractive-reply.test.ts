/** The answer without a model, as users see it. */
import { describe, expect, it } from 'vitest';
import { withoutPipes } from '../../../../src/app/ask/extractive-reply.ts';

describe('rows of an answer', () => {
  it('appear as header and value', () => {
    expect(
      withoutPipes(
        '| Plan | Price |\n| --- | --- |\n| Starter | $15 [1] |\n\nSources:\n[1] Plans (plans.md)',
      ),
    ).toBe('Plan: Starter; Price: $15 [1]\n\nSources:\n[1] Plans (plans.md)');
  });
  it('are a list if there are several, each with its own header', () => {
    const tables =
      '| Plan | Price |\n| --- | --- |\n| Starter | $15 [1] |\n| Team | $29 [1] |\n\n| Day | Hours |\n| --- | --- |\n| Monday | 8 [2] |';
    expect(withoutPipes(tables)).toBe(
      '- Plan: Starter; Price: $15 [1]\n- Plan: Team; Price: $29 [1]\n\n- Day: Monday; Hours: 8 [2]',
    );
  });
  it('stay unchanged in code', () => {
    const code = '```\n| a | b |\n| --- | --- |\n```\n[1]';
    expect(withoutPipes(code)).toBe(code);
  });
});
