import type { JsonObject } from '../kernel/json.ts';
import { objectOf, objectsOf, stringOf } from './json-values.ts';

export interface ProviderErrorDetails {
  readonly message: string;
  readonly code?: string;
  readonly param?: string;
  /** When to come again. */
  readonly retryAfterSeconds?: number;
}

/**
 * What a provider's error answer says. All formats put it under `error`; those who only speak a format also put it at
 * the top, under `detail`, or inside of a list.
 */
export function parseProviderError(bytes: Uint8Array): ProviderErrorDetails | undefined {
  const body = tryParse(bytes);
  const top = objectOf(Array.isArray(body) ? body[0] : body);
  if (top === undefined) return undefined;
  const told = objectOf(top.error) ?? top;
  const message = messageIn(told) ?? stringOf(top.error) ?? messageIn(top);
  if (message === undefined || message === '') return undefined;
  const { code, param } = told;
  const retryAfterSeconds = retryDelayIn(told.details);
  return {
    message,
    ...(typeof code === 'string' && code !== '' && { code }),
    ...(typeof param === 'string' && param !== '' && { param }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** Google says in the body what others say in a header: `{"@type": "…/google.rpc.RetryInfo", "retryDelay": "34.07s"}`. */
function retryDelayIn(details: unknown): number | undefined {
  const told = objectsOf(details).map(({ retryDelay }) =>
    /^(\d+(?:\.\d+)?)s$/.exec(stringOf(retryDelay) ?? ''),
  );
  const [, seconds] = told.find((found) => found !== null) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

function messageIn({ message, detail, title }: JsonObject): string | undefined {
  const said = message ?? detail ?? title;
  return stringOf(said) ?? (typeof said === 'object' && said !== null ? JSON.stringify(said) : undefined);
}

function tryParse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}
