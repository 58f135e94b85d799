import { GatewayError } from '../kernel/errors.ts';
import type { CredentialResolver } from '../kernel/exchange.ts';
import type { Target } from '../kernel/provider.ts';
import type { Secret } from '../lib/secret.ts';

/** The operator's credential for the one provider that calls of guests go to. */
export function guestCredentials(target: Target, credential: Secret | undefined): CredentialResolver {
  return {
    async find({ provider }) {
      if (provider === target.provider) return credential;
      if (provider.answerLocally !== undefined || provider.keyless) return undefined;
      throw new GatewayError(
        'provider_key_missing',
        `calls without an account go to ${target.provider.title} only`,
      );
    },
  };
}
