import { expect, it } from 'vitest';
import { describePage, look, useBrowser } from '../../support/browser.ts';
import { openPage } from '../../support/page.ts';

const key = { apikey: 'any' };

describePage('Calls', () => {
  const browser = useBrowser();

  it('lists, filters and pages calls with totals and a chart, and opens one record', async () => {
    const visited = await openPage(browser(), { hash: '#/calls/default' });
    const { page, service } = visited;
    const rows = page.locator('.calls .scroller[aria-label=Calls] tbody tr');
    await rows.first().waitFor();
    await expect.poll(() => rows.count()).toBe(30);
    const all = (await service.get('/v3/calls', key)).body.meta.pagination.total;
    await page.getByText(`Page 1 of ${Math.ceil(all / 30)}, ${all} calls`).waitFor();
    await expect.poll(() => page.locator('.chart rect').count()).toBeGreaterThan(10);
    await look(visited, 'calls');
    const filters = page.locator('summary', { hasText: /^Filters/ });
    await filters.click();
    await look(visited, 'calls-chart', { inReadme: 'calls' });
    if (!(await page.locator('.filters').isVisible())) await filters.click();

    await page.locator('.filters [name=type]').selectOption('video');
    await page.getByLabel('ended', { exact: true }).check();
    await page.getByRole('button', { name: 'Apply filters' }).click();
    const { total } = (await service.get('/v3/calls?type=video&statuses=ended', key)).body.meta.pagination;
    await page.getByText(`Page 1 of ${Math.ceil(total / 30)}, ${total} calls`).waitFor();
    expect(total).toBeLessThan(all);
    expect(new Set(await rows.locator('td:nth-child(2)').allTextContents())).toEqual(new Set(['video']));
    await expect.poll(() => page.locator('.chart rect.voice').count()).toBe(0);
    await look(visited, 'calls-filtered');

    await page.getByRole('link', { name: 'Older' }).click();
    await page.getByText('Page 2 of').waitFor();
    const second = (await service.get('/v3/calls?type=video&statuses=ended&page=2', key)).body.data[0];
    const link = rows.first().getByRole('link');
    await link.click();
    const record = page.getByRole('dialog', { name: 'Call details' });
    await record.getByText(second.sessionId).first().waitFor();
    await look(visited, 'calls-record');
    await page.keyboard.press('Escape');
    await record.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText(`, ${all} calls`).waitFor();
  });

  it('shows that no calls match and why a filter is rejected', async () => {
    const visited = await openPage(browser(), { hash: '#/calls/default?uid=unknown.user' });
    const { page, url } = visited;
    await page.getByText('No calls match these filters').waitFor();
    await look(visited, 'calls-none');
    visited.expectError(/status of 400/);
    await page.goto(`${url}/#/calls/default?mode=carrier-pigeon`);
    await page.getByRole('alert').first().waitFor();
    await expect.poll(() => page.getByRole('alert').first().textContent()).toContain('mode');
  });
});
