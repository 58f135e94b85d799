/** Events by what they are about. */
export const auditSubjects = {
  'Log-ins and passwords': [
    ...['login.succeeded', 'login.failed', 'password.changed', 'password.reset', 'password.link_created'],
    ...['email.verified', 'session.ended', 'session.switched', 'passkey.added', 'passkey.removed'],
    ...['second_factor.on', 'second_factor.off'],
  ],
  'Single sign-on': [
    ...['sign_on.changed', 'sign_on.removed', 'sign_on.tested', 'sign_on.domain_added'],
    ...['sign_on.domain_proven', 'sign_on.domain_removed', 'sign_on.succeeded', 'sign_on.refused'],
    ...['sign_on.bypassed', 'sign_on.logged_out'],
  ],
  'People from the identity provider': [
    ...['scim.token_created', 'scim.token_revoked', 'scim.user_created', 'scim.user_changed'],
    ...['scim.user_deleted', 'scim.group_created', 'scim.group_changed', 'scim.group_deleted'],
  ],
  'Organization and members': [
    ...['organization.created', 'organization.renamed', 'organization.deletion_scheduled'],
    ...['organization.restored', 'member.invited', 'member.invitation_revoked', 'member.joined'],
    ...['member.role_changed', 'member.removed', 'member.left'],
  ],
  Projects: [
    ...['project.created', 'project.renamed', 'project.archived', 'project.restored'],
    ...['project.member_changed', 'project.member_removed'],
  ],
  'Service accounts': [
    ...['service_account.created', 'service_account.changed', 'service_account.disabled'],
    ...['service_account.enabled', 'service_account.deleted', 'service_account.token_created'],
    'service_account.token_revoked',
  ],
  'Issuers of tokens': ['token_issuer.created', 'token_issuer.changed', 'token_issuer.deleted'],
  Budgets: ['budget.created', 'budget.changed', 'budget.deleted'],
  'API keys': ['key.created', 'key.changed', 'key.revoked'],
  Providers: ['provider_key.stored', 'provider_key.deleted', 'provider.stored', 'provider.deleted'],
  'MCP servers': [
    ...['mcp_server.stored', 'mcp_server.deleted', 'mcp_client.stored', 'mcp_client.deleted'],
    ...['mcp_authorization.begun', 'mcp_authorization.granted', 'mcp_authorization.refused'],
    'mcp_authorization.revoked',
  ],
  'Rules and prompts': [
    ...['configuration.stored', 'configuration.deleted', 'prompt.stored', 'prompt.label_moved'],
    ...['prompt.label_deleted', 'prompt.deleted', 'pipeline.stored', 'pipeline.deleted', 'module.changed'],
  ],
  'Exports and retention': [
    ...['account.exported', 'account.imported', 'log.exported', 'audit.exported', 'log.retention_changed'],
    ...['retention.changed', 'legal_hold.placed', 'legal_hold.released'],
    ...['evidence.exported', 'recordings.changed', 'recordings.deleted', 'cache.cleared'],
  ],
  'Refused attempts': ['access.refused', 'login.failed'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type AuditSubject = keyof typeof auditSubjects;

export function isSubject(text: string): text is AuditSubject {
  return Object.hasOwn(auditSubjects, text);
}

/** `provider_key.stored` is “Provider key stored”; of a refused attempt, what was attempted. */
export function textOf({ event, attempt }: { readonly event: string; readonly attempt?: unknown }): string {
  const text = (typeof attempt === 'string' ? attempt : event).replaceAll(/[._]/g, ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
