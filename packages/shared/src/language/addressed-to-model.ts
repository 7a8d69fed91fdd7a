/**
 * Detects prompt injections in documents: sentences addressed to the model, forged conversation
 * turns, demands to leak secrets. Answers never quote such sentences. Model replies are checked in
 * addition.
 */

import { pattern } from './pattern.ts';

const patterns: readonly RegExp[] = [
  new RegExp(
    pattern`
      \b(?:ignore|disregard|forget|override|bypass)\b.{0,24}
        \b(?:previous|prior|above|earlier|preceding|your|system)\b.{0,24}
        \b(?:instructions?|prompts?|rules?|guidelines?|context)\b
    `,
    'i',
  ),
  new RegExp(
    pattern`
      \b(?:ignore|disregard|forget)\s+(?:(?:all|any|every|the)\s*)?(?:of\s+)?(?:the\s+|these\s+)?
        (?:instructions\b|(?:above|before|previous)[.,;:!]|everything\s+(?:above|before))
    `,
    'i',
  ),
  new RegExp(
    pattern`
      \b(?:reveal|print|repeat|output|show|leak|send|forward|email|post)\b.{0,60}
        \b(?:system prompt|your (?:instructions|prompt)|conversation history|chat history)\b
    `,
    'i',
  ),
  new RegExp(
    pattern`
      \byou are now\b.{0,40}\b(?:assistant|chatbot|bot|ai|model|pirate|hacker|unrestricted|
        (?:developer|debug|admin|god) mode)\b|
      \bpretend (?:to be|you are)\b
    `,
    'i',
  ),
  new RegExp(
    pattern`
      \b(?:chatbot|language model|llm|ai (?:model|assistant)|the (?:ai|bot|model))\b.{0,30}
        \b(?:must|should|shall|has to|is to)\b.{0,40}
        \b(?:answer|reply|respond|say|tell|cite|recommend|refuse|claim|link|state|output)\b
    `,
    'i',
  ),
  /\bnew instructions?\s*:|\bend of (?:passage|document|context|instructions)\b|\bsystem (?:override|message|note)\s*:/i,
  /^\W{0,4}(?:SYSTEM|ASSISTANT|DEVELOPER|USER)\s*:\s*\S/,
  /\bas an? (?:ai |large )?(?:assistant|language model|chatbot)\b.{0,12}\b(?:i|you)\b/i,
  /\bcall (?:the )?(?:tool\b|function\b|ingestSources|searchDocs|docsRetriever|listCalls|summarizeCalls)/i,
  /^\W{0,4}(?:system|assistant|developer)\s*:\s*(?:you|ignore|disregard|always|never|from now|new|do not|please|sure|the user|important)\b/i,
  /<\|[a-z_]{2,20}\|>|\[\/?(?:INST|SYS)\]|<<\/?SYS>>|<\/?(?:system|assistant|user|instructions?|prompt)>/i,
  /\b(?:ignoriere|vergiss|missachte)\b.{0,40}\b(?:anweisung\w*|regeln|vorherig\w*|obig\w*)\b/i,
  /\b(?:ignore[zr]?|oublie[zr]?)\b.{0,40}\b(?:instructions?|consignes?|règles)\b.{0,30}\b(?:précédentes?|ci-dessus)\b/i,
  /\b(?:ignora|olvida|ignore)\b.{0,40}\b(?:instrucciones|reglas|instruções|istruzioni)\b/i,
  /(?:これまで|以前|上記)の(?:指示|命令)を(?:無視|忘れ)|忽略(?:以上|之前|上面)?.{0,6}(?:指令|指示|说明)|(?:이전|위의?)\s?(?:지시|명령).{0,4}무시/u,
];

const maxExaminedChars = 2_000;

/** @param sentence of a document or a reply, without invisible characters */
export const isAddressedToModel = (sentence: string): boolean => {
  const examined = sentence.slice(0, maxExaminedChars);
  return patterns.some((pattern) => pattern.test(examined));
};

const promptRequest = new RegExp(
  pattern`
      ^\W*(?:please\s+|can you\s+|could you\s+)?(?:print|show|reveal|repeat|output|tell|give|
        display|what(?:'s| is| are| were))\s+(?:me\s+|us\s+)?(?:your|the)\s+(?:\w+\s+)?
        (?:system prompt|instructions|initial prompt|prompt)\W*$
    `,
  'i',
);

/** Whether a question asks for the system prompt. */
export const asksForInstructions = (question: string): boolean =>
  promptRequest.test(question.slice(0, maxExaminedChars));
