/** What happened, in the words of the page, by what it is about. */
const subjects = {
  'Log-ins and passwords': {
    'login.succeeded': 'Logged in',
    'login.failed': 'Log-in failed',
    'password.changed': 'Password changed',
    'password.reset': 'Password set with a link',
    'password.link_created': 'Link for a new password created',
    'email.verified': 'Address confirmed',
    'session.ended': 'Session ended',
    'session.switched': 'Switched to another organization',
    'passkey.added': 'Passkey added',
    'passkey.removed': 'Passkey removed',
    'second_factor.on': 'Second factor switched on',
    'second_factor.off': 'Second factor switched off',
  },
  'Single sign-on': {
    'sign_on.changed': 'Single sign-on changed',
    'sign_on.removed': 'Single sign-on removed',
    'sign_on.tested': 'Connection to the identity provider tested',
    'sign_on.domain_added': 'Domain added',
    'sign_on.domain_proven': 'Domain proven',
    'sign_on.domain_removed': 'Domain removed',
    'sign_on.succeeded': 'Signed on',
    'sign_on.refused': 'Sign-on refused',
    'sign_on.bypassed': 'Owner logged in with a password in an emergency',
    'sign_on.logged_out': 'Logged out by the identity provider',
  },
  'People from the identity provider': {
    'scim.token_created': 'SCIM token created',
    'scim.token_revoked': 'SCIM token revoked',
    'scim.user_created': 'User created by SCIM',
    'scim.user_changed': 'User changed by SCIM',
    'scim.user_deleted': 'User deleted by SCIM',
    'scim.group_created': 'Group created by SCIM',
    'scim.group_changed': 'Group changed by SCIM',
    'scim.group_deleted': 'Group deleted by SCIM',
  },
  'Organization and members': {
    'organization.created': 'Organization created',
    'organization.renamed': 'Organization renamed',
    'organization.deletion_scheduled': 'Deletion of the organization scheduled',
    'organization.restored': 'Organization restored',
    'member.invited': 'Member invited',
    'member.invitation_revoked': 'Invitation of a member revoked',
    'member.joined': 'Member joined',
    'member.role_changed': 'Member role changed',
    'member.removed': 'Member removed',
    'member.left': 'Member left',
  },
  'Account and plan': {
    'account.created': 'Account created',
    'account.deleted': 'Account deleted',
    'account.disabled': 'Account disabled',
    'account.enabled': 'Account enabled',
    'tier.changed': 'Tier changed',
    'billing.changed': 'Payment with credits changed',
    'sandbox.claimed': 'Receipts of the sandbox claimed',
  },
  Projects: {
    'project.created': 'Project created',
    'project.renamed': 'Project renamed',
    'project.archived': 'Project archived',
    'project.restored': 'Project restored',
    'project.member_changed': 'Role in a project changed',
    'project.member_removed': 'Role in a project removed',
  },
  'Service accounts': {
    'service_account.created': 'Service account created',
    'service_account.changed': 'Service account changed',
    'service_account.disabled': 'Service account disabled',
    'service_account.enabled': 'Service account enabled',
    'service_account.deleted': 'Service account deleted',
    'service_account.token_created': 'Token of a service account created',
    'service_account.token_revoked': 'Token of a service account revoked',
  },
  'Issuers of tokens': {
    'token_issuer.created': 'Issuer of tokens added',
    'token_issuer.changed': 'Issuer of tokens changed',
    'token_issuer.deleted': 'Issuer of tokens removed',
  },
  Budgets: {
    'budget.created': 'Budget created',
    'budget.changed': 'Budget changed',
    'budget.deleted': 'Budget deleted',
  },
  'API keys': {
    'key.created': 'API key created',
    'key.changed': 'API key changed',
    'key.revoked': 'API key revoked',
  },
  Providers: {
    'provider_key.stored': 'Provider key stored',
    'provider_key.deleted': 'Provider key deleted',
    'provider.stored': 'Provider stored',
    'provider.deleted': 'Provider deleted',
  },
  'MCP servers': {
    'mcp_server.stored': 'MCP server stored',
    'mcp_server.deleted': 'MCP server deleted',
    'mcp_client.stored': 'Client at an issuer stored',
    'mcp_client.deleted': 'Client at an issuer deleted',
    'mcp_authorization.begun': 'Authorization at an MCP server begun',
    'mcp_authorization.granted': 'Gateway authorized at an MCP server',
    'mcp_authorization.refused': 'Authorization at an MCP server refused',
    'mcp_authorization.revoked': 'Authorization at an MCP server revoked',
  },
  'Rules and prompts': {
    'configuration.stored': 'Configuration stored',
    'configuration.deleted': 'Configuration deleted',
    'prompt.stored': 'Prompt stored',
    'prompt.label_moved': 'Label of a prompt moved',
    'prompt.label_deleted': 'Label of a prompt deleted',
    'prompt.deleted': 'Prompt deleted',
    'pipeline.stored': 'Pipeline stored',
    'pipeline.deleted': 'Pipeline deleted',
    'module.changed': 'Contents of a module changed',
    'batch.canceled': 'Batch cancelled',
  },
  Alerts: {
    'webhook.created': 'Webhook created',
    'webhook.changed': 'Webhook changed',
    'webhook.deleted': 'Webhook deleted',
    'webhook.secret_replaced': 'Secret of a webhook replaced',
  },
  'Exports and retention': {
    'account.exported': 'Account exported',
    'account.imported': 'Account imported',
    'log.exported': 'Request log exported',
    'audit.exported': 'Audit log exported',
    'evidence.exported': 'Evidence bundle made',
    'log.retention_changed': 'Retention of the request log changed',
    'retention.changed': 'Retention changed',
    'legal_hold.placed': 'Legal hold placed',
    'legal_hold.released': 'Legal hold released',
    'recordings.changed': 'Recording changed',
    'recordings.deleted': 'Recordings deleted',
    'cache.cleared': 'Cache cleared',
  },
  Operator: {
    'invitation.created': 'Invitation to the gateway created',
    'invitation.revoked': 'Invitation to the gateway revoked',
    'settings.reloaded': 'Settings read again',
  },
  'Refused attempts': {
    'access.refused': 'Access refused',
    'login.failed': 'Log-in failed',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

export type AuditSubject = keyof typeof subjects;

export const auditSubjects: Readonly<Record<AuditSubject, Readonly<Record<string, string>>>> = subjects;

const texts = new Map(Object.values(auditSubjects).flatMap((events) => Object.entries(events)));

export function isSubject(text: string): text is AuditSubject {
  return Object.hasOwn(auditSubjects, text);
}

/** The words for an event; of a refused attempt, those for what was attempted. Another version of the gateway may have further events. */
export function textOf({ event, attempt }: { readonly event: string; readonly attempt?: unknown }): string {
  const name = typeof attempt === 'string' ? attempt : event;
  const plain = name.replaceAll(/[._]/g, ' ');
  return texts.get(name) ?? plain.charAt(0).toUpperCase() + plain.slice(1);
}
