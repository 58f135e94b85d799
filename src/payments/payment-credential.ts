import { z } from 'zod';
import { Secret } from '../lib/secret.ts';
import { readAuthParams } from './auth-params.ts';

/** The payment credential of a client. */
export interface PaymentCredential {
  readonly challengeId: string;
  /** The token from the wallet. */
  readonly token: Secret;
  /** The client's copy of the challenge, if it was sent along. */
  readonly echoedChallenge: EchoedChallenge | undefined;
}

const echoedChallengeSchema = z.object({
  id: z.string().min(1),
  realm: z.string(),
  method: z.string(),
  intent: z.string(),
  request: z.string(),
  expires: z.string().optional(),
  digest: z.string().optional(),
});

export type EchoedChallenge = z.output<typeof echoedChallengeSchema>;

const jsonCredentialSchema = z.object({
  challenge: echoedChallengeSchema,
  payload: z.object({ spt: z.string().min(1) }),
});

/** `other`: not a payment credential. `malformed` says why it can't be parsed. */
export type ParsedAuthorization =
  | { readonly kind: 'other' }
  | { readonly kind: 'malformed'; readonly why: string }
  | { readonly kind: 'credential'; readonly credential: PaymentCredential };

/** Parses an `Authorization` header in either form of RFC 9110: parameters, or one token. */
export function readCredential(authorization: string): ParsedAuthorization {
  const [, scheme = '', rest = ''] = /^[ \t]*([^ \t]*)[ \t]*(.*)$/s.exec(authorization) ?? [];
  if (scheme.toLowerCase() !== 'payment') return { kind: 'other' };
  const text = rest.trim();
  if (text === '') return malformed('it is empty');
  return /^[\w.~+/-]+=*$/.test(text) ? readJsonCredential(text) : readParamsCredential(text);
}

function readParamsCredential(text: string): ParsedAuthorization {
  const params = readAuthParams(text);
  if (params === undefined)
    return malformed('it must be written as Payment id="<challenge id>", credential="<token>"');
  const [id, token] = [params.get('id'), params.get('credential')];
  if (!id || !token) return malformed('"id" and "credential" must both be there');
  return {
    kind: 'credential',
    credential: { challengeId: id, token: new Secret(token), echoedChallenge: undefined },
  };
}

function readJsonCredential(text: string): ParsedAuthorization {
  const { data, error } = jsonCredentialSchema.safeParse(decodeBase64UrlJson(text));
  if (data === undefined) {
    const where = error.issues[0]?.path.join('.');
    return malformed(
      where ? `"${where}" is missing or wrong in its JSON` : 'it must be a JSON object in base64url',
    );
  }
  const { challenge, payload } = data;
  return {
    kind: 'credential',
    credential: { challengeId: challenge.id, token: new Secret(payload.spt), echoedChallenge: challenge },
  };
}

/** Undefined if it is not JSON in base64url. */
function decodeBase64UrlJson(text: string): unknown {
  if (!/^[\w-]+=*$/.test(text)) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'base64url')));
  } catch {
    return undefined;
  }
}

function malformed(why: string): ParsedAuthorization {
  return { kind: 'malformed', why };
}
