/** What Mastra carries of a question: its caller, and the question itself. */
import { MASTRA_RESOURCE_ID_KEY, RequestContext } from '@mastra/core/request-context';
import type { AskedBy, Question } from './question.ts';

const namespaceKey = 'namespace';
/** Our server writes it; in Mastra Studio, the developer does. */
const actingUserKey = 'actingUser';
const askerKey = 'knowledge.asker';
const questionKey = 'knowledge.question';

type Context = RequestContext | undefined;
const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

/** For a question of a host that decides more than the namespace. */
export function contextFor(asker: AskedBy): RequestContext {
  const context = new RequestContext();
  context.set(namespaceKey, asker.namespace);
  if (asker.actingUser !== undefined) context.setRaw(actingUserKey, asker.actingUser);
  context.setRaw(askerKey, asker);
  return context;
}

/** Default: the resource that an authenticated Mastra server set. */
export const actingUserOf = (context: Context) =>
  textOf(context?.getRaw(actingUserKey) ?? context?.getRaw(MASTRA_RESOURCE_ID_KEY));

/** `default` if the caller set none. */
export const namespaceOf = (context: Context) => textOf(context?.getRaw(namespaceKey)) ?? 'default';

/** A Mastra project or Studio names only the namespace and the acting user. */
export const askerOf = (context: Context): AskedBy =>
  (context?.getRaw(askerKey) as AskedBy | undefined) ?? {
    namespace: namespaceOf(context),
    actingUser: actingUserOf(context),
  };

/** Undefined if the message does not mention the agent. */
export const questionOf = (context: Context) =>
  context?.getRaw(questionKey) as Question | undefined;

export function setQuestion(context: Context, question: Question | undefined) {
  context?.setRaw(questionKey, question);
}
