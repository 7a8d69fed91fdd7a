import { expect, it } from 'vitest';
import { describePage } from '../../support/browser.ts';
import { openPage } from '../../support/page.ts';

describePage('Status', () => {
  it('names the setting and the origin of each value, and ticks the steps that are done', async () => {
    const { page, service, find, see, text, look } = await openPage({
      hash: '#/status/default',
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
    for (const part of [body.version, 'No model (quotes only)', 'off'])
      expect(await find('.state').innerText()).toContain(part);
    const done = find('.checklist li').filter({ has: page.getByRole('img', { name: 'Done' }) });
    await expect.poll(() => done.count()).toBe(3);
    const steps = (name: string) => page.getByRole('list', { name, exact: true });
    for (const [list, order] of [
      ['Must', 'Require a key'],
      ['May', 'Name the mentions of your chat'],
    ] as const)
      await see(order, steps(list));
    await see('Set API_KEYS, or ALLOW_ANONYMOUS=read with', steps('Must'));
    await look('status', { inReadme: 'state' });
    await service.generate({
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

  it('shows what the server holds once it can be reached', async () => {
    const { page, see } = await openPage({ expected: [/Failed to load resource/] });
    await page.route('**/api/state', (route) => route.abort());
    await page.reload();
    await see('The server cannot be reached.');
    await page.unroute('**/api/state');
    await see('Answers come only from this document');
  });

  it('begins all titles at the same edge, moves no tab, shows all tabs on a phone and opens its former address', async () => {
    const { page, find, go, see, ask } = await openPage({ hash: '#/state' });
    await see('Attach to a chat platform');
    const tabs = ['Ask', 'Documents', 'Gaps', 'Calls', 'Status'];
    const edges = (selector: string) =>
      find(selector).evaluateAll((all) =>
        all.map((one: any) => {
          const { left, right } = one.getBoundingClientRect();
          return [Math.round(left), Math.round(right)];
        }),
      );
    const before = await edges('nav a');
    const titles = new Set<number | undefined>();
    const title = 'main :is(h1:not(.hidden), .ask h2)';
    for (const tab of tabs) {
      await go(`#/${tab.toLowerCase()}`);
      await find('nav a[aria-current]').filter({ hasText: tab }).waitFor();
      await find(title).first().waitFor();
      expect(await edges('nav a')).toEqual(before);
      titles.add((await edges(title))[0]?.[0]);
    }
    await go('#/ask');
    await ask('Within how many days are refunds paid?');
    titles.add((await edges(title))[0]?.[0]);
    expect([...titles]).toEqual([20]);
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 800 });
      const places = await edges('nav a');
      expect(places).toHaveLength(tabs.length);
      expect(places.flat().every((x) => (x ?? -1) >= 0 && (x ?? width) <= width)).toBe(true);
    }
  });
});
