import { z } from 'zod';
import { limits } from '../../../accounts/limits.ts';
import type { PasskeyRequest, Passkeys } from '../../../accounts/passkeys.ts';
import type { SecondFactors } from '../../../accounts/second-factors.ts';
import type { UserAccounts } from '../../../accounts/user-accounts.ts';
import type { Passkey } from '../../../kernel/ports/login-factors.ts';
import { byAddress, bySession, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import type { SessionCookies } from '../session-cookie.ts';
import { shortNameSchema, textSchema, timestamp } from '../text.ts';
import { invalidFieldError } from '../validation.ts';
import { clientOf, cookieHeader, ownerOf, sessionInfo, sessionResponse, typedPassword } from './users.ts';

const passkeyInfo = z.strictObject({
  id: z.string(),
  name: z.string(),
  backed_up: z.boolean().describe('Whether it is synchronized between devices'),
  created_at: z.iso.datetime(),
  last_used_at: z.iso.datetime().nullable(),
});
const factorsInfo = z.strictObject({
  available: z.boolean().describe('Whether the address of this gateway allows passkeys'),
  passkeys: z.array(passkeyInfo).describe('Oldest first'),
  second_factor: z
    .strictObject({ since: z.iso.datetime(), recovery_codes_left: z.int() })
    .nullable()
    .describe('Null if a password is enough'),
});

const challengeId = textSchema({ max: 100 }).describe('From the request for options');
const browserOptions = z
  .record(z.string(), z.unknown())
  .describe('For `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`');
const requestInfo = z.strictObject({ challenge_id: z.string(), options: browserOptions });
const recoveryCodesInfo = z.strictObject({ recovery_codes: z.array(z.string()) });

const bytes = textSchema({ max: limits.passkeyResponseCharactersMax }).describe('In base64url');
/** What `PublicKeyCredential.toJSON` makes; its other fields are ignored. */
const credential = { id: bytes, rawId: bytes, type: z.literal('public-key') };
const newCredential = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytes,
    attestationObject: bytes,
    transports: z
      .array(textSchema({ max: 30 }))
      .max(10)
      .default([]),
  }),
});
const usedCredential = z.object({
  ...credential,
  response: z.object({ clientDataJSON: bytes, authenticatorData: bytes, signature: bytes }),
});

const unauthenticated = { 401: { description: 'Missing or invalid session token' } };
const withPassword = {
  401: { description: 'Missing or invalid session token, or the password is wrong' },
  429: { description: 'Too many attempts' },
};
const invalid = { 400: { description: 'The body is invalid, or the challenge was used or has expired' } };
const unavailable = { 409: { description: 'The address of this gateway does not allow passkeys' } };

export interface PasskeyRouteParts {
  readonly accounts: UserAccounts;
  readonly passkeys: Passkeys;
  readonly secondFactors: SecondFactors;
  readonly cookies: SessionCookies;
}

/** Passkeys and the second factor of the signed-in person, and logins with them. */
export function passkeyRoutes(parts: PasskeyRouteParts): readonly ApiRoute[] {
  return [...ownPasskeyRoutes(parts), ...secondFactorRoutes(parts), ...loginRoutes(parts)];
}

const tag = 'Accounts';

function ownPasskeyRoutes({ accounts, passkeys, secondFactors }: PasskeyRouteParts): readonly ApiRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/users/passkeys',
      summary: 'List your passkeys, and whether the second factor is on',
      tag,
      access: bySession('person'),
      body: noBody,
      responses: { 200: { description: 'The passkeys', schema: factorsInfo }, ...unauthenticated },
      async handle({ caller: { identityId } }) {
        const factor = await secondFactors.find(identityId);
        return {
          body: {
            available: passkeys.areAvailable,
            passkeys: (await passkeys.list(identityId)).map(describePasskey),
            second_factor:
              factor === undefined
                ? null
                : { since: timestamp(factor.sinceMs), recovery_codes_left: factor.recoveryCodesLeft },
          },
        };
      },
    }),
    defineRoute({
      method: 'POST',
      audit: 'none',
      path: '/v1/users/passkeys/options',
      summary: 'Begin to add a passkey',
      tag,
      access: bySession('person'),
      body: jsonBody({ password: typedPassword }),
      responses: {
        200: { description: 'What the browser needs to create a passkey', schema: requestInfo },
        ...{ ...invalid, ...withPassword, ...unavailable },
      },
      failureEvent: 'login.failed',
      async handle({ caller, body, remoteAddress }) {
        await accounts.confirmPassword(caller, body.password, remoteAddress);
        const { identity } = await accounts.memberOf(caller);
        return { body: describeRequest(await passkeys.registrationRequest(identity)) };
      },
    }),
    defineRoute({
      method: 'POST',
      audit: 'passkey.added',
      path: '/v1/users/passkeys',
      summary: 'Add a passkey',
      tag,
      access: bySession('person'),
      body: jsonBody({
        challenge_id: challengeId,
        name: shortNameSchema(limits.passkeyNameCharactersMax),
        response: newCredential,
      }),
      responses: {
        201: { description: 'The passkey', schema: passkeyInfo },
        ...invalid,
        401: { description: 'Missing or invalid session token, or the response is not right' },
        409: { description: 'The passkey is registered already, or there are too many' },
      },
      async handle({ caller: { identityId }, body: { challenge_id, name, response } }) {
        const passkey = await passkeys.register(identityId, {
          ...{ challengeId: challenge_id, name },
          response: { ...response, clientExtensionResults: {} },
        });
        return { status: 201, body: describePasskey(passkey) };
      },
    }),
    defineRoute({
      method: 'DELETE',
      audit: 'passkey.removed',
      path: '/v1/users/passkeys/:id',
      summary: 'Remove a passkey',
      tag,
      access: bySession('person'),
      body: noBody,
      responses: {
        204: { description: 'It no longer works' },
        404: { description: 'You have no such passkey' },
        409: { description: 'It is the last one, and the second factor is on' },
        ...unauthenticated,
      },
      async handle({ caller: { identityId }, parameters: { id = '' } }) {
        await passkeys.remove(identityId, id);
        return { status: 204 };
      },
    }),
  ];
}

