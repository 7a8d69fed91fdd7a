import { expect, it } from 'vitest';
import { describePage, look } from '../../support/browser.ts';
import { openPage } from '../../support/page.ts';

const key = { apikey: 'any' };

describePage('Calls', () => {
  it('lists, filters and pages calls with totals and a chart, and opens one record', async () => {
    const visited = await openPage({ hash: '#/calls/default' });
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
    // The change of width may close the filters a moment later.
    await expect
      .poll(async () => {
        if (!(await page.locator('.filters').isVisible())) await filters.click();
        return page.locator('.filters').isVisible();
      })
      .toBe(true);
    await page.locator('.filters [name=type]').waitFor();

    await page.locator('.filters [name=type]').selectOption('video');
    await page.getByLabel('ended', { exact: true }).check();
    await page.getByRole('button', { name: 'Apply filters' }).click();
    const { total } = (await service.get('/v3/calls?type=video&statuses=ended', key)).body.meta
      .pagination;
    await page.getByText(`Page 1 of ${Math.ceil(total / 30)}, ${total} calls`).waitFor();
    expect(total).toBeLessThan(all);
    expect(new Set(await rows.locator('td:nth-child(2)').allTextContents())).toEqual(
      new Set(['video']),
    );
    await expect.poll(() => page.locator('.chart rect.voice').count()).toBe(0);
    await look(visited, 'calls-filtered');

    await page.getByRole('link', { name: 'Older' }).click();
    await page.getByText('Page 2 of').waitFor();
    const second = (await service.get('/v3/calls?type=video&statuses=ended&page=2', key)).body
      .data[0];
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
    const visited = await openPage({ hash: '#/calls/default?uid=unknown.user' });
    const { page, url } = visited;
    await page.getByText('No calls match these filters').waitFor();
    await look(visited, 'calls-none');
    visited.expectError(/status of 400/);
    await page.goto(`${url}/#/calls/default?mode=carrier-pigeon`);
    await page.getByRole('alert').first().waitFor();
    await expect.poll(() => page.getByRole('alert').first().textContent()).toContain('mode');
  });

  it('restores filters, page and an open call from the address', async () => {
    const { page, service, url } = await openPage({
      hash: '#/calls/default?status=ended&type=video&page=2',
    });
    const pagerText = () => page.locator('.pager span').textContent();
    const { pagination } = (await service.get('/v3/calls?status=ended&type=video', key)).body.meta;
    const second = `Page 2 of ${pagination.total_pages}, ${pagination.total} calls`;
    await expect.poll(pagerText).toBe(second);
    await expect.poll(() => page.locator('.filters [name=type]').inputValue()).toBe('video');
    await page.reload();
    await expect.poll(pagerText).toBe(second);
    await page.locator('.calls tbody a').first().click();
    const record = page.getByRole('dialog', { name: 'Call details' });
    await record.waitFor();
    await page.reload();
    await record.waitFor();
    await page.goBack();
    await record.waitFor({ state: 'hidden' });
    await expect.poll(pagerText).toBe(second);
    await page.goForward();
    await record.waitFor();
    expect(page.url()).toContain(`${url}/#/calls/default/`);
  });

  it('accepts days in a link and turns them into the filters of the API', async () => {
    const { page, url } = await openPage({
      hash: '#/calls/default?from=2026-09-01&to=2026-09-30T12:00&page=1',
    });
    await expect
      .poll(() => page.getByLabel('from', { exact: true }).first().inputValue())
      .toBe('2026-09-01T00:00');
    await expect
      .poll(() => page.getByLabel('to', { exact: true }).first().inputValue())
      .toBe('2026-09-30T12:00');
    const query = new URLSearchParams(new URL(page.url()).hash.split('?')[1]);
    expect([...query.keys()].sort()).toEqual(['initiatedAt[gte]', 'initiatedAt[lte]', 'page']);
    await page.goto(`${url}/#/calls/default`);
    await page.getByText('Page 1 of').waitFor();
  });

  it('says that a linked call does not exist', async () => {
    const { page } = await openPage({
      hash: '#/calls/default/unknown',
      expected: [/status of 404/],
    });
    await page
      .getByRole('dialog', { name: 'Call details' })
      .getByText('No call has this session id.')
      .waitFor();
  });
});
