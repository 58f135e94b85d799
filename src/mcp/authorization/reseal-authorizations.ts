import { limits } from '../../accounts/limits.ts';
import type { Sealer } from '../../accounts/sealer.ts';
import type {
  McpClient,
  McpClients,
  McpGrant,
  McpGrants,
  SealedSecret,
} from '../../kernel/ports/mcp-authorization.ts';
import { clientContext } from './issuer-clients.ts';
import { grantContext } from './token-vault.ts';

interface ResealAuthorizationsParts {
  readonly grants: Pick<McpGrants, 'notSealedBy' | 'reseal'>;
  readonly clients: Pick<McpClients, 'notSealedBy' | 'reseal'>;
  /** Of the tokens, and of the secrets of clients. */
  readonly sealers: { readonly tokens: Sealer; readonly clients: Sealer };
}

interface ResealedAuthorizations {
  readonly resealed: number;
  /** Rows that none of the keys can open. */
  readonly unreadable: number;
}

/** Seals tokens of people and secrets of clients at issuers with the current key, while the gateway runs. Rows that change meanwhile are retried. */
export async function resealAuthorizations(
  parts: ResealAuthorizationsParts,
): Promise<ResealedAuthorizations> {
  const { grants, clients, sealers } = parts;
  const ofGrants = await resealRows<McpGrant>(sealers.tokens, {
    next: (most) => grants.notSealedBy(sealers.tokens.currentKeyId, most),
    secretOf: ({ tokens }) => tokens,
    contextOf: grantContext,
    replace: (grant, tokens) => grants.reseal(grant, tokens),
  });
  const ofClients = await resealRows<McpClient>(sealers.clients, {
    next: (most) => clients.notSealedBy(sealers.clients.currentKeyId, most),
    secretOf: ({ secret }) => secret,
    contextOf: clientContext,
    replace: (client, secret) => clients.reseal(client, secret),
  });
  return {
    resealed: ofGrants.resealed + ofClients.resealed,
    unreadable: ofGrants.unreadable + ofClients.unreadable,
  };
}

interface SealedRows<Row> {
  /** The first of those that another key has sealed. */
  next(most: number): Promise<readonly Row[]>;
  secretOf(row: Row): SealedSecret | undefined;
  contextOf(row: Row): string;
  replace(row: Row, secret: SealedSecret): Promise<boolean>;
}

async function resealRows<Row>(sealer: Sealer, rows: SealedRows<Row>): Promise<ResealedAuthorizations> {
  const unreadable = new Set<string>();
  let resealed = 0;
  for (;;) {
    // Unreadable rows come again each time.
    const found = await rows.next(limits.resealedAtOnce + unreadable.size);
    const left = found.filter((row) => !unreadable.has(rows.contextOf(row)));
    if (left.length === 0) return { resealed, unreadable: unreadable.size };
    for (const row of left) {
      const context = rows.contextOf(row);
      const secret = rows.secretOf(row);
      const text = secret && sealer.open(secret, context);
      if (text === undefined) unreadable.add(context);
      else if (await rows.replace(row, sealer.seal(text, context))) resealed++;
    }
    if (unreadable.size > limits.unreadableKeysMax)
      throw new Error(
        `more than ${limits.unreadableKeysMax} authorizations can't be decrypted: check the secret`,
      );
  }
}
