import type { KeyProblem } from '../kernel/errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { objectOf, objectsOf, stringOf } from './json-values.ts';

export interface ProviderErrorDetails {
  readonly message: string;
  readonly code?: string;
  /** Such as `overloaded_error`; Google calls it `status`. */
  readonly type?: string;
  readonly param?: string;
  /** Delay before a retry. */
  readonly retryAfterSeconds?: number;
  /** The key is wrong, or has no credit left, whatever the status says. */
  readonly keyProblem?: KeyProblem;
}

/**
 * Parses a provider's error response. All formats have it under `error`; compatible providers also put it at the top,
 * under `detail`, or in a list.
 */
export function parseProviderError(bytes: Uint8Array): ProviderErrorDetails | undefined {
  const body = tryParse(bytes);
  const top = objectOf(Array.isArray(body) ? body[0] : body);
  if (top === undefined) return undefined;
  const fields = objectOf(top.error) ?? top;
  const message = messageIn(fields) ?? stringOf(top.error) ?? messageIn(top);
  if (message === undefined || message === '') return undefined;
  const { code, param } = fields;
  const type = stringOf(fields.type) ?? stringOf(fields.status) ?? '';
  const retryAfterSeconds = retryDelayIn(fields.details);
  const keyProblem = keyProblemIn(message, fields);
  return {
    message,
    ...(typeof code === 'string' && code !== '' && { code }),
    ...(type !== '' && { type }),
    ...(typeof param === 'string' && param !== '' && { param }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(keyProblem !== undefined && { keyProblem }),
  };
}

/** Google and xAI answer 400 to a wrong key; Anthropic answers 400, and OpenAI 429, to one without credit. */
function keyProblemIn(message: string, { code, details }: JsonObject): KeyProblem | undefined {
  const isWrong = objectsOf(details).some(({ reason }) => reason === 'API_KEY_INVALID');
  if (isWrong || message.startsWith('Incorrect API key provided')) return 'rejected';
  const isUnpaid =
    (typeof code === 'string' && unpaidCodes.has(code)) ||
    message.startsWith('Your credit balance is too low');
  return isUnpaid ? 'unpaid' : undefined;
}

const unpaidCodes: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'billing_hard_limit_reached',
  'billing_not_active',
]);

/** Google sends the retry delay in the body: `{"@type": "…/google.rpc.RetryInfo", "retryDelay": "34.07s"}`. */
function retryDelayIn(details: unknown): number | undefined {
  const delays = objectsOf(details).map(({ retryDelay }) =>
    /^(\d+(?:\.\d+)?)s$/.exec(stringOf(retryDelay) ?? ''),
  );
  const [, seconds] = delays.find((match) => match !== null) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

function messageIn({ message, detail, title }: JsonObject): string | undefined {
  const text = message ?? detail ?? title;
  return stringOf(text) ?? (typeof text === 'object' && text !== null ? JSON.stringify(text) : undefined);
}

function tryParse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}
