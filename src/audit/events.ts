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
