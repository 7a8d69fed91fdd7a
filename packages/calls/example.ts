import { createCallsClient } from '@knowledge-agent/calls';

const calls = createCallsClient({
  appId: '24a1b2c3',
  region: 'us',
  apiKey: process.env.CALLS_API_KEY ?? '',
});
const { data } = await calls.list({
  statuses: ['ended', 'unanswered'],
  startedAt: { gte: 1692316800 },
  perPage: 2,
});
for (const { sessionId, status } of data) console.log(sessionId, status);
