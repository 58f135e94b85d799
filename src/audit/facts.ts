import type { AuditEvent } from './events.ts';

/** Ids, names and addresses; never a secret or what a client typed without being known. */
export interface AuditFacts {
  /** Who did it: `user:<id>`, `service:<id>`, `scim:<token id>`, `key:<id>`, `local`, `operator:<login name>` or `stripe`. */
  readonly actor?: string | undefined;
  /** The account that it concerns. */
  readonly account?: string | undefined;
  /** The API key that it concerns. */
  readonly key?: string | undefined;
  /** The project that it concerns. */
  readonly project?: string;
  /** The service account that it concerns. */
  readonly serviceAccount?: string;
  /** The id of one of its tokens. */
  readonly serviceToken?: string;
  /** The id of an issuer of tokens. */
  readonly tokenIssuer?: string;
  /** The id of a SCIM token, user or group. */
  readonly scimToken?: string;
  readonly scimUser?: string;
  readonly scimGroup?: string;
  /** The invited address. */
  readonly email?: string;
  /** The id of the person who is a member. */
  readonly member?: string;
  readonly role?: string;
  readonly roleBefore?: string;
  /** The id of an invitation into an account. */
  readonly invitation?: string;
  readonly domain?: string;
  readonly issuer?: string;
  /** How many sessions ended. */
  readonly sessions?: number;
  readonly budget?: string;
  /** Whose legal hold it is. */
  readonly side?: string;
  readonly webhook?: string;
  readonly batch?: string;
  /** A recording; undefined for all. */
  readonly recording?: string;
  /** A sandbox session. */
  readonly session?: string;
  readonly module?: string | undefined;
  /** Method and path of what was refused. */
  readonly attempt?: string;
  /** Method and path of what was changed. */
  readonly route?: string;
  /** The version of the settings. */
  readonly version?: string;
  /** The name of an MCP server. */
  readonly mcpServer?: string;
  readonly provider?: string;
  /** The id of the provider key. */
  readonly providerKey?: string;
  readonly tier?: string;
  /** The changed fields or settings. */
  readonly changed?: readonly string[];
  /** The values of the changed fields; secrets are masked when the entry is made. */
  readonly before?: object;
  readonly after?: object;
  /** `module:name`. */
  readonly configuration?: string;
  /** The name of a prompt, or a version of it such as `support@3`. */
  readonly prompt?: string;
  readonly label?: string;
  /** How long calls are kept, or a token works; null for as long as the instance keeps them, or for ever. */
  readonly days?: number | null;
  /** Whether nobody knows if it was changed: the process was killed, or something failed midway. */
  readonly outcome?: 'unknown';
  /** What made the gateway read its settings again. */
  readonly trigger?: string;
  /** The error code of a failure. */
  readonly reason?: string | undefined;
  /** How many more there were like this, which have no entry of their own. */
  readonly more?: number;
  /** The user whose login failed, if the address has an account. */
  readonly user?: string | undefined;
  /** The request, the network address that it came from, and its user agent. */
  readonly id?: string;
  readonly address?: string;
  readonly client?: string | undefined;
}

/** An event of a route; the route adds who did it, and the request. */
export interface AuditRecord extends AuditFacts {
  readonly event: AuditEvent;
  /** The id of its entry; a new one if it is left out. */
  readonly entry?: string;
}
