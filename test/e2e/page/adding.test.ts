import { expect, it } from 'vitest';
import { describePage } from '../../support/browser.ts';
import { actOn, openPage, refunds } from '../../support/page.ts';
import { send, startUpstream } from '../../support/upstream.ts';

const hash = '#/documents/default';
const list = '/api/namespaces/default/documents';

async function startSite() {
  let released = Promise.resolve();
  const site = {
    status: 200,
    url: '',
    release: (): void => undefined,
    /** Responses wait for `release`. */
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      released = promise;
      site.release = resolve;
    },
  };
  const { baseUrl } = await startUpstream(async (_, response) => {
    await released;
    const body =
      '<title>Offers</title><main><h1>Offers</h1><p>Offers end in May of next year.</p></main>';
    send(response, site.status, body, { 'content-type': 'text/html' });
  });
  site.url = `${baseUrl}/offers`;
  return { site, settings: { ALLOWED_URL_HOSTS: new URL(baseUrl).host } };
}

describePage('Adding documents', () => {
  it('adds a URL, lists why it failed, retries it, shows the running job after a reload and in other tabs, and then its history', async () => {
    const { site, settings } = await startSite();
    site.status = 500;
    const { page, context, service, base, go, find, see, press, fill, text, look } = await openPage(
      { hash, settings, files: {} },
    );
    await press('Add URL or text');
    await fill('URLs, one per line', site.url);
    await look('documents-add-address');
    await press('Add');
    await see('1 source: 1 failed', find('.work'));
    await text('.work li').toMatch(/failed.*500/);
    await press(/^Close: /, find('.work'));
    await go(`${hash}?state=failed`);
    await page.reload();
    await see(site.url, page.getByRole('list', { name: 'Failed sources' }));
    await text(page.getByRole('link', { name: 'Failed' })).toMatch(/1/);
    await look('documents-failed-state');
    site.status = 200;
    site.hold();
    await press(`Retry: ${site.url}`);
    const job = '.work li';
    await see(site.url, find(job));
    await page.reload();
    await see(site.url, find(job));
    const tab = actOn(await context.newPage());
    await tab.page.goto(`${base}/${hash}`);
    await tab.see(site.url, tab.find(job));
    await page.bringToFront();
    site.release();
    await see('No failed sources');
    for (const one of [{ find, see }, tab]) await one.see('1 source: 1 added', one.find('.work'));
    await service.generate({
      messages: '@agent When do offers end?',
    });
    await go(hash);
    await find('.documents a').click();
    await find('.history summary').click();
    const history = page.getByRole('region', { name: 'History' });
    await see('added', history);
    await see('When do offers end?', history);
    await look('documents-history');
  });

  it('adds the valid lines of a list of URLs, names the others, and offers no retry that would fail again', async () => {
    const { site, settings } = await startSite();
    const { page, go, find, see, press, fill, look, count } = await openPage({
      hash,
      settings,
      files: {},
    });
    await press('Add URL or text');
    const lines = [site.url, '', 'help.example.com', 'http://127.0.0.1:9/a', 'https://a b'];
    await fill('URLs, one per line', lines.join('\n'));
    await press('Add');
    await expect
      .poll(async () => (await find('.add .error').innerText()).split('\n'))
      .toEqual([
        'Line 3: must begin with https:// or http:// (help.example.com)',
        'Line 5: is not one valid URL (https://a b)',
        'Added: 2 other lines.',
      ]);
    expect(await page.getByLabel('URLs, one per line').inputValue()).toBe(
      'help.example.com\nhttps://a b',
    );
    await look('documents-add-faulty');
    await press('Close');
    await see('2 sources: 1 added, 1 failed', find('.work'));
    await see(
      'List 127.0.0.1:9, and all other hosts to read, in ALLOWED_URL_HOSTS and restart the server.',
      find('.work'),
    );
    const retries = page.getByRole('button', { name: /^Retry/ });
    expect(await retries.count()).toBe(0);
    await go(`${hash}?state=failed`);
    await page.reload();
    await count('[aria-label="Failed sources"] li').toBe(1);
    expect(await retries.count()).toBe(0);
    const failed = [
      'answered with status 403.',
      'could not be fetched: its certificate is not valid.',
      'answered with status 429, and asks to retry after 60 seconds.',
      'answered with status 500.',
    ].map((reason, at) => ({
      source: `https://example.com/${at}`,
      kind: 'url',
      status: 'failed',
      error: { code: 'fetch_failed', message: `The source ${reason}` },
    }));
    await page.route('**/jobs', async (route) => {
      const { jobs, ...others } = await (await route.fetch()).json();
      await route.fulfill({ json: { ...others, jobs: [{ ...jobs[0], results: failed }] } });
    });
    await page.reload();
    await count('[aria-label="Failed sources"] li').toBe(4);
    expect(await retries.evaluateAll((all) => all.map((one) => one.ariaLabel))).toEqual([
      'Retry: https://example.com/2',
      'Retry: https://example.com/3',
    ]);
  });

  it('adds a text with author and review date, shows its job in its namespace with a link from others, and deletes a namespace only after its name is typed', async () => {
    const offers =
      '---\ntitle: Offers\nsource: https://example.com/offers\nkind: url\n---\n\nOffers end in May.\n';
    const { page, service, go, see, press, fill, look, follow, focus, expectError } =
      await openPage({
        hash,
        files: { ...refunds, 'hr/a.md': '# A\n\nText.\n', 'hr/offers-0123456789ab.md': offers },
      });
    await see(/^1 document$/);
    const refresh = page.getByRole('button', { name: 'Refresh all' });
    // No source can be read again.
    expect(await refresh.count()).toBe(0);
    await press('Add URL or text');
    await press('Text');
    await page.getByLabel('Title', { exact: true }).fill('Lost keys');
    await fill('Text or Markdown', 'Lost keys are kept at the **reception**.');
    await fill('Author', 'Ann');
    await fill('Review by', '2099-05-01');
    await look('documents-add-text');
    await press('Add');
    const job = page.getByRole('region', { name: 'Lost keys' });
    await job.waitFor();
    await go('#/documents/hr');
    await job.waitFor({ state: 'detached' });
    await refresh.waitFor();
    await follow('default', page.getByText('Tasks in other namespaces'));
    await press('Close: Lost keys', job);
    await job.waitFor({ state: 'detached' });
    await focus().toBe('Documents in default');
    const [stored] = (await service.get(`${list}?query=lost`)).body.documents;
    expect(stored).toMatchObject({ title: 'Lost keys', author: 'Ann', reviewBy: '2099-05-01' });

    expectError(/status of 404/);
    await go('#/documents/hr');
    await press('Delete namespace …');
    const button = page
      .getByRole('dialog', { name: 'Confirm' })
      .getByRole('button', { name: 'Delete namespace' });
    expect(await button.isDisabled()).toBe(true);
    await fill(/Type hr to confirm/, 'hr');
    await look('documents-delete-namespace');
    await button.click();
    await see('hr was deleted.');
    await focus().toBe('Documents in hr');
    const { body } = await service.get('/api/namespaces');
    expect(body.namespaces).toEqual([expect.objectContaining({ name: 'default' })]);
  });

  it('offers a retry after a wait that is a date, and for files and jobs whose key expired', async () => {
    const { site, settings } = await startSite();
    const { page, find, see, press, fill, count, enterKey } = await openPage({
      hash,
      settings: { ...settings, API_KEYS: 'old-key,new-key' },
      expected: [/status of 4(?:01|29)/],
    });
    let sent = 0;
    const refuse = (pattern: string, status: number) =>
      page.route(pattern, (route) => {
        const request = route.request();
        if (status === 401 && request.headers()['authorization'] !== 'Bearer old-key')
          return route.continue();
        if (request.method() === 'POST') sent++;
        const headers = { 'retry-after': 'Wed, 21 Oct 2099 07:28:00 GMT' };
        return route.fulfill({ status, headers, json: { error: 'Not now.', code: 'refused' } });
      });
    const upload = async (...names: readonly string[]) => {
      const buffer = Buffer.from('Text.');
      const files = names.map((name) => ({ name, mimeType: 'text/markdown', buffer }));
      await page.getByLabel('Upload files').first().setInputFiles(files);
    };
    await enterKey('old-key');
    await see(/^1 document$/);
    await refuse(`**${list}`, 429);
    await upload('a.md');
    await page.getByRole('button', { name: 'Retry: a.md' }).waitFor();
    expect(sent).toBe(1);
    await page.unroute(`**${list}`);

    site.hold();
    await press('Add URL or text');
    await fill('URLs, one per line', site.url);
    await refuse('**/events', 401);
    await press('Add');
    await enterKey('new-key');
    await see('Job of', find('.work h2'));
    site.release();
    await see('1 source: 1 added', find('.work'));

    await page.reload();
    await enterKey('old-key');
    await see(/^2 documents$/);
    await refuse('**/api/**', 401);
    await upload('b.md', 'c.md', 'd.md', 'e.md', 'f.md');
    await enterKey('new-key');
    await press('Retry 5 failed');
    await see(/5 added/, find('.work'));
    await count('.work').toBe(1);
    // Three files were being sent when the key expired.
    expect(sent).toBe(4);
  });
});
