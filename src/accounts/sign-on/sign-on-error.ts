import { GatewayError } from '../../kernel/errors.ts';

/** Why a person could not sign on: for the page, the audit log and tests. */
export const refusals = {
  attempt: 'this sign-on was not begun in this browser, took too long, or was used already; begin again',
  provider_refused: 'the identity provider refused the sign-on',
  provider_unavailable: 'the identity provider can’t be reached or gave no valid answer; try again later',
  invalid_answer: 'the answer of the identity provider is not valid',
  email_missing: 'the identity provider sent no mail address',
  email_unverified: 'the identity provider does not say that the mail address is verified',
  email_domain: 'the mail address is of no domain that the organization has proven',
  groups_missing: 'the identity provider did not send your groups; it may leave them out if there are many',
  no_role: 'your groups give you no role in the organization; ask its administrators',
  deactivated: 'the identity provider has deactivated you; ask an administrator of your organization',
  other_subject:
    'the identity provider has given this mail address to another person; an owner has to remove the earlier member first',
  disabled: 'this account is disabled; contact the operator',
  limit_reached: 'the organization can have no further members, or you no further organizations',
} as const;

export type SignOnRefusal = keyof typeof refusals;

/** A sign-on that failed; `refusal` is the detail of the error. */
export class SignOnFailure extends Error {
  readonly refusal: SignOnRefusal;

  constructor(refusal: SignOnRefusal, cause?: unknown) {
    super(refusals[refusal], { cause });
    this.refusal = refusal;
  }

  get error(): GatewayError {
    return new GatewayError('sign_on_failed', this.message, { detail: this.refusal, cause: this.cause });
  }
}
