import { Wildcard } from '../lib/wildcard.ts';

/** Paths of a provider that calls may be passed through to. */
export interface PassThrough {
  readonly provider: string;
  /** The pattern behind the provider's name, which stands for a model in the log and in access rules. */
  readonly name: string;
  readonly pattern: Wildcard;
}

export const passThroughFault =
  'must list paths of providers such as openai/fine_tuning/*, each with a name before the first *';

export function isPassThroughText(text: string): boolean {
  const isPattern = /^[\w.-]+\/[\w.-]+\*?(?:[/:][\w.*:@~/-]+)?$/.test(text);
  return isPattern && !text.split('/').some((segment) => ['', '.', '..'].includes(segment));
}

/** Reads `openai/fine_tuning/*`. */
export function readPassThrough(text: string): PassThrough {
  const at = text.indexOf('/');
  const name = text.slice(at + 1);
  return { provider: text.slice(0, at), name, pattern: new Wildcard(name) };
}

/**
 * The path below a provider's base URL, from what follows the provider's name in a request: a version that ends the base URL may be
 * repeated.
 */
export function pathBelow(baseUrl: string, rest: string): string {
  const version = /\/(v\d\w*)\/?$/.exec(baseUrl)?.[1];
  return version !== undefined && rest.startsWith(`${version}/`) ? rest.slice(version.length + 1) : rest;
}
