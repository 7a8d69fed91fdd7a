/**
 * Detects prompt injections in documents: sentences addressed to the model, forged conversation
 * turns, demands to leak secrets. Answers never quote such sentences. Model replies are checked in
 * addition.
 */

import { pattern } from './pattern.ts';

/** What models are called, in eleven languages; not `agent` or `assistant`, which are people too. */
const model = pattern`
  (?:(?<![\p{L}\p{N}])(?:chatbots?|llms?|(?:large )?language models?|ai (?:models?|assistants?|agents?)|
    (?:ki|ai)[- ](?:assistent|modell?|chatbot)\p{L}*|sprachmodell\p{L}*|taalmodel\p{L}*|
    (?:assistante?|asistente|agente?|modèle|modelo|modello) (?:d['’]|d[ei] )?(?:ia|ai|inteligencia artificial)|
    modèles? de langage|modelos? de (?:lenguaje|linguagem)|modell[oi] linguistic[oi]|
    языков\p{L}+ модел\p{L}+|нейросет\p{L}+|чат-?бот\p{L}*|ии-?ассистент\p{L}*)(?![\p{L}\p{N}])|
    チャットボット|言語モデル|(?:语言|語言)模型|聊天机器人|AI\s?(?:アシスタント|助手|비서|모델)|챗봇|언어\s?모델)
`;
const must = pattern`
  (?:(?<!\p{L})(?:must|should|shall|has to|have to|(?:is|are) to|muss|musst|müssen|sollen?|sollst|doit|doivent|
    devez|dois|deben?|debes|deves?|devem|devi|devono|moet|moeten|должн\p{L}+|обязан\p{L}*)(?!\p{L})|
    なければ|べき|ください|必须|必須|应该|应当|해야|하세요|하십시오)
`;
const say = pattern`
  (?:(?<!\p{L})(?:answer|reply|respond|say|tell|cite|recommend|refuse|claim|link|state|output|sag|antwort|
    erwähn|empf[ei]hl|behaupt|dire|dites?|répon|recommand|mentionn|affirm|decir|digas?|respon[dt]|recom[ei]|
    mencion|rispon|raccomand|menzion|dizer|zeg|vermeld|aanbev|сказа|говор|отве[тч]|рекоменд|утвержд)|
    答え|回答|言[うい]|伝え|推奨|告诉|推荐|답|말하|알려|추천)
`;
const patterns: readonly RegExp[] = [
  new RegExp(`${model}.{0,60}${must}.{0,60}${say}|${model}.{0,60}${say}.{0,30}${must}`, 'iu'),
  new RegExp(
    pattern`
      (?:\b(?:dear|attention|hey|hello|notes? (?:to|for)|instructions? (?:to|for))\s+(?:all\s|any\s|the\s)?${model}|
        ${model}\s(?:that\s|who\s)?(?:read|reads|reading|process|processing|summari[sz]ing)\s(?:this|these)\b)
    `,
    'iu',
  ),
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
        \b(?:system prompt|your (?:(?:system|initial|hidden) instructions|prompt))\b|
      \b(?:reveal|repeat|output|leak)\b.{0,40}\byour instructions\b|
      \b(?:reveal|leak|send|forward|email|post)\b.{0,40}\b(?:conversation|chat) history\b.{0,30}
        (?:https?:|[\w.]@\w)
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
  new RegExp(`\\bthe (?:ai|bot|model)\\b.{0,30}${must}.{0,40}${say}`, 'iu'),
  /\bnew instructions?\s*:|\bend of (?:passage|document|context|instructions)\b|\bsystem (?:override|message|note)\s*:/i,
  /^\W{0,4}(?:SYSTEM|ASSISTANT|DEVELOPER|USER)\s*:\s*\S/,
  /\bas an? (?:ai |large )?(?:assistant|language model|chatbot)\b.{0,12}\b(?:i|you)\b/i,
  /\bcall (?:the )?(?:tool (?:named )?)?(?:ingestSources|searchDocs|docsRetriever|listCalls|summarizeCalls)/i,
  /^\W{0,4}(?:system|assistant|developer)\s*:\s*(?:you|ignore|disregard|always|never|from now|new|do not|please|sure|the user|important)\b/i,
  /<\|[a-z_]{2,20}\|>|\[\/?(?:INST|SYS)\]|<<\/?SYS>>|<\/?(?:system|assistant|user|instructions?|prompt)>/i,
  /\b(?:ignoriere|vergiss|missachte)\b.{0,40}\b(?:anweisung\w*|regeln|vorherig\w*|obig\w*)\b/i,
  /\b(?:ignore[zr]?|oublie[zr]?)\b.{0,40}\b(?:instructions?|consignes?|règles)\b.{0,30}\b(?:précédentes?|ci-dessus)\b/i,
  /\b(?:ignora|olvida|ignore)\b.{0,40}\b(?:instrucciones|reglas|instruções|istruzioni)\b/i,
  /(?:これまで|以前|上記)の(?:指示|命令)を(?:無視|忘れ)|忽略(?:以上|之前|上面)?.{0,6}(?:指令|指示|说明)|(?:이전|위의?)\s?(?:지시|명령).{0,4}무시/u,
];

const maxExaminedChars = 2_000;

/** @param sentence of a document or a reply, without invisible characters */
export const isAddressedToModel = (sentence: string) => {
  const examined = sentence.slice(0, maxExaminedChars);
  return patterns.some((pattern) => pattern.test(examined));
};

const promptRequest = new RegExp(
  pattern`
      ^\W*(?:please\s+|can you\s+|could you\s+)?(?:print|show|reveal|repeat|output|tell|give|
        display|what(?:'s| is| are| were))\s+(?:me\s+|us\s+)?
        (?:your\s+(?:\w+\s+)?(?:instructions|prompt)|the\s+(?:system|initial|hidden)\s+(?:instructions|prompt))\W*$
    `,
  'i',
);

/** Whether a question asks for the system prompt. */
export const asksForInstructions = (question: string) =>
  promptRequest.test(question.slice(0, maxExaminedChars));
