import type { IdentityId } from '../../../kernel/ports/identities.ts';

/** People, accounts and their credentials. */
export interface AccountTables {
  /**
   * The accounts. The columns of a person with the same id are for builds without identities: they are only written, and
   * triggers copy them to `identities` and `memberships`. An account without such a person has an empty address, and its id
   * in `email_folded`.
   */
  readonly users: {
    readonly id: string;
    readonly email: string;
    /** Case-insensitive and unique. */
    readonly email_folded: string;
    readonly password_hash: string;
    readonly tier: string;
    readonly period_start_ms: number | null;
    readonly period_end_ms: number | null;
    readonly created_at_ms: number;
    readonly tier_ends_ms: number | null;
    /** 1 if credits pay for calls past the cap. */
    readonly overage: number;
    readonly verified_at_ms: number | null;
    readonly disabled_at_ms: number | null;
    readonly name: string | null;
    /** When the account is deleted, if an owner has decided so. */
    readonly deletes_at_ms: number | null;
  };
  readonly identities: {
    readonly id: IdentityId;
    readonly email: string;
    /** Case-insensitive and unique. */
    readonly email_folded: string;
    readonly password_hash: string | null;
    readonly created_at_ms: number;
    readonly verified_at_ms: number | null;
    readonly disabled_at_ms: number | null;
  };
  readonly memberships: {
    readonly identity_id: IdentityId;
    readonly account_id: string;
    readonly role: string;
    readonly created_at_ms: number;
  };
  readonly sessions: {
    readonly id: string;
    readonly account_id: string;
    /** Null for the person with the id of the account. */
    readonly identity_id: IdentityId | null;
    readonly client: string;
    readonly created_at_ms: number;
    readonly used_at_ms: number;
    readonly expires_at_ms: number;
    /** Whom the identity provider of the account has named, and its own session; null after a login. */
    readonly sign_on_subject: string | null;
    readonly sign_on_sid: string | null;
  };
  readonly mailed_tokens: {
    readonly hash: string;
    /** The person; the column is older than identities. */
    readonly account_id: IdentityId;
    readonly purpose: string;
    readonly expires_at_ms: number;
  };
  readonly passkeys: {
    readonly id: string;
    readonly identity_id: IdentityId;
    readonly public_key: string;
    readonly counter: number;
    /** A JSON array. */
    readonly transports: string;
    readonly name: string;
    /** 0 or 1. */
    readonly backed_up: number;
    readonly created_at_ms: number;
    readonly used_at_ms: number | null;
  };
  /** People for whom a password alone is not enough. */
  readonly second_factors: {
    readonly identity_id: IdentityId;
    readonly since_ms: number;
  };
  readonly recovery_codes: {
    readonly identity_id: IdentityId;
    readonly hash: string;
  };
  readonly login_challenges: {
    /** Of its id. */
    readonly hash: string;
    readonly challenge: string;
    readonly purpose: string;
    /** Null before it is known who logs in. */
    readonly identity_id: IdentityId | null;
    readonly expires_at_ms: number;
  };
  readonly invitations: {
    /** Case-insensitive and unique. */
    readonly email_folded: string;
    readonly email: string;
    /** Of its token. */
    readonly hash: string;
    readonly created_at_ms: number;
    readonly expires_at_ms: number;
  };
  readonly member_invitations: {
    readonly id: string;
    readonly account_id: string;
    /** Null if anybody with the link may accept it. */
    readonly email: string | null;
    readonly email_folded: string | null;
    readonly role: string;
    /** Of its token. */
    readonly hash: string;
    readonly invited_by: IdentityId;
    readonly created_at_ms: number;
    readonly expires_at_ms: number;
  };
  readonly projects: {
    readonly id: string;
    readonly account_id: string;
    /** Unique in the account. */
    readonly name: string;
    readonly created_at_ms: number;
    readonly archived_at_ms: number | null;
  };
  /** Roles in projects. */
  readonly project_members: {
    readonly project_id: string;
    /** The id of a person or a service account. */
    readonly member_id: string;
    readonly account_id: string;
    readonly role: string;
    readonly created_at_ms: number;
  };
  readonly service_accounts: {
    readonly id: string;
    readonly account_id: string;
    /** Unique in the account. */
    readonly name: string;
    readonly role: string;
    readonly created_at_ms: number;
    readonly disabled_at_ms: number | null;
  };
  readonly service_account_tokens: {
    readonly id: string;
    readonly service_account_id: string;
    readonly account_id: string;
    /** Of the token. */
    readonly hash: string;
    readonly created_at_ms: number;
    readonly used_at_ms: number | null;
    readonly expires_at_ms: number | null;
  };
  /** Deleted accounts whose data may not be fully erased yet. */
  readonly erasures: {
    readonly account_id: string;
    readonly pass: number;
    readonly next_at_ms: number;
  };
  /** All deleted accounts. */
  readonly deleted_accounts: {
    readonly account_id: string;
    readonly deleted_at_ms: number;
  };
  readonly api_keys: {
    readonly id: string;
    readonly account_id: string;
    readonly prefix: string;
    readonly hash: string;
    readonly name: string;
    readonly pipeline_config: string | null;
    readonly created_at_ms: number;
    readonly last_used_at_ms: number | null;
    readonly revoked_at_ms: number | null;
    /** 1 if its calls get receipts. */
    readonly receipts: number;
    /** Which of its calls are recorded; null for the default of the instance. */
    readonly record: string | null;
    /** Rate limits of its own; null for none. */
    readonly requests_per_minute: number | null;
    readonly tokens_per_minute: number | null;
    readonly concurrent: number | null;
    /** Access rules: JSON lists of texts; null without a rule. */
    readonly access_models: string | null;
    readonly access_providers: string | null;
    readonly access_tools: string | null;
    readonly access_pipelines: string | null;
    readonly access_addresses: string | null;
    readonly expires_at_ms: number | null;
    /** The end user of all its calls. */
    readonly end_user: string | null;
    readonly owner: string | null;
    /** JSON: times by modules. */
    readonly modules_since: string | null;
    readonly project_id: string | null;
  };
  /** The first key of each provider. Its primary key has no `id`: earlier builds know one key for each provider. */
  readonly provider_keys: ProviderKeyRow;
  /** The other keys of providers that have a first one; they are deleted with it. */
  readonly further_provider_keys: ProviderKeyRow;
}

export interface ProviderKeyRow {
  readonly account_id: string;
  readonly provider: string;
  readonly id: string;
  readonly name: string;
  readonly weight: number;
  readonly sealed_by: string;
  readonly sealed: Uint8Array;
  readonly hint: string | null;
  readonly updated_at_ms: number;
}
