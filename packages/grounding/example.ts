import { checkReply } from '@knowledge-agent/grounding';

const passages = [
  {
    title: 'Refunds',
    text: 'Approved refunds take 5 to 10 business days. Gift cards are not refunded.',
  },
];
const { text, sentences } = checkReply(
  'Refunds take 5 to 10 business days. Refunds take 5 weeks. Gift cards are free of charge.',
  passages,
);
for (const { supported, reason = 'supported', text: sentence } of sentences)
  console.log(supported, reason, sentence);
console.log(text);
