/** What a host decides about one request to the agent, where its tools and processors find it. */
import { RequestContext } from '@mastra/core/request-context';

const namespaceKey = 'namespace';
const actingUserKey = 'knowledge.actingUser';

/**
 * All that is decided outside about a request.
 * @param actingUser who asks, as the host knows them: no message and no body has a say in it
 */
export function createRequestContext(namespace: string, actingUser?: string): RequestContext {
  const context = new RequestContext();
  context.set(namespaceKey, namespace);
  if (actingUser !== undefined) context.setRaw(actingUserKey, actingUser);
  return context;
}

export function actingUserOf(context: RequestContext | undefined): string | undefined {
  const uid = context?.getRaw(actingUserKey);
  return typeof uid === 'string' && uid !== '' ? uid : undefined;
}

/** `default` where the caller set none. */
export function namespaceOf(context: RequestContext | undefined): string {
  const namespace = context?.getRaw(namespaceKey);
  return typeof namespace === 'string' && namespace !== '' ? namespace : 'default';
}
