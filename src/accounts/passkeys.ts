import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { GatewayError } from '../kernel/errors.ts';
import type { Identity, IdentityId } from '../kernel/ports/identities.ts';
import type {
  ChallengePurpose,
  LoginChallenge,
  LoginFactors,
  Passkey,
} from '../kernel/ports/login-factors.ts';
import type { Clock } from '../lib/clock.ts';
import { limits } from './limits.ts';
import { createLinkToken, hashToken } from './link-token.ts';

export interface PasskeyParts {
  readonly factors: LoginFactors;
  /** The public address of the gateway, to which browsers bind passkeys; undefined if it is not configured. */
  readonly baseUrl: string | undefined;
  readonly clock: Clock;
}

/** What a browser needs to ask for a passkey, and the id to send back with its response. */
export interface PasskeyRequest<Options> {
  readonly challengeId: string;
  readonly options: Options;
}

export interface PasskeyResponse<Response> {
  readonly challengeId: string;
  readonly response: Response;
}

interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

/** Registers and verifies passkeys (Web Authentication). */
export class Passkeys {
  readonly #parts: PasskeyParts;
  readonly #relyingParty: RelyingParty | undefined;

  constructor(parts: PasskeyParts) {
    this.#parts = parts;
    this.#relyingParty = relyingPartyAt(parts.baseUrl);
  }

  get areAvailable(): boolean {
    return this.#relyingParty !== undefined;
  }

  list(identityId: IdentityId): Promise<readonly Passkey[]> {
    return this.#parts.factors.passkeys(identityId);
  }

  async registrationRequest({
    id,
    email,
  }: Pick<Identity, 'id' | 'email'>): Promise<PasskeyRequest<PublicKeyCredentialCreationOptionsJSON>> {
    const relyingParty = this.#requireRelyingParty();
    const { generateRegistrationOptions } = await library();
    const options = await generateRegistrationOptions({
      rpName: 'Weir',
      rpID: relyingParty.id,
      userName: email,
      userID: new TextEncoder().encode(String(id)),
      excludeCredentials: (await this.list(id)).map(toDescriptor),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    });
    return this.#request({ options, purpose: 'register', identityId: id });
  }

