// Schemas for variables of several areas.
import { z } from 'zod';
import { parseDuration } from './duration.ts';
import { limits } from './limits.ts';
import { Secret } from './secret.ts';

export const commaSeparatedList = z.string().transform((text): readonly string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

/** `name=value,other=value`, with values percent-encoded where they have commas or spaces. */
export const keyValueList = z.string().transform((text, context): readonly (readonly [string, string])[] => {
  const pairs = text.split(',').flatMap((pair) => (pair.trim() === '' ? [] : [parsePair(pair)]));
  const complete = pairs.filter((pair) => pair !== undefined);
  if (complete.length === pairs.length) return complete;
  context.addIssue('must be a list such as name=value,other=value, with values percent-encoded');
  return z.NEVER;
});

export const durationMs = durationFrom(1);

/** A duration that may be `0s`. */
export const durationOrNoneMs = durationFrom(0);

function durationFrom(leastMs: number) {
  return z.string().transform((text, context) => {
    const ms = (parseDuration(text) ?? -1) * 1000;
    if (ms >= leastMs && ms <= limits.timerMsMax) return ms;
    context.addIssue('must be a duration such as 500ms, 30s, 5m, 24h or 7d, and 24d at most');
    return z.NEVER;
  });
}

/** A base URL. */
export const httpUrl = z
  .string()
  .refine(isHttpUrl, 'must be an http or https address')
  .refine(hasNoUserInfo, 'must not contain a user or password: they would not be sent')
  // Not a transform, which JSON Schema can't describe.
  .overwrite((url) => url.replace(/(?<!\/)\/+$/, ''));

/** A document that is written as JSON. */
export function jsonText<Value>(schema: z.ZodType<Value>) {
  return z.string().transform((text, context): Value => {
    let document: unknown;
    try {
      document = JSON.parse(text);
    } catch {
      context.addIssue('must be JSON');
      return z.NEVER;
    }
    const { success, data, error } = schema.safeParse(document);
    if (success) return data;
    for (const { message, path } of error.issues) context.addIssue({ code: 'custom', message, path });
    return z.NEVER;
  });
}

/** Trimmed, since files end with a line break. */
export const secretText = z
  .string()
  .trim()
  .min(1)
  .transform((text) => new Secret(text));

function hasNoUserInfo(text: string): boolean {
  const url = URL.parse(text);
  return url === null || (url.username === '' && url.password === '');
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.search === '' &&
    url.hash === ''
  );
}

function parsePair(pair: string): readonly [string, string] | undefined {
  const at = pair.indexOf('=');
  const name = pair.slice(0, at).trim();
  if (at < 0 || name === '') return undefined;
  try {
    return [name, decodeURIComponent(pair.slice(at + 1).trim())];
  } catch {
    return undefined;
  }
}
