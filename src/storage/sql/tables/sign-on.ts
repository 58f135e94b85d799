import type { IdentityId } from '../../../kernel/ports/identities.ts';

/** Single sign-on of organizations. */
export interface SignOnTables {
  readonly sign_ons: {
    readonly account_id: string;
    readonly issuer: string;
    readonly client_id: string;
    /** The client secret; null for a public client. */
    readonly sealed_by: string | null;
    readonly sealed: Uint8Array | null;
    readonly groups_claim: string | null;
    /** JSON: pairs of a group and a role. */
    readonly group_roles: string;
    readonly default_role: string | null;
    readonly enforced: number;
    readonly break_glass: IdentityId | null;
    readonly updated_at_ms: number;
  };
  readonly sign_on_domains: {
    readonly account_id: string;
    /** Unique among the proven ones. */
    readonly domain: string;
    readonly token: string;
    readonly added_at_ms: number;
    readonly proven_at_ms: number | null;
    readonly proven_by: string | null;
  };
  /** Issuers whose tokens are accepted as credentials of calls. */
  readonly token_issuers: {
    readonly id: string;
    readonly account_id: string;
    readonly issuer: string;
    /** Unique with the issuer. */
    readonly audience: string;
    /** JSON. */
    readonly rules: string;
    readonly created_at_ms: number;
    readonly updated_at_ms: number;
  };
  /** The people whom identity providers name. */
  readonly sign_on_subjects: {
    readonly account_id: string;
    readonly issuer: string;
    readonly subject: string;
    readonly identity_id: IdentityId;
    readonly since_ms: number;
  };
}
