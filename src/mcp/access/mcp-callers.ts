import type { Session } from '../../accounts/session-tokens.ts';
import { KeyAccess } from '../../kernel/access-rules.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { Role } from '../../kernel/ports/identities.ts';
import type { McpCaller } from '../../kernel/ports/mcp.ts';
import type { McpKeyPeople } from '../../kernel/ports/mcp-authorization.ts';

/** Whose request it is. */
export interface McpRequester {
  readonly accountId: string;
  /** Null in local mode. */
  readonly keyId: string | null;
  readonly endUser: string | undefined;
}

/** The user of a local gateway, in the rows of authorizations. */
export const localPersonId = 'local';

/** Says who makes a request, with the person and the roles as they are stored now: one query for each request. */
export class McpCallers {
  readonly #keyPeople: Pick<McpKeyPeople, 'current'>;

  constructor(keyPeople: Pick<McpKeyPeople, 'current'>) {
    this.#keyPeople = keyPeople;
  }

  /** Rejects if the key was revoked meanwhile. */
  async ofKey({ accountId, keyId, endUser }: McpRequester): Promise<McpCaller> {
    if (keyId === null) return { ...localCaller, accountId, endUser };
    const key = await this.#keyPeople.current(accountId, keyId);
    if (key === undefined) throw new GatewayError('invalid_api_key', 'this API key was revoked');
    const { projectId, tools, person } = key;
    return {
      ...{ accountId, keyId, projectId, endUser },
      access: KeyAccess.of(tools && { tools }),
      personId: person?.id,
      roles: person?.roles ?? [],
    };
  }

  /** A service account, or a person who is logged in. The session was read with this request. */
  ofSession({ accountId, identityId, isService, role }: Session): McpCaller {
    return this.ofMember({ accountId, personId: isService ? undefined : String(identityId), role });
  }

  /** The role was read with this request. */
  ofMember({ accountId, personId, role }: McpMember): McpCaller {
    return {
      ...{ accountId, keyId: null, projectId: null, access: undefined, endUser: undefined },
      personId,
      roles: [role],
    };
  }
}

interface McpMember {
  readonly accountId: string;
  readonly personId: string | undefined;
  readonly role: Role;
}

const localCaller = {
  keyId: null,
  projectId: null,
  access: undefined,
  personId: localPersonId,
  roles: ['owner'],
} as const;
