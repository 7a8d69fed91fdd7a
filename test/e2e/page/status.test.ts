import { expect, it } from 'vitest';
import { describePage } from '../../support/browser.ts';
import { openPage } from '../../support/page.ts';

describePage('Status', () => {
  it('names the setting and the origin of each value, and ticks the steps that are done', async () => {
    const { page, service, find, see, text, look } = await openPage({
      hash: '#/state/default',
      settings: {
        RATE_LIMIT_PER_MINUTE: '7000,ask=5000',
        PUBLIC_URL: 'https://agent.example.com',
        ANSWER_STYLE: 'a s3cret style',
      },
    });
    for (const [label, value] of [
      ['Questions', '5,000 per minute RATE_LIMIT_PER_MINUTE set'],
      ['Source size', 'up to 21 MB MAX_SOURCE_BYTES default'],
      ['Files per upload', 'up to 100 fixed'],
    ] as const)
      await text(find('.definitions > div').filter({ hasText: label }).first().locator('dd')).toBe(
        value,
      );
    const { body } = await service.get('/api/state');
    for (const part of [body.version, 'No model (quotes only)', 'in memory', 'off'])
      expect(await find('.state').innerText()).toContain(part);
    const done = find('.checklist li').filter({ has: page.getByRole('img', { name: 'Done' }) });
    await expect.poll(() => done.count()).toBe(3);
    await see('Set API_KEYS, or ALLOW_ANONYMOUS=read with', find('.checklist'));
    await look('status', { inReadme: 'state' });
    await service.post('/api/agents/knowledge/generate', {
      messages: '@agent Within how many days are refunds paid?',
    });
    await page.reload();
    await expect.poll(() => done.count()).toBe(4);
    await page.getByText('All settings').click();
    const rows = page.getByRole('region', { name: 'All settings' }).locator('tr');
    await text(rows.filter({ hasText: 'ANSWER_STYLE' })).toMatch(/set, not shown\s*environment/);
    await look('status-settings');
    expect(await page.content()).not.toContain('s3cret');
  });

  it('shows callers without the right admin neither the checklist nor the settings', async () => {
    const { page, enterKey, see, count } = await openPage({
      hash: '#/state/default',
      settings: { API_KEYS: 'reader-1234567890=*:read' },
      expected: [/401/],
    });
    await enterKey('reader-1234567890');
    await see('Limits');
    await count('.checklist').toBe(0);
    await expect.poll(() => page.getByText('All settings').count()).toBe(0);
  });
});
