/** Events by what they are about. */
export const auditSubjects = {
  'Log-ins and passwords': [
    ...['login.succeeded', 'login.failed', 'password.changed', 'password.reset', 'password.link_created'],
    ...['email.verified', 'session.ended', 'session.switched'],
  ],
  'Organization and members': [
    ...['organization.created', 'organization.renamed', 'organization.deletion_scheduled'],
    ...['organization.restored', 'member.invited', 'member.invitation_revoked', 'member.joined'],
    ...['member.role_changed', 'member.removed', 'member.left'],
  ],
  Budgets: ['budget.created', 'budget.changed', 'budget.deleted'],
  'API keys': ['key.created', 'key.changed', 'key.revoked'],
  Providers: ['provider_key.stored', 'provider_key.deleted', 'provider.stored', 'provider.deleted'],
  'MCP servers': ['mcp_server.stored', 'mcp_server.deleted'],
  'Rules and prompts': [
    ...['configuration.stored', 'configuration.deleted', 'prompt.stored', 'prompt.label_moved'],
    ...['prompt.label_deleted', 'prompt.deleted', 'pipeline.stored', 'pipeline.deleted', 'module.changed'],
  ],
  'Exports and retention': [
    ...['account.exported', 'account.imported', 'log.exported', 'audit.exported', 'log.retention_changed'],
    ...['recordings.changed', 'recordings.deleted', 'cache.cleared'],
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
