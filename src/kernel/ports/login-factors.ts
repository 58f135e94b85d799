import type { IdentityId } from './identities.ts';

/** A public key of a device or password manager, with which a person logs in. */
export interface Passkey {
  /** The credential id that the device chose, in base64url. */
  readonly id: string;
  readonly identityId: IdentityId;
  /** In COSE format, as base64url. */
  readonly publicKey: string;
  /** The number of signatures, for devices that count them. */
  readonly counter: number;
  /** How a browser can reach the device, such as `usb` or `internal`. */
  readonly transports: readonly string[];
  readonly name: string;
  /** Whether it is synchronized between devices. */
  readonly isBackedUp: boolean;
  readonly createdAtMs: number;
  readonly usedAtMs?: number;
}

/** That a password alone is not enough. */
export interface SecondFactor {
  readonly sinceMs: number;
  readonly recoveryCodesLeft: number;
}

/** The steps of a login or registration that a challenge belongs to. */
export type ChallengePurpose = 'register' | 'login' | 'second_factor';

/** Random bytes that a passkey has to sign. */
export interface LoginChallenge {
  /** Of its id. */
  readonly hash: string;
  readonly challenge: string;
  readonly purpose: ChallengePurpose;
  /** Undefined if anybody can use it, to log in with a passkey alone. */
  readonly identityId?: IdentityId;
  readonly expiresAtMs: number;
}

/** Ways to log in beside a password. */
export interface LoginFactors {
  /** Of a person, the oldest first. */
  passkeys(identityId: IdentityId): Promise<readonly Passkey[]>;
  passkey(id: string): Promise<Passkey | undefined>;
  addPasskey(passkey: Passkey, most: number): Promise<'added' | 'exists' | 'too_many'>;
  recordPasskeyUse(use: Pick<Passkey, 'id' | 'counter' | 'usedAtMs' | 'isBackedUp'>): Promise<void>;
  /** Does not remove the last one while the second factor is on: `needed`. */
  removePasskey(identityId: IdentityId, id: string): Promise<'removed' | 'unknown' | 'needed'>;
  /** Undefined if it is off. */
  secondFactor(identityId: IdentityId): Promise<SecondFactor | undefined>;
  /** Replaces all recovery codes, of which only hashes are stored. False without a change if the person has no passkey. */
  setSecondFactor(
    identityId: IdentityId,
    factor: { readonly sinceMs: number; readonly codeHashes: readonly string[] },
  ): Promise<boolean>;
  /** False if it is off. */
  clearSecondFactor(identityId: IdentityId): Promise<boolean>;
  /** True once for each code. */
  consumeRecoveryCode(identityId: IdentityId, hash: string): Promise<boolean>;
  /** Also deletes expired challenges. */
  addChallenge(challenge: LoginChallenge, nowMs: number): Promise<void>;
  challenge(hash: string, purpose: ChallengePurpose, nowMs: number): Promise<LoginChallenge | undefined>;
  /** True once for each challenge. */
  consumeChallenge(hash: string): Promise<boolean>;
}
