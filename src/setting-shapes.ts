/** The forms of values that settings have: numbers in a range, lists, URLs, hosts, origins, keys. */
import { z } from 'zod';
import { isNamespaceName } from './knowledge/namespaces.ts';

export const integer = (min: number, max: number, fallback: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`))
    .default(fallback);

export const list = z.string().transform((value) =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ''),
);

export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' });

/** `host`, `*.host`, either with a port; IPv6 in brackets. */
export const hostPatterns = list.pipe(
  z.array(
    z
      .string()
      .regex(
        /^(?:(?:\*\.)?[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i,
        'must be host patterns such as docs.example.com, *.example.com or 127.0.0.1:8080',
      ),
  ),
);

export const origins = list.pipe(
  z.array(
    z
      .string()
      .refine(
        (value) => value === '*' || (URL.canParse(value) && new URL(value).origin === value),
        'must be origins such as https://chat.example.com',
      ),
  ),
);

export const namespaceName = z.string().toLowerCase().refine(isNamespaceName, 'must be namespace names: [a-z0-9][a-z0-9._-]{0,62}');

/** `KEY` or `KEY=ns1+ns2`. A key may itself end in `=` (base64), so only a well-formed namespace list after the last `=` limits it. */
export const apiKeys = list.transform((entries, context) =>
  entries.map((entry) => {
    if (/\s/.test(entry)) context.addIssue({ code: 'custom', message: 'a key or its list of namespaces may not hold white space' });
    const limited = /^(.+)=([a-z0-9][a-z0-9._+-]*)$/i.exec(entry);
    if (!limited?.[1] || !limited[2]) return { key: entry, namespaces: undefined };
    const namespaces = limited[2].toLowerCase().split('+');
    for (const name of namespaces) {
      if (!isNamespaceName(name)) context.addIssue({ code: 'custom', message: `"${name}" is not a namespace name` });
    }
    return { key: limited[1], namespaces };
  }),
);
