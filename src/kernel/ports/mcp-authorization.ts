import type { Role } from './identities.ts';

export interface SealedSecret {
  readonly sealedBy: string;
  readonly sealed: Uint8Array;
}

export interface McpGrantId {
  readonly accountId: string;
  /** The person; `local` for the user of a local gateway. */
  readonly personId: string;
  /** The name of the server. */
  readonly server: string;
}

/** What a person has authorized the gateway to do at a server. */
export interface McpGrant extends McpGrantId {
  readonly issuer: string;
  readonly resource: string;
  readonly clientId: string;
  /** The tokens. */
  readonly tokens: SealedSecret;
  /** The scopes that were granted, separated by blanks. */
  readonly scope: string;
  /** Scopes that the server has asked for since; undefined if it has not. */
  readonly wantedScope: string | undefined;
  /** When the access token ends; undefined if the issuer does not say. */
  readonly expiresAtMs: number | undefined;
  /** Changes with each change of the tokens. */
  readonly version: string;
  /** Whether the person has to authorize the gateway again. */
  readonly isEnded: boolean;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Where a refresh of tokens stands. */
export interface RefreshLease {
  /** The version that is refreshed. */
  readonly version: string;
  readonly holder: string;
}

/** The authorizations of people at MCP servers, at most one for a person and a server. */
export interface McpGrants {
  find(id: McpGrantId): Promise<McpGrant | undefined>;
  /** Those of a person in an account, by server. */
  list(accountId: string, personId: string): Promise<readonly McpGrant[]>;
  /** Replaces an earlier one. False without a change if the person is no member of the account any more. */
  put(grant: McpGrant): Promise<boolean>;
  /** Lets one process refresh the tokens; false if another one does, or has done so. */
  lease(
    id: McpGrantId,
    lease: RefreshLease,
    time: { readonly nowMs: number; readonly untilMs: number },
  ): Promise<boolean>;
  /** Stores refreshed tokens; false if the lease was lost, or the authorization was deleted or replaced. */
  renew(grant: McpGrant, lease: RefreshLease): Promise<boolean>;
  release(id: McpGrantId, lease: RefreshLease): Promise<void>;
  /** Without a change if the tokens are others by now. */
  end(id: McpGrantId, version: string, nowMs: number): Promise<void>;
  /** Notes scopes that the server has asked for. */
  want(id: McpGrantId, scope: string): Promise<void>;
  /** Resolves to what was deleted. */
  delete(id: McpGrantId): Promise<McpGrant | undefined>;
  /** Deletes those of all people at a server of an account. */
  forgetServer(accountId: string, server: string): Promise<void>;
  /** Deletes all of an account, with its clients. */
  forget(accountId: string): Promise<void>;
  /** Those whose tokens another key has sealed, in a fixed order. */
  notSealedBy(sealedBy: string, most: number): Promise<readonly McpGrant[]>;
  /** Replaces the seal of the same tokens; false if they have changed. */
  reseal(grant: McpGrant, tokens: SealedSecret): Promise<boolean>;
}

/** How an issuer knows the gateway. */
export interface McpClient {
  readonly accountId: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a public client. */
  readonly secret: SealedSecret | undefined;
  /** Whether the gateway has registered itself. */
  readonly isDynamic: boolean;
  readonly updatedAtMs: number;
}

/** The clients of accounts at issuers, one for each issuer. */
export interface McpClients {
  find(accountId: string, issuer: string): Promise<McpClient | undefined>;
  list(accountId: string): Promise<readonly McpClient[]>;
  /** Replaces an earlier one; false without a change if the account has `most` others. */
  put(client: McpClient, most: number): Promise<boolean>;
  /** Resolves to the one that is stored: this one, or one that was there already. */
  putIfAbsent(client: McpClient): Promise<McpClient>;
  delete(accountId: string, issuer: string): Promise<boolean>;
  /** Those whose secret another key has sealed, in a fixed order. */
  notSealedBy(sealedBy: string, most: number): Promise<readonly McpClient[]>;
  /** Replaces the seal of the same secret; false if it has changed. */
  reseal(client: McpClient, secret: SealedSecret): Promise<boolean>;
}

/** For whom API keys act. Only the person can say so. */
export interface McpKeyPeople {
  /** The people of the active keys of an account that act for somebody. */
  list(accountId: string): Promise<ReadonlyMap<string, string>>;
  /** Undefined if the key acts for nobody. */
  personOf(accountId: string, keyId: string): Promise<string | undefined>;
  /** Null for nobody. */
  set(
    key: { readonly accountId: string; readonly keyId: string },
    personId: string | null,
    nowMs: number,
  ): Promise<void>;
  /** An active key as of now, with its person, if that is a member still; undefined if it was revoked. */
  current(accountId: string, keyId: string): Promise<CurrentKey | undefined>;
}

export interface CurrentKey {
  readonly projectId: string | null;
  readonly tools: readonly string[] | undefined;
  readonly person: { readonly id: string; readonly roles: readonly Role[] } | undefined;
}
