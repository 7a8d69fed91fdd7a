import { expect, it } from 'vitest';
import { describePage } from '../../support/browser.ts';
import { openPage } from '../../support/page.ts';

const rows = '.calls .scroller[aria-label=Calls] tbody tr';

describePage('Calls', () => {
  it('lists, filters and pages calls with totals and minutes by day, and opens one record', async () => {
    const { page, service, find, see, press, follow, count, texts, text, look } = await openPage({
      hash: '#/calls/default',
    });
    const listed = async (query: string) =>
      (await service.get(`/v3/calls?${query}`, { apikey: 'any' })).body;
    await count(rows).toBe(30);
    const all = (await listed('')).meta.pagination.total;
    await see(`Page 1 of ${Math.ceil(all / 30)}, ${all} calls`);
    await count('[aria-label^="Minutes by"] tbody tr').toBeGreaterThan(10);
    await find('summary')
      .filter({ hasText: /^Filters/ })
      .click();
    await look('calls-totals', { inReadme: 'calls' });
    // The change of width may close the filters a moment later.
    await expect
      .poll(async () => {
        if (!(await find('.filters').isVisible()))
          await find('summary')
            .filter({ hasText: /^Filters/ })
            .click();
        return find('.filters').isVisible();
      })
      .toBe(true);
    await find('.filters [name=type]').selectOption('video');
    await page.getByLabel('ended', { exact: true }).check();
    await press('Apply filters');
    const { pagination } = (await listed('type=video&statuses=ended')).meta;
    const { total } = pagination;
    await see(`Page 1 of ${Math.ceil(total / 30)}, ${total} calls`);
    expect(total).toBeLessThan(all);
    expect(new Set(await find(`${rows} td:nth-child(2)`).allTextContents())).toEqual(
      new Set(['video']),
    );

    await follow('Older');
    const second = `Page 2 of ${pagination.total_pages}, ${total} calls`;
    await see(second);
    await page.reload();
    await text('.pager span').toBe(second);
    await expect.poll(() => find('.filters [name=type]').inputValue()).toBe('video');
    const [{ sessionId }] = (await listed('type=video&statuses=ended&page=2')).data;
    await find(`${rows} a`).first().click();
    const record = page.getByRole('dialog', { name: 'Call details' });
    await see(sessionId, record);
    await texts('.record h3').toEqual(['Participants', 'Call', 'Times', 'IDs']);
    await look('calls-record');
    await page.reload();
    await record.waitFor();
    await page.goBack();
    await record.waitFor({ state: 'hidden' });
    await text('.pager span').toBe(second);
    await page.goForward();
    await record.waitFor();
    await page.keyboard.press('Escape');
    await record.waitFor({ state: 'hidden' });
    await press('Clear filters');
    await see(`, ${all} calls`);
    await texts('.filters [name=type] option:checked').not.toContain('video');
  });

  it('says that its calls are a sample, writes each value in one way and folds the filters on a phone', async () => {
    const { page, service, go, find, see, text, texts, count } = await openPage({
      hash: '#/calls/default?type=audio&statuses=canceled',
      width: 390,
    });
    await see('These calls are a sample that comes with the server.');
    expect(await find('.filters').isVisible()).toBe(false);
    await text('.calls summary').toBe('Filters · Type = voice · Status = cancelled');
    const { data } = (
      await service.get('/v3/calls?type=audio&statuses=canceled&perPage=100', { apikey: 'any' })
    ).body;
    const statuses = data.map(({ status }: { status: string }) => status);
    expect(new Set(statuses)).toEqual(new Set(['cancelled', 'canceled']));
    await count(rows).toBe(data.length);
    await find('.calls summary').first().click();
    await expect.poll(() => find('.filters [name=type]').inputValue()).toBe('voice');
    await texts(`${rows} td:nth-child(3)`).toEqual(statuses.map(() => 'cancelled'));
    expect(new Set(await find(`${rows} td:nth-child(2)`).allTextContents())).toEqual(
      new Set(['voice']),
    );
    await go(`#/calls/default/${data[0].sessionId}`);
    const record = page.getByRole('dialog', { name: 'Call details' });
    await see('Total voice minutes', record);
    expect(await record.innerText()).not.toMatch(/audio|canceled/i);
  });

  it('shows why nothing is shown, and turns days in a link into the filters of the API', async () => {
    const { page, go, see, look, find, expectError } = await openPage({
      hash: '#/calls/default?from=2026-09-01&to=2026-09-30T12:00&page=1',
    });
    for (const [label, value] of [
      ['from', '2026-09-01T00:00'],
      ['to', '2026-09-30T12:00'],
    ] as const)
      await expect
        .poll(() => page.getByLabel(label, { exact: true }).first().inputValue())
        .toBe(value);
    const query = new URLSearchParams(new URL(page.url()).hash.split('?')[1]);
    expect([...query.keys()].sort()).toEqual(['initiatedAt[gte]', 'initiatedAt[lte]', 'page']);
    await go('#/calls/default?uid=unknown.user');
    await see('No calls match these filters');
    await look('calls-none');
    await go('#/calls/default?onBehalfOf=用户');
    await see('onBehalfOf can contain only Latin characters.', find('[role=alert]'));
    expectError(/status of 40[04]/);
    await go('#/calls/default?mode=carrier-pigeon');
    await see('mode', find('[role=alert]'));
    await go('#/calls/default/unknown');
    await see('No call has this session id.', page.getByRole('dialog', { name: 'Call details' }));
  });
});
