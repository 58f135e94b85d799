import { randomInt } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { GatewayError } from '../kernel/errors.ts';
import type { IdentityId } from '../kernel/ports/identities.ts';
import type { LoginFactors, SecondFactor } from '../kernel/ports/login-factors.ts';
import type { RateLimiter } from '../kernel/ports/shared-state.ts';
import type { Clock } from '../lib/clock.ts';
import { countAddressAttempt } from './count-attempt.ts';
import { limits } from './limits.ts';
import { hashToken } from './link-token.ts';
import { expiredError, type Passkeys } from './passkeys.ts';

interface SecondFactorParts {
  readonly factors: LoginFactors;
  readonly passkeys: Pick<Passkeys, 'loginRequest' | 'verify' | 'areAvailable'>;
  readonly attempts: RateLimiter;
  readonly clock: Clock;
}

/** A passkey's signature or a recovery code, after the password. */
export type SecondFactorProof = {
  readonly challengeId: string;
  readonly remoteAddress: string;
} & ({ readonly response: AuthenticationResponseJSON } | { readonly recoveryCode: string });

/** What a client needs to finish a login. */
interface SecondFactorRequest {
  readonly challenge_id: string;
  readonly options: PublicKeyCredentialRequestOptionsJSON;
}

/** Passkeys as a second factor beside the password, and recovery codes for those who lose theirs. */
export class SecondFactors {
  readonly #parts: SecondFactorParts;

  constructor(parts: SecondFactorParts) {
    this.#parts = parts;
  }

  find(identityId: IdentityId): Promise<SecondFactor | undefined> {
    return this.#parts.factors.secondFactor(identityId);
  }

  /** Resolves to new recovery codes, which replace earlier ones. */
  async turnOn(identityId: IdentityId): Promise<readonly string[]> {
    const { factors, clock } = this.#parts;
    const codes = Array.from({ length: limits.recoveryCodes }, createRecoveryCode);
    const codeHashes = codes.map(hashRecoveryCode);
    if (!(await factors.setSecondFactor(identityId, { sinceMs: clock.now(), codeHashes })))
      throw new GatewayError('passkey_needed', 'add a passkey first: it is the second factor');
    return codes;
  }

  async turnOff(identityId: IdentityId): Promise<void> {
    await this.#parts.factors.clearSecondFactor(identityId);
  }

  /** Throws `second_factor_required` if the password of a person is not enough. */
  async require(identityId: IdentityId): Promise<void> {
    const { passkeys } = this.#parts;
    if ((await this.find(identityId)) === undefined) return;
    const { challengeId: challenge_id, options } = await passkeys.loginRequest(identityId);
    const request: SecondFactorRequest = { challenge_id, options };
    throw new GatewayError(
      'second_factor_required',
      'the password is right; send a passkey’s response or a recovery code to /v1/users/login/second-factor',
      { extraFields: { second_factor: request }, user: String(identityId) },
    );
  }

  /** Resolves to whose login it completes. */
  async verify(proof: SecondFactorProof): Promise<IdentityId> {
    const { factors, passkeys, attempts, clock } = this.#parts;
    const { challengeId, remoteAddress } = proof;
    const challenge = await factors.challenge(hashToken(challengeId), 'second_factor', clock.now());
    const { identityId } = challenge ?? {};
    if (challenge === undefined || identityId === undefined) throw expiredError();
    await countAddressAttempt(attempts, {
      address: remoteAddress,
      counterName: (block) => `second-factor:${block}:${identityId}`,
      ...limits.secondFactorsPerPerson,
    });
    if ('response' in proof) return passkeys.verify(proof, 'second_factor');
    if (!(await factors.consumeRecoveryCode(identityId, hashRecoveryCode(proof.recoveryCode))))
      throw new GatewayError('wrong_second_factor', 'this recovery code is wrong or was used', {
        user: String(identityId),
      });
    if (!(await factors.consumeChallenge(challenge.hash))) throw expiredError();
    return identityId;
  }
}

/** Without letters and digits that look alike. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Two groups of five: 49 random bits, with ten attempts in a quarter of an hour. */
function createRecoveryCode(): string {
  const group = () => Array.from({ length: 5 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return `${group()}-${group()}`;
}

/** As people type them: in any case, with or without the hyphen. */
function hashRecoveryCode(code: string): string {
  return hashToken(code.toLowerCase().replaceAll(/[\s-]/g, ''));
}
