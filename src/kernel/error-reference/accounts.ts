import type { ErrorDescriptions } from '../error-reference.ts';

export const accountErrors = {
  wrong_login: {
    cause: 'The e-mail address or the password is wrong; in local mode, the token.',
    remedy: 'Correct it, or reset the password.',
  },
  wrong_password: {
    cause: 'The password that confirms a change of the account is wrong.',
    remedy: 'Send the account’s current password.',
  },
  second_factor_required: {
    cause:
      'The password is right, and the person has switched the [second factor](../guides/accounts.md#passkeys) on.',
    remedy: 'Send the response of a passkey, or a recovery code, to `POST /v1/users/login/second-factor`.',
  },
  wrong_second_factor: {
    cause: 'The recovery code is wrong or was used.',
    remedy: 'Send another one, or use a passkey.',
  },
  wrong_passkey: {
    cause:
      'The [passkey](../guides/accounts.md#passkeys) is not registered, was registered at another address of the gateway, or its signature is wrong.',
    remedy: 'Log in with another passkey or with the password.',
  },
  passkey_exists: {
    cause: 'The [passkey](../guides/accounts.md#passkeys) is registered already.',
    remedy: 'Nothing needs to be done.',
  },
  passkey_limit_reached: {
    cause: 'The person has as many [passkeys](../guides/accounts.md#passkeys) as they may have.',
    remedy: 'Remove one of a device that is no longer used.',
  },
  passkey_needed: {
    cause: 'The [second factor](../guides/accounts.md#passkeys) needs at least one passkey.',
    remedy:
      'Add a passkey before the second factor is switched on, and switch it off before the last one is removed.',
  },
  passkeys_unavailable: {
    cause: 'Browsers have passkeys for `https` addresses with a domain name, and for `localhost`, alone.',
    remedy: 'The operator sets `WEIR_BASE_URL` to such an address.',
  },
  invalid_token: {
    cause:
      'The link of a mail or of an invitation, or the challenge of a login, was used before, was revoked, or has expired.',
    remedy: 'Request another mail, ask for another invitation, or start the login again.',
  },
  account_disabled: {
    cause: 'The operator has disabled the account.',
    remedy: 'Ask the operator of the gateway.',
  },
  email_taken: {
    cause: 'An account with this e-mail address exists.',
    remedy: 'Log in, or reset the password.',
  },
  signup_closed: {
    cause: 'The operator has closed sign-up ([`WEIR_SIGNUP=off`](../guides/accounts.md#who-can-sign-up)).',
    remedy: 'Ask the operator of the gateway for an account.',
  },
  invitation_required: {
    cause:
      'Sign-up is [by invitation](../guides/accounts.md#who-can-sign-up), and the invitation is missing, was used, has expired, or is for another address.',
    remedy: 'Ask the operator of the gateway for an invitation.',
  },
  email_unverified: {
    cause: 'Only people with a verified mail address may invite others by mail.',
    remedy: 'Open the link of the mail from your sign-up, or request another in the account’s settings.',
  },
  sign_on_failed: {
    cause:
      'A [single sign-on](../guides/single-sign-on.md#what-can-go-wrong) was refused; `detail` says why.',
    remedy: 'Begin again; if it is refused again, show `detail` to an administrator of the organization.',
  },
  sign_on_required: {
    cause:
      'The organization enforces [single sign-on](../guides/single-sign-on.md#enforce-it) for your mail address.',
    remedy: 'Sign in with single sign-on.',
  },
  scim_token_limit_reached: {
    cause: 'The organization has as many [SCIM tokens](../guides/provisioning.md#tokens) as it may have.',
    remedy: 'Revoke one that is no longer used.',
  },
  token_issuer_limit_reached: {
    cause: 'The organization accepts tokens of as many [issuers](../guides/issued-tokens.md) as it may.',
    remedy: 'Delete one that is no longer used.',
  },
  token_issuer_exists: {
    cause: 'An [issuer](../guides/issued-tokens.md) with this address and audience is configured already.',
    remedy: 'Change that one, or choose another audience.',
  },
  scim_refused: {
    cause:
      'An identity provider has asked for a change by [SCIM](../guides/provisioning.md#what-can-go-wrong) that contradicts others: a name or address that another user has, too many users or groups, or the end of the last owner.',
    remedy: 'The message says what to change, at the identity provider or in the organization.',
  },
  scim_version: {
    cause:
      'The `If-Match` of a [SCIM](../guides/provisioning.md) request names another version of the resource.',
    remedy: 'Read the resource, and send the change with its version.',
  },
  domain_taken: {
    cause: 'Another organization has proven the [domain](../guides/single-sign-on.md#domains).',
    remedy: 'Ask the operator, if it is yours.',
  },
  domain_unproven: {
    cause:
      'The [DNS record](../guides/single-sign-on.md#domains) of the domain was not found, or the organization has no proven domain.',
    remedy:
      'Add the record that the route shows, and try again when it is public, or ask the operator to confirm the domain.',
  },
  already_member: {
    cause: 'The person is a member of the [organization](../guides/organizations.md) already.',
    remedy: 'Nothing needs to be done.',
  },
  legal_hold: {
    cause:
      'A [legal hold](../guides/retention.md#legal-holds) stands on the account, so that nothing that it covers may be deleted.',
    remedy:
      'An owner or the operator, whoever has placed it, releases it. `GET /v1/organization/holds` has the reason.',
  },
  last_owner: {
    cause:
      'An [organization](../guides/organizations.md) would have no owner. People stay owners of the account that came with their sign-up.',
    remedy: 'Make another member an owner first, or delete the organization.',
  },
  member_limit_reached: {
    cause:
      'The [organization](../guides/organizations.md#limits) has as many members or open invitations, or the person as many organizations, as they may have.',
    remedy: 'Remove members, revoke invitations, or leave an organization.',
  },
  service_account_limit_reached: {
    cause:
      'The organization has as many [service accounts](../guides/service-accounts.md), or the service account as many tokens, as there may be.',
    remedy: 'Delete a service account, or revoke a token.',
  },
  service_account_exists: {
    cause: 'The organization has a [service account](../guides/service-accounts.md) of this name.',
    remedy: 'Choose another name.',
  },
  project_limit_reached: {
    cause:
      'The organization has as many [projects](../guides/projects.md), with the archived ones, as it may have.',
    remedy: 'Rename an archived one and restore it.',
  },
  project_exists: {
    cause: 'The organization has a [project](../guides/projects.md) of this name, which may be archived.',
    remedy: 'Choose another name, or restore that project.',
  },
  project_archived: {
    cause: 'Keys of an archived [project](../guides/projects.md) are refused, and it gets no further ones.',
    remedy: 'Restore it with `POST /v1/organization/projects/<id>/restore`, or choose another project.',
  },
  key_limit_reached: {
    cause:
      'The account outside of projects, or the project, has as many active API keys, or as many keys of one provider, as it may have.',
    remedy:
      'Revoke one with `DELETE /v1/keys/<id>`, or delete one with `DELETE /v1/byok/<provider>/keys/<id>`.',
  },
  pattern_limit_reached: {
    cause: 'The account has as many [patterns](modules/patterns.md) as it may have.',
    remedy: 'Delete some.',
  },
  budget_limit_reached: {
    cause:
      'The account has as many [budgets](../guides/budgets.md#budgets-of-an-organization) as it may have.',
    remedy: 'Delete one with `DELETE /v1/organization/budgets/<id>`.',
  },
  webhook_limit_reached: {
    cause: 'The account has as many [webhooks](../guides/alerts.md) as it may have.',
    remedy: 'Delete one with `DELETE /v1/webhooks/<id>`.',
  },
  webhook_disabled: {
    cause:
      'A message can’t be sent to a disabled [webhook](../guides/alerts.md): you switched it off, its server answered `410`, or it failed for five days.',
    remedy: 'Switch it on with `PATCH /v1/webhooks/<id>` and `{"enabled": true}`.',
  },
  mail_not_configured: {
    cause: 'The gateway sends no mail, so it can’t reset passwords or verify addresses.',
    remedy: 'The operator sets [`WEIR_SMTP_URL` and `WEIR_MAIL_FROM`](../guides/accounts.md#mail).',
  },
  local_mode: {
    cause: 'The route belongs to accounts, keys or billing, and the gateway runs in local mode.',
    remedy: 'Run the gateway with [`WEIR_MODE=cloud`](../guides/accounts.md), or do without the route.',
  },
} as const satisfies ErrorDescriptions;