function secondFactorRoutes({ accounts, secondFactors }: PasskeyRouteParts): readonly ApiRoute[] {
  return [
    defineRoute({
      method: 'POST',
      audit: 'second_factor.on',
      path: '/v1/users/second-factor',
      summary: 'Switch the second factor on, or replace the recovery codes',
      tag,
      access: bySession('person'),
      body: jsonBody({ password: typedPassword }),
      responses: {
        200: { description: 'Recovery codes, which are shown once', schema: recoveryCodesInfo },
        ...{ ...invalid, ...withPassword },
        409: { description: 'You have no passkey' },
      },
      failureEvent: 'login.failed',
      async handle({ caller, body, remoteAddress }) {
        await accounts.confirmPassword(caller, body.password, remoteAddress);
        return { body: { recovery_codes: await secondFactors.turnOn(caller.identityId) } };
      },
    }),
    defineRoute({
      method: 'DELETE',
      audit: 'second_factor.off',
      path: '/v1/users/second-factor',
      summary: 'Switch the second factor off',
      tag,
      access: bySession('person'),
      body: jsonBody({ password: typedPassword }),
      responses: {
        204: { description: 'A password is enough' },
        ...{ ...invalid, ...withPassword },
      },
      failureEvent: 'login.failed',
      async handle({ caller, body, remoteAddress }) {
        await accounts.confirmPassword(caller, body.password, remoteAddress);
        await secondFactors.turnOff(caller.identityId);
        return { status: 204 };
      },
    }),
  ];
}

function loginRoutes({ accounts, passkeys, cookies }: PasskeyRouteParts): readonly ApiRoute[] {
  const access = byAddress((address) => accounts.countLogIn(address));
  const responses = {
    200: { description: 'A session token', schema: sessionInfo, headers: cookieHeader },
    ...invalid,
    401: { description: 'The passkey or the recovery code is wrong' },
    403: { description: 'The account is disabled' },
    429: { description: 'Too many attempts' },
  };
  return [
    defineRoute({
      method: 'POST',
      audit: 'none',
      path: '/v1/users/login/passkey/options',
      summary: 'Begin to log in with a passkey',
      tag,
      access,
      body: jsonBody({}),
      responses: {
        200: { description: 'What the browser needs to find a passkey', schema: requestInfo },
        ...{ ...invalid, ...unavailable },
        429: responses[429],
      },
      handle: async () => ({ body: describeRequest(await passkeys.loginRequest()) }),
    }),
    defineRoute({
      method: 'POST',
      audit: 'login.succeeded',
      path: '/v1/users/login/passkey',
      summary: 'Log in with a passkey',
      tag,
      access,
      body: jsonBody({ challenge_id: challengeId, response: usedCredential }),
      responses,
      failureEvent: 'login.failed',
      async handle({ body: { challenge_id, response }, headers, remoteAddress }) {
        const login = await accounts.logInWithPasskey(
          { challengeId: challenge_id, response: { ...response, clientExtensionResults: {} } },
          { client: clientOf(headers), remoteAddress },
        );
        return {
          ...sessionResponse(200, login),
          ...{ headers: cookies.setIfRequested(headers, login.token), audit: ownerOf(login) },
        };
      },
    }),
    defineRoute({
      method: 'POST',
      audit: 'login.succeeded',
      path: '/v1/users/login/second-factor',
      summary: 'Complete a login with a passkey or a recovery code',
      tag,
      access,
      body: jsonBody({
        challenge_id: challengeId,
        response: usedCredential.optional(),
        recovery_code: textSchema({ max: 100 }).optional(),
      }),
      responses,
      failureEvent: 'login.failed',
      async handle({ body: { challenge_id, response, recovery_code }, headers, remoteAddress }) {
        const login = await accounts.logInWithSecondFactor(
          { challengeId: challenge_id, remoteAddress, ...proofOf(response, recovery_code) },
          clientOf(headers),
        );
        return {
          ...sessionResponse(200, login),
          ...{ headers: cookies.setIfRequested(headers, login.token), audit: ownerOf(login) },
        };
      },
    }),
  ];
}

function proofOf(response: z.output<typeof usedCredential> | undefined, recoveryCode: string | undefined) {
  if (response !== undefined && recoveryCode === undefined)
    return { response: { ...response, clientExtensionResults: {} } };
  if (response === undefined && recoveryCode !== undefined) return { recoveryCode };
  throw invalidFieldError('send either a response or a recovery_code', 'response');
}

function describeRequest<Options extends object>({ challengeId, options }: PasskeyRequest<Options>) {
  return { challenge_id: challengeId, options: { ...options } };
}

function describePasskey({ id, name, isBackedUp, createdAtMs, usedAtMs }: Passkey) {
  return {
    ...{ id, name, backed_up: isBackedUp, created_at: timestamp(createdAtMs) },
    last_used_at: usedAtMs === undefined ? null : timestamp(usedAtMs),
  };
}
