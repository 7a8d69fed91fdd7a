/** What the service itself says to a person in a chat, in the language of the question. `{namespace}`, `{topics}`, `{numbers}` are filled in. */
import type { Language } from '../language/languages.ts';
import type { MessageLanguage } from '../language/small-talk.ts';
import data from './messages.json' with { type: 'json' };

type Message = keyof (typeof data)['en'];

/** Does not compile where a language lacks a message. */
const messages: Readonly<Record<MessageLanguage, Readonly<Record<Message, string>>>> = data;

/** English where the language has no messages. */
export const say = (message: Message, language: Language, values: Readonly<Record<string, string>>): string =>
  messages[language === 'other' ? 'en' : language][message].replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
