/** Tokens of callers, as JWT_SECRET checks them. */
import { SignJWT } from 'jose';

export const jwtSecret = 'a-secret-of-thirty-two-characters-or-more';

export const signToken = (
  claims: Record<string, unknown> = {},
  expires: string | number = '5m',
  secret: string = jwtSecret,
): Promise<string> =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime(expires)
    .sign(new TextEncoder().encode(secret));

/** Header of a token. */
export const bearerOf = async (claims: Record<string, unknown> = {}) => ({
  authorization: `Bearer ${await signToken(claims)}`,
});
