import { describe, expect, it } from 'vitest';
import { taskReplyOf } from '../../../../../src/http/agents/dialects/task-prompts.ts';

const history =
  '### Chat History:\n<chat_history>\nUSER: @agent how long do refunds take, please?\nASSISTANT: 30 days.\n</chat_history>';
const reply = (content: string, earlier = '') =>
  taskReplyOf([
    ...(earlier ? [{ role: 'user', content: earlier } as const] : []),
    { role: 'user', content },
  ]);

describe('taskReplyOf', () => {
  it.each([
    [
      `### Task:\nGenerate a concise, 3-5 word title with an emoji.\n### Output:\nJSON format: { "title": "your concise title here" }\n${history}`,
      { title: 'how long do refunds take, please' },
    ],
    [
      '### Task:\nGenerate 1-3 broad tags for the chat history.\nJSON format: { "tags": ["tag1"] }',
      { tags: ['General'] },
    ],
    [
      '### Task:\nSuggest 3-5 relevant follow-up questions.\nJSON format: { "follow_ups": ["Question 1?"] }',
      { follow_ups: [] },
    ],
    [
      '### Task:\nAnalyze the chat history to determine the necessity of generating search queries.\n{ "queries": ["q"] }',
      { queries: [] },
    ],
    ['### Task:\nYou are an autocompletion system.\n<text>how lo</text>', { text: '' }],
  ])('returns the JSON that the prompt requires: %#', (prompt, wanted) =>
    expect(JSON.parse(reply(prompt) ?? '')).toEqual(wanted),
  );

  it.each([
    'Provide a concise, 5-word-or-less title for the conversation.\n\nConversation:\nUser: how long do refunds take?\nAI: 30 days.',
    '||>User:\n"how long do refunds take?"\n||>Response:\n"30 days."',
    'Please generate a four to five word title summarizing our conversation without any lead-in.',
    'user: how long do refunds take?\nassistant: 30 days.\n\nPlease summarize the above conversation into a title of 10 words or less, without punctuation',
  ])('makes a title from the first question: %#', (prompt) =>
    expect(reply(prompt, 'how long do refunds take?')).toMatch(
      /^how long do refunds take$|^Conversation$/,
    ),
  );
});

it.each([
  '### Task:\nRespond to the user query using the provided context, incorporating inline citations.\n<context>x</context>\nhow long do refunds take?',
  '### Task: how do I generate a title?',
  'Generate a concise title for my invoice',
  'what does "### Task: Generate a concise, 3-5 word title" with "title": mean?',
  'How do I summarize the above conversation into a title?',
  '',
])('taskReplyOf does not match the question %j', (question) =>
  expect(reply(question)).toBeUndefined(),
);
