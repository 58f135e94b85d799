import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { Secret } from '../lib/secret.ts';
import { secretText } from '../lib/setting-schemas.ts';
import { limits } from './limits.ts';

/** One of the operator's keys for a provider. */
export interface OperatorKey {
  readonly secret: Secret;
  /** Its share of the conversations, compared with the others. */
  readonly weight: number;
  /** What diagnostics call it. */
  readonly name?: string | undefined;
}

const secretSchema = z.union([z.string().trim().min(1), z.record(z.string(), z.unknown())]);
const namedKey = z.strictObject({
  secret: secretSchema,
  name: z
    .string()
    .regex(/^[\w .-]{1,64}$/, 'must have 1 to 64 letters, digits, blanks and .-_')
    .optional(),
  weight: z
    .int('must be a whole number from 1 to 100')
    .min(1, 'must be at least 1')
    .max(100, 'must be at most 100')
    .optional(),
});

/** For editors: keys as texts, or with names and weights; keys of clouds have fields of their own. */
export const keyListSchema = z.array(z.union([z.string(), namedKey, z.record(z.string(), z.unknown())]));

/** Keys separated by commas, one key that is JSON, or a JSON list of keys with names and weights. */
export const operatorKeys = secretText.transform((text, context): readonly OperatorKey[] => {
  const all = text.reveal();
  if (all.startsWith('{')) return [plainKey(all)];
  if (!all.startsWith('[')) return all.split(',').flatMap((key) => (key.trim() ? plainKey(key.trim()) : []));
  const listed = parseList(all);
  if (listed === undefined || listed.length > limits.operatorKeysMax) {
    context.addIssue(`must be a list of at most ${limits.operatorKeysMax} keys`);
    return z.NEVER;
  }
  const keys = listed.flatMap((item, at) => readKey(item, at, context));
  const names = listed.map((item) => (isJsonObject(item) ? item.name : undefined));
  for (const [at, name] of names.entries())
    if (name !== undefined && names.indexOf(name) < at)
      context.addIssue({ code: 'custom', message: 'two keys have this name', path: [at, 'name'] });
  return keys;
});

function readKey(item: unknown, at: number, context: z.RefinementCtx): readonly OperatorKey[] {
  if (typeof item === 'string') return item.trim() === '' ? [] : [plainKey(item.trim())];
  if (isJsonObject(item) && 'secret' in item) {
    const { success, data, error } = namedKey.safeParse(item);
    if (success) return [{ ...plainKey(textOf(data.secret)), weight: data.weight ?? 1, name: data.name }];
    for (const { message, path } of error.issues)
      context.addIssue({ code: 'custom', message, path: [at, ...path] });
    return [];
  }
  if (isJsonObject(item)) return [plainKey(textOf(item))];
  context.addIssue({
    code: 'custom',
    message: 'must be a key, or have "secret", "name" and "weight"',
    path: [at],
  });
  return [];
}

function textOf(secret: string | JsonObject): string {
  return typeof secret === 'string' ? secret : JSON.stringify(secret);
}

function plainKey(text: string): OperatorKey {
  return { secret: new Secret(text), weight: 1 };
}

function parseList(text: string): readonly unknown[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined;
  }
}
