import { createKnowledgeClient } from '@knowledge-agent/client';

const client = createKnowledgeClient({
  url: process.env['KNOWLEDGE_URL'] ?? 'http://127.0.0.1:4111',
});
await client.ingest([
  { text: 'Refunds are paid within 30 days of purchase.', title: 'Refund FAQ' },
]);
const { text, citations } = await client.ask('How long do refunds take?');
process.stdout.write(`${text}\n${citations[0]?.quote}\n`);
