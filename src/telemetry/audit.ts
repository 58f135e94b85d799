import { limits } from './limits.ts';
import type { Log } from './log.ts';
import { RepeatedLines } from './repeated-lines.ts';

/** Every event with a line in the audit log, and its message. */
export const auditMessages = {
  'account.created': 'an account was created',
  'account.deleted': 'an account was deleted',
  'account.exported': 'the data of an account was exported',
  'account.imported': 'data was imported into an account',
  'account.disabled': 'an account was disabled',
  'account.enabled': 'an account was enabled',
  'tier.changed': 'the tier of an account was changed',
  'login.succeeded': 'a user logged in',
  'login.failed': 'a login or a confirmation by password failed',
  'password.changed': 'a password was changed',
  'password.reset': 'a password was set with a link',
  'password.link_created': 'an operator created a password reset link',
  'email.verified': 'an email address was verified',
  'session.ended': 'a user ended a session',
  'invitation.created': 'an operator invited an address',
  'invitation.revoked': 'an operator revoked an invitation',
  'session.switched': 'a user switched to another of their accounts',
  'organization.created': 'an organization was created',
  'organization.renamed': 'an organization got another name',
  'organization.deletion_scheduled': 'an owner decided to delete an organization',
  'organization.restored': 'an owner took the deletion of an organization back',
  'member.invited': 'a person was invited into an account',
  'member.invitation_revoked': 'an invitation into an account was revoked',
  'member.joined': 'a person became a member of an account',
  'member.role_changed': 'the role of a member was changed',
  'member.removed': 'a member was removed from an account',
  'member.left': 'a member left an account',
  'key.created': 'an API key was created',
  'key.changed': 'an API key was changed',
  'key.revoked': 'an API key was revoked',
  'provider_key.stored': 'a provider key was stored',
  'provider_key.deleted': 'a provider key was deleted',
  'provider.stored': 'an account defined a provider, or changed it',
  'provider.deleted': 'an account deleted a provider that it had defined',
  'configuration.stored': 'a configuration was stored',
  'configuration.deleted': 'a configuration was deleted',
  'prompt.stored': 'a version of a prompt was stored',
  'prompt.label_moved': 'a label of a prompt was moved',
  'prompt.label_deleted': 'a label of a prompt was deleted',
  'prompt.deleted': 'a prompt or a version of it was deleted',
  'log.retention_changed': 'how long an account keeps its calls was changed',
  'pipeline.stored': 'the pipeline of the gateway was stored',
  'pipeline.deleted': 'the stored pipeline of the gateway was deleted',
} as const;

export type AuditEvent = keyof typeof auditMessages;

export function isAuditEvent(name: unknown): name is AuditEvent {
  return typeof name === 'string' && Object.hasOwn(auditMessages, name);
}

/** Ids, names and addresses; never a secret or what a client typed without being known. */
export interface AuditFacts {
  /** Who did it: `user:<id>`, `key:<id>`, `local`, `operator:<login name>` or `stripe`. */
  readonly actor?: string | undefined;
  /** The account that it concerns. */
  readonly account?: string | undefined;
  /** The API key that it concerns. */
  readonly key?: string | undefined;
  /** The invited address. */
  readonly email?: string;
  /** The id of the person who is a member. */
  readonly member?: string;
  readonly role?: string;
  readonly roleBefore?: string;
  /** The id of an invitation into an account. */
  readonly invitation?: string;
  readonly provider?: string;
  /** The id of the provider key. */
  readonly providerKey?: string;
  readonly tier?: string;
  /** The changed fields of a key. */
  readonly changed?: readonly string[];
  /** `module:name`. */
  readonly configuration?: string;
  /** The name of a prompt, or a version of it such as `support@3`. */
  readonly prompt?: string;
  readonly label?: string;
  /** How long calls are kept; null for as long as the instance keeps them. */
  readonly days?: number | null;
  /** The error code of a failure. */
  readonly reason?: string;
  /** The user whose login failed, if the address has an account. */
  readonly user?: string | undefined;
  /** The request and the network address that it came from. */
  readonly id?: string;
  readonly address?: string;
}

/** An event of a route; the route adds who did it, and the request. */
export interface AuditRecord extends AuditFacts {
  readonly event: AuditEvent;
}

/** Writes a line for each change of accounts and credentials, and for failed logins. */
export class Audit {
  readonly #log: Pick<Log, 'audit'>;
  readonly #throttled: RepeatedLines;

  constructor(log: Pick<Log, 'audit'>, intervalMs: number = limits.refusalIntervalMs) {
    this.#log = log;
    this.#throttled = new RepeatedLines(intervalMs);
  }

  record({ event, ...facts }: AuditRecord): void {
    const write = (attributes: object) => this.#log.audit({ event, ...attributes }, auditMessages[event]);
    // Rejecting an attempt costs an attacker nothing, so that the number of lines must be bounded.
    if (facts.reason !== 'too_many_attempts') write(facts);
    else
      this.#throttled.write(event, {
        first: () => write(facts),
        others: (more) => write({ reason: facts.reason, more }),
      });
  }

  flush(): void {
    this.#throttled.flush();
  }
}
