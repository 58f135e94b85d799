import { type ResealProgress, resealRows } from '../../accounts/reseal.ts';
import type { Sealer } from '../../accounts/sealer.ts';
import type { McpClient, McpClients, McpGrant, McpGrants } from '../../kernel/ports/mcp-authorization.ts';
import { clientContext } from './issuer-clients.ts';
import { grantContext } from './token-vault.ts';

interface ResealAuthorizationsParts {
  readonly grants: Pick<McpGrants, 'notSealedBy' | 'reseal'>;
  readonly clients: Pick<McpClients, 'notSealedBy' | 'reseal'>;
  /** Of the tokens, and of the secrets of clients. */
  readonly sealers: { readonly tokens: Sealer; readonly clients: Sealer };
}

const plural = 'authorizations';

/** Reseals the tokens of people and the secrets of clients at issuers with the current key. */
export async function resealAuthorizations(parts: ResealAuthorizationsParts): Promise<ResealProgress> {
  const { grants, clients, sealers } = parts;
  const ofGrants = await resealRows<McpGrant>({
    ...{ plural, sealer: sealers.tokens, contextOf: grantContext },
    notSealedBy: (keyId, most) => grants.notSealedBy(keyId, most),
    secretOf: ({ tokens }) => tokens,
    replace: (grant, tokens) => grants.reseal(grant, tokens),
  });
  const ofClients = await resealRows<McpClient>({
    ...{ plural, sealer: sealers.clients, contextOf: clientContext },
    notSealedBy: (keyId, most) => clients.notSealedBy(keyId, most),
    secretOf: ({ secret }) => secret,
    replace: (client, secret) => clients.reseal(client, secret),
  });
  return {
    resealed: ofGrants.resealed + ofClients.resealed,
    unreadable: ofGrants.unreadable + ofClients.unreadable,
  };
}
