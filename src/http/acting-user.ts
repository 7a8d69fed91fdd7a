/**
 * For which user a caller asks: the subject of a token, or whom a trusted key names in the header `onBehalfOf`. Nothing else decides it,
 * and a header that a caller may not set is refused, not overlooked.
 */
import type { Context } from 'hono';
import { isUid } from '../calls/query.ts';
import { KnowledgeError } from '../errors.ts';
import type { AppEnv } from './app-env.ts';

/** @throws KnowledgeError `acting_user_not_allowed`, `invalid_request` */
export function actingUserOf(c: Context<AppEnv>): string | undefined {
  const { subject, mayActForUsers } = c.get('caller');
  const asked = c.req.header('onBehalfOf');
  if (asked !== undefined && asked !== subject) {
    if (!mayActForUsers)
      throw new KnowledgeError(
        'acting_user_not_allowed',
        'Only a trusted key (CALLS_TRUSTED_KEYS) may ask for a user, in the header onBehalfOf.',
      );
    if (!isUid(asked))
      throw new KnowledgeError(
        'invalid_request',
        'The header onBehalfOf has to be a uid: 1 to 100 characters, none of them a control character.',
      );
    return asked;
  }
  return subject !== undefined && isUid(subject) ? subject : undefined;
}

/**
 * Whose what is kept of a conversation is: the caller's, and where a key asks for users, of each of them apart. Free of secrets.
 * @throws KnowledgeError as `actingUserOf`
 */
export function ownerOf(c: Context<AppEnv>): string {
  const { id, subject } = c.get('caller');
  const user = actingUserOf(c);
  return user === undefined || user === subject ? id : `${id} for ${user}`;
}
