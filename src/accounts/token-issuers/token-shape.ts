import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { limits } from '../limits.ts';

/** Whom a token names as its issuer, and whom it is for; nothing of it is verified. */
export interface TokenNames {
  readonly issuer: string;
  readonly audiences: readonly string[];
}

/** A token for several audiences names a few. */
const audiencesMax = 20;

/** Every JSON object begins so in base64url, if it has no blanks. */
const objectStart = 'eyJ';

/** Whether it could be a token of an issuer; session tokens look the same. */
export function mayBeIssued(text: string): boolean {
  return text.startsWith(objectStart);
}

/** Undefined if it is no signed token of an issuer with an address, such as a session token. */
export function namesIn(token: string): TokenNames | undefined {
  if (!mayBeIssued(token) || token.length > limits.issuedTokenCharactersMax) return undefined;
  const parts = token.split('.');
  const payload = parts.length === 3 ? parse(parts[1] ?? '') : undefined;
  if (payload === undefined) return undefined;
  const { iss, aud } = payload;
  if (typeof iss !== 'string' || !/^https?:\/\//.test(iss) || iss.length > 1000) return undefined;
  const audiences = (Array.isArray(aud) ? aud : [aud]).filter((one) => typeof one === 'string');
  if (audiences.length === 0 || audiences.length > audiencesMax) return undefined;
  return { issuer: iss, audiences: [...new Set(audiences)] };
}

function parse(part: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
