import { createConverter } from '@knowledge-agent/converters';

const page = Buffer.from('<h1>Refunds</h1><p>Refunds are paid within <b>30 days</b>.</p>');
const { title, markdown } = await createConverter({ timeoutMs: 10_000 }).convert(page, {
  contentType: 'text/html',
});
process.stdout.write(`${title}\n---\n${markdown}\n`);
