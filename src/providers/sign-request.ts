import type { EgressRecord } from '../kernel/egress-record.ts';
import type { OutboundRequest, SignedRequest, SigningContext } from '../kernel/signing.ts';
import type { Secret } from '../lib/secret.ts';

/** Signs a request: by default with the key in a header, to the provider's base URL; some providers have their own way. */
export function signRequest(
  outboundRequest: OutboundRequest,
  credential: Secret | undefined,
  signingContext: SigningContext,
): SignedRequest | Promise<SignedRequest> {
  const { provider, path, headers, body } = outboundRequest;
  if (provider.sign !== undefined && credential !== undefined)
    return provider.sign(outboundRequest, credential, signingContext);
  if (credential !== undefined) headers.push(...provider.authorize(credential, headers));
  const secrets = credential === undefined ? noSecrets : [credential.reveal()];
  return { baseUrl: provider.baseUrl, path, headers, body, secrets };
}

const noSecrets: readonly string[] = [];

/** The same context for a call in an airgap, which also counts requests for access tokens. */
export function withEgressRecord(signing: SigningContext, record: EgressRecord | undefined): SigningContext {
  if (record === undefined) return signing;
  return {
    now: () => signing.now(),
    accessToken: (account) => signing.accessToken(account, (host) => record.addRequest(host)),
    forgetToken: (account, token) => signing.forgetToken(account, token),
  };
}
