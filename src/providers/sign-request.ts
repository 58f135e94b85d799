import type { EgressRecord } from '../kernel/egress-record.ts';
import type { Provider } from '../kernel/provider.ts';
import type { OutboundRequest, SignedRequest, SigningContext } from '../kernel/signing.ts';
import { withoutHeaders } from '../lib/headers.ts';
import type { Secret } from '../lib/secret.ts';
import { isWithheldHeader } from './withheld-headers.ts';

/** Signs a request: by default with the key in a header, to the provider's base URL; some providers have their own way. */
export function signRequest(
  outboundRequest: OutboundRequest,
  credential: Secret | undefined,
  signingContext: SigningContext,
): SignedRequest | Promise<SignedRequest> {
  const { provider, path, headers, body } = outboundRequest;
  if (provider.sign !== undefined && credential !== undefined) {
    const signed = provider.sign(outboundRequest, credential, signingContext);
    if (provider.headers === undefined) return signed;
    return Promise.resolve(signed).then((request) => withOwnHeaders(request, provider));
  }
  if (credential !== undefined) headers.push(...provider.authorize(credential, headers));
  const secrets = credential === undefined ? noSecrets : [credential.reveal()];
  return withOwnHeaders({ baseUrl: provider.baseUrl, path, headers, body, secrets }, provider);
}

/** Adds the headers that the operator has set. */
function withOwnHeaders(signed: SignedRequest, { headers }: Provider): SignedRequest {
  if (headers === undefined) return signed;
  const names = headers.filter((_, at) => at % 2 === 0);
  const hidden = names.flatMap((name, at) => (isWithheldHeader(name) ? (headers[at * 2 + 1] ?? []) : []));
  return {
    ...signed,
    headers: [...withoutHeaders(signed.headers, names), ...headers],
    secrets: [...signed.secrets, ...hidden],
  };
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
