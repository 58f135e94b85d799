import type { JsonObject } from '../kernel/json.ts';
import { objectOf, stringOf } from './read.ts';

export interface ReadError {
  readonly message: string;
  readonly code?: string;
  readonly param?: string;
}

/**
 * What a provider's error answer says. All formats put it under `error`; those who only speak a format also put it at
 * the top, under `detail`, or inside of a list.
 */
export function readError(bytes: Uint8Array): ReadError | undefined {
  const body = parsed(bytes);
  const top = objectOf(Array.isArray(body) ? body[0] : body);
  if (top === undefined) return undefined;
  const told = objectOf(top.error) ?? top;
  const message = messageIn(told) ?? stringOf(top.error) ?? messageIn(top);
  if (message === undefined || message === '') return undefined;
  const { code, param } = told;
  return {
    message,
    ...(typeof code === 'string' && code !== '' && { code }),
    ...(typeof param === 'string' && param !== '' && { param }),
  };
}

function messageIn({ message, detail, title }: JsonObject): string | undefined {
  const said = message ?? detail ?? title;
  return stringOf(said) ?? (typeof said === 'object' && said !== null ? JSON.stringify(said) : undefined);
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}
