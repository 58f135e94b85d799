import { GatewayError } from '../../kernel/errors.ts';
import { limits } from '../../providers/limits.ts';

export const ownProvidersBound = `an account has at most ${limits.ownProvidersMax} providers of its own`;

/** Rejects what can't be the name of an account's provider. */
export function checkOwnProviderName(name: string, isTaken: (name: string) => boolean): void {
  if (!/^[a-z][a-z0-9-]{1,31}$/.test(name))
    throw new GatewayError(
      'invalid_request',
      'the name of a provider has 2 to 32 lower case letters, digits and hyphens, and begins with a letter',
      { param: 'name' },
    );
  if (isTaken(name) || reservedNames.has(name))
    throw new GatewayError(
      'provider_conflict',
      `"${name}" is a provider of this gateway; choose another name, such as "my-${name}"`,
      { param: 'name' },
    );
}

/** Names that could be mistaken for something else in front of a model. */
const reservedNames: ReadonlySet<string> = new Set([
  'account',
  'gateway',
  'mcp',
  'own',
  'prompt',
  'unresolved',
]);