  async register(
    identityId: IdentityId,
    { challengeId, response, name }: PasskeyResponse<RegistrationResponseJSON> & { readonly name: string },
  ): Promise<Passkey> {
    const { factors, clock } = this.#parts;
    const relyingParty = this.#requireRelyingParty();
    const challenge = await this.#challenge(challengeId, 'register');
    if (challenge.identityId !== identityId) throw expiredError();
    const { verifyRegistrationResponse } = await library();
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge.challenge,
      expectedOrigin: relyingParty.origin,
      expectedRPID: relyingParty.id,
      requireUserVerification: false,
    }).catch((error: unknown) => {
      throw wrongPasskeyError(error);
    });
    if (registrationInfo === undefined) throw wrongPasskeyError();
    await this.#consume(challenge);
    const { credential, credentialBackedUp: isBackedUp } = registrationInfo;
    const passkey: Passkey = {
      ...{ id: credential.id, identityId, name, isBackedUp, counter: credential.counter },
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      transports: credential.transports ?? [],
      createdAtMs: clock.now(),
    };
    const outcome = await factors.addPasskey(passkey, limits.passkeysMax);
    if (outcome === 'exists') throw new GatewayError('passkey_exists', 'this passkey is registered already');
    if (outcome === 'too_many')
      throw new GatewayError(
        'passkey_limit_reached',
        `a person has at most ${limits.passkeysMax} passkeys; remove one first`,
      );
    return passkey;
  }

  async remove(identityId: IdentityId, id: string): Promise<void> {
    const outcome = await this.#parts.factors.removePasskey(identityId, id);
    if (outcome === 'unknown')
      throw new GatewayError('not_found', 'no such passkey; GET /v1/users/passkeys lists them');
    if (outcome === 'needed')
      throw new GatewayError(
        'passkey_needed',
        'this is the last passkey, which is the second factor; switch the second factor off first',
      );
  }

  /** For a login with a passkey alone, or of a known person whose password was right. */
  async loginRequest(
    identityId?: IdentityId,
  ): Promise<PasskeyRequest<PublicKeyCredentialRequestOptionsJSON>> {
    const { id: rpID } = this.#requireRelyingParty();
    const { generateAuthenticationOptions } = await library();
    if (identityId === undefined) {
      const options = await generateAuthenticationOptions({ rpID, userVerification: 'required' });
      return this.#request({ options, purpose: 'login' });
    }
    const allowCredentials = (await this.list(identityId)).map(toDescriptor);
    const options = await generateAuthenticationOptions({
      ...{ rpID, allowCredentials, userVerification: 'preferred' },
    });
    return this.#request({ options, purpose: 'second_factor', identityId });
  }

  /** Resolves to who has signed the challenge. Without a password, the device must have verified its user. */
  async verify(
    { challengeId, response }: PasskeyResponse<AuthenticationResponseJSON>,
    purpose: 'login' | 'second_factor',
  ): Promise<IdentityId> {
    const { factors, clock } = this.#parts;
    const relyingParty = this.#requireRelyingParty();
    const challenge = await this.#challenge(challengeId, purpose);
    const passkey = await factors.passkey(response.id);
    const { identityId = passkey?.identityId } = challenge;
    if (passkey === undefined || passkey.identityId !== identityId) throw wrongPasskeyError();
    const { verifyAuthenticationResponse } = await library();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge.challenge,
      expectedOrigin: relyingParty.origin,
      expectedRPID: relyingParty.id,
      credential: {
        id: passkey.id,
        publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
        counter: passkey.counter,
      },
      requireUserVerification: purpose === 'login',
    }).catch((error: unknown) => {
      throw wrongPasskeyError(error);
    });
    if (!verified) throw wrongPasskeyError();
    await this.#consume(challenge);
    const { newCounter: counter, credentialBackedUp: isBackedUp } = authenticationInfo;
    await factors.recordPasskeyUse({ id: passkey.id, counter, isBackedUp, usedAtMs: clock.now() });
    return identityId;
  }

  async #request<Options extends { readonly challenge: string }>({
    options,
    purpose,
    identityId,
  }: {
    readonly options: Options;
    readonly purpose: ChallengePurpose;
    readonly identityId?: IdentityId;
  }): Promise<PasskeyRequest<Options>> {
    const { factors, clock } = this.#parts;
    const { token: challengeId, hash } = createLinkToken();
    const nowMs = clock.now();
    const expiresAtMs = nowMs + limits.loginChallengeLifeMs;
    const { challenge } = options;
    await factors.addChallenge(
      { ...{ hash, challenge, purpose, expiresAtMs }, ...(identityId !== undefined && { identityId }) },
      nowMs,
    );
    return { challengeId, options };
  }

  async #challenge(challengeId: string, purpose: ChallengePurpose): Promise<LoginChallenge> {
    const { factors, clock } = this.#parts;
    const challenge = await factors.challenge(hashToken(challengeId), purpose, clock.now());
    if (challenge === undefined) throw expiredError();
    return challenge;
  }

  async #consume({ hash }: LoginChallenge): Promise<void> {
    if (!(await this.#parts.factors.consumeChallenge(hash))) throw expiredError();
  }

  #requireRelyingParty(): RelyingParty {
    if (this.#relyingParty !== undefined) return this.#relyingParty;
    throw new GatewayError(
      'passkeys_unavailable',
      'passkeys need WEIR_BASE_URL with https and a domain name, or http://localhost; ask the operator',
    );
  }
}

/** Browsers bind passkeys to a domain name, and have them on https and on localhost only. */
function relyingPartyAt(baseUrl: string | undefined): RelyingParty | undefined {
  const url = baseUrl === undefined ? null : URL.parse(baseUrl);
  if (url === null) return undefined;
  const { protocol, hostname: id, origin } = url;
  const isAddress = /^[\d.]+$|^\[/.test(id);
  return id === 'localhost' || (protocol === 'https:' && !isAddress) ? { id, origin } : undefined;
}

function toDescriptor({ id, transports }: Passkey) {
  return { id, transports: [...transports] };
}

/** Loaded with the first passkey: most gateways never see one. */
function library() {
  return import('@simplewebauthn/server');
}

export function expiredError(): GatewayError {
  return new GatewayError('invalid_token', 'this login was used or has expired; start again', {
    param: 'challenge_id',
  });
}

function wrongPasskeyError(cause?: unknown): GatewayError {
  return new GatewayError('wrong_passkey', 'this passkey is unknown here, or its signature is wrong', {
    cause,
  });
}
