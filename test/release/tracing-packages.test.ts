/** Checks in a separate process that OpenTelemetry's SDK is loaded only if a collector is set. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/workspace.ts';

const script = `
  import module from 'node:module';
  const { Context } = await import('./src/context.ts');
  const { parseConfig } = await import('./src/config.ts');
  const { createApp } = await import('./src/http/app.ts');
  const config = parseConfig(process.env);
  const parts = new Context(config);
  await parts.open();
  await createApp(config, parts.api, parts.logger).request('/health');
  console.log(JSON.stringify(Object.keys(module._cache).filter((path) => /@opentelemetry.(?!api.)/.test(path))));
  process.exit(0);
`;

async function loadedWith(settings: Record<string, string>): Promise<string[]> {
  const folder = await temporaryFolder();
  const env = {
    PATH: process.env['PATH'],
    KNOWLEDGE_DIR: folder,
    INDEX_DIR: folder,
    LOG_LEVEL: 'silent',
    ...settings,
  };
  const cwd = fileURLToPath(new URL('../../', import.meta.url));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', script],
    { cwd, env },
  );
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

it('loads no SDK module without OTEL_EXPORTER_OTLP_ENDPOINT', async () => {
  expect(await loadedWith({})).toEqual([]);
  expect(
    (await loadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })).length,
  ).toBeGreaterThan(10);
});
