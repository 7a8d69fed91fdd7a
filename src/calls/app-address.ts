/** What names the calling service and opens it: app id, region and key, in forms that can neither name another host nor split a header. */

export interface AppAddress {
  readonly appId: string;
  /** `us`, `eu`, `in`. */
  readonly region: string;
}

export const isAppId = (text: string): boolean => /^[a-z0-9]{1,63}$/i.test(text);
export const isRegion = (text: string): boolean => /^[a-z]{2,8}$/i.test(text);

/** @param address of which both parts have their form */
export const baseUrlOfApp = ({ appId, region }: AppAddress): string =>
  `https://${appId.toLowerCase()}.call-${region.toLowerCase()}.cometchat.io`;

/** An http(s) address without user, query and fragment; a path is allowed. */
export function isBaseUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && !url.username && !url.password && !/[?#]/.test(text);
}

/** What can stand in the header `apikey`: visible ASCII. `fetch` would quote any other in its error. */
export const isApiKey = (text: string): boolean => /^[\x21-\x7e]{1,1024}$/.test(text);
