import type { IdentityId } from '../../../kernel/ports/identities.ts';

/** People and groups that identity providers manage. */
export interface ScimTables {
  readonly scim_tokens: {
    readonly id: string;
    readonly account_id: string;
    readonly name: string;
    readonly hash: string;
    readonly created_at_ms: number;
    readonly used_at_ms: number | null;
  };
  readonly scim_users: {
    readonly id: string;
    readonly account_id: string;
    readonly user_name: string;
    readonly user_name_folded: string;
    readonly external_id: string | null;
    readonly email: string;
    readonly email_folded: string;
    readonly active: number;
    readonly display_name: string | null;
    /** JSON. */
    readonly name: string;
    /** The person; null for one who was never active. */
    readonly identity_id: IdentityId | null;
    /** JSON: the roles that a deactivated member had; null for others. */
    readonly suspended: string | null;
    readonly created_at_ms: number;
    readonly updated_at_ms: number;
  };
  readonly scim_groups: {
    readonly id: string;
    readonly account_id: string;
    readonly display_name: string;
    readonly display_name_folded: string;
    readonly external_id: string | null;
    readonly created_at_ms: number;
    readonly updated_at_ms: number;
  };
  readonly scim_group_members: {
    readonly account_id: string;
    readonly group_id: string;
    readonly user_id: string;
  };
}
