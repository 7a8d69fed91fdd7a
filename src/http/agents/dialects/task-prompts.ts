/**
 * Task prompts that chat interfaces send: titles, tags, follow-ups, search queries and completions.
 * They are not questions. Each is recognized by its start and its required output. Users' questions
 * do not match, and neither do templates that wrap a question with context.
 */
import type { ChatMessage } from '../../../records/conversations.ts';

type TaskPrompt = Readonly<{
  begins: RegExp;
  holds?: RegExp;
  /** Default: the title, the first words of the conversation. */
  reply?: (title: string) => string;
}>;

const json = (content: object) => JSON.stringify(content);

/** Templates of Open WebUI, LibreChat, LobeChat, NextChat and Chatbox. */
const taskPrompts: readonly TaskPrompt[] = [
  {
    begins: /^### Task:\s+Generate a concise,[^\n]{0,40} title\b/,
    holds: /"title"\s*:/,
    reply: (title) => json({ title }),
  },
  {
    begins: /^### Task:\s+Generate [^\n]{0,20}broad tags\b/,
    holds: /"tags"\s*:/,
    reply: () => json({ tags: ['General'] }),
  },
  {
    begins: /^### Task:\s+Suggest [^\n]{0,20}follow-up\b/,
    holds: /"follow_ups"\s*:/,
    reply: () => json({ follow_ups: [] }),
  },
  {
    begins:
      /^### Task:\s+Analyze the chat history to determine the necessity of generating search queries\b/,
    holds: /"queries"\s*:/,
    reply: () => json({ queries: [] }),
  },
  {
    begins: /^### Task:\s+You are an autocompletion system\b/,
    holds: /<text>/,
    reply: () => json({ text: '' }),
  },
  {
    begins: /^### Task:\s+Generate a detailed prompt for an? image generation task\b/,
    holds: /"prompt"\s*:/,
    reply: (title) => json({ prompt: title }),
  },
  {
    begins:
      /^Your task is to reflect the speaker's likely facial expression through a fitting emoji\./,
    reply: () => '💬',
  },
  { begins: /^\|\|>User:\s*\n/, holds: /\n\|\|>Response:/ },
  {
    begins:
      /^(?:Please generate|Provide) a concise, 5-word-or-less title for (?:the|this) conversation\b/,
  },
  {
    begins:
      /^Analyze this conversation and provide:\s+1\. The detected language of the conversation\s+2\. A concise title\b/,
  },
  {
    begins: /^Please generate a four to five word title summarizing our conversation\b/,
  },
  {
    begins: /^Based on the chat history, give this conversation a name\.\s+Keep it short\b/,
    holds: /Just provide the name\b/,
  },
  {
    begins: /^(?:user|assistant): /,
    holds:
      /\n[ \t]{0,8}Please summarize the above conversation into a title (?:of|within) [^\n]{1,60}$/,
  },
];

const maxTitleWords = 6;
const maxTitleChars = 60;
/** Start of the conversation in a template, and its first user message. */
const embedded = /<chat_history>|Conversation:\s*\n|Here's the conversation:|^/g;
const firstUserMessage = /(?:^|\n)[ \t`]*(?:\|\|>)?user:\s*"?([^\n"]{1,500})/i;

function titleOf(prompt: string, earlier: readonly ChatMessage[]) {
  const at = [...prompt.matchAll(embedded)].at(-1)?.index ?? 0;
  const asked =
    firstUserMessage.exec(prompt.slice(at))?.[1] ??
    earlier.find(({ role }) => role === 'user')?.content ??
    '';
  const words =
    asked.replace(/[@＠][\p{L}\p{N}_-]+/gu, ' ').match(/[\p{L}\p{M}\p{N}][^\s"`<>{}[\]]*/gu) ?? [];
  const title = words
    .slice(0, maxTitleWords)
    .join(' ')
    .slice(0, maxTitleChars)
    .toWellFormed()
    .replace(/[\s.,:;!?]+$/u, '');
  return title === '' ? 'Conversation' : title;
}

/** @returns the reply to a task prompt; undefined for a question */
export function taskReplyOf(messages: readonly ChatMessage[]): string | undefined {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const prompt = messages[at]?.content.trim() ?? '';
  const task = taskPrompts.find(
    ({ begins, holds }) => begins.test(prompt) && (holds?.test(prompt) ?? true),
  );
  if (!task) return undefined;
  const title = titleOf(prompt, messages.slice(0, at));
  return task.reply ? task.reply(title) : title;
}
