import { checkReply } from '@knowledge-agent/grounding';

const passages = [{ title: 'Refunds', text: 'Approved refunds take 5 to 10 business days. Gift cards are not refunded.' }];
const { text, sentences } = checkReply('Refunds take 5 to 10 business days. Gift cards are refunded too.', passages);
process.stdout.write(`${text}\n`);
for (const { text: removed, reason } of sentences.filter(({ supported }) => !supported)) process.stdout.write(`${reason}: ${removed}\n`);
