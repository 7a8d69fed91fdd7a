import { expect, it } from 'vitest';
import { describePage, look } from '../../support/browser.ts';
import { openPage } from '../../support/page.ts';

describePage('Status', () => {
  it('names the setting and the origin of each value, and ticks the steps that are done', async () => {
    const settings = {
      RATE_LIMIT_PER_MINUTE: '7000,ask=5000',
      PUBLIC_URL: 'https://agent.example.com',
      ANSWER_STYLE: 'a s3cret style',
    };
    const visited = await openPage({ hash: '#/state/default', settings });
    const { page, service } = visited;
    const rowOf = async (label: string) =>
      (
        await page
          .locator('.definitions > div')
          .filter({ hasText: label })
          .first()
          .locator('dd')
          .textContent()
      )
        ?.replace(/\s+/g, ' ')
        .trim();
    await expect.poll(() => rowOf('Questions')).toBe('5,000 per minute RATE_LIMIT_PER_MINUTE set');
    expect(await rowOf('Source size')).toBe('up to 21 MB MAX_SOURCE_BYTES default');
    expect(await rowOf('Files per upload')).toBe('up to 100 fixed');
    const steps = page.locator('.checklist li');
    const doneSteps = () => steps.filter({ has: page.getByRole('img', { name: 'Done' }) }).count();
    await expect.poll(doneSteps).toBe(3);
    await page
      .locator('.checklist')
      .getByText('Set API_KEYS, or ALLOW_ANONYMOUS=read with')
      .waitFor();
    await look(visited, 'status');
    await service.post('/api/agents/knowledge/generate', {
      messages: '@agent Within how many days are refunds paid?',
    });
    await page.reload();
    await expect.poll(doneSteps).toBe(4);
    await page.getByText('All settings').click();
    const row = page.getByRole('region', { name: 'All settings' }).locator('tr');
    await expect
      .poll(() => row.filter({ hasText: 'ANSWER_STYLE' }).textContent())
      .toMatch(/set, not shown\s*environment/);
    await look(visited, 'status-settings');
    expect(await page.content()).not.toContain('s3cret');
  });

  it('shows callers without the right admin neither the checklist nor the settings', async () => {
    const { page } = await openPage({
      hash: '#/state/default',
      settings: { API_KEYS: 'reader-1234567890=*:read' },
      expected: [/401/],
    });
    await page.getByLabel('API key or token').fill('reader-1234567890');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Limits' }).waitFor();
    await expect.poll(() => page.locator('.checklist').count()).toBe(0);
    await expect.poll(() => page.getByText('All settings').count()).toBe(0);
  });
});
