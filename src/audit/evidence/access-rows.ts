import { limits as kernelLimits } from '../../kernel/limits.ts';
import type { ListedMember } from '../../kernel/ports/identities.ts';
import type { ListedProjectMember, Project } from '../../kernel/ports/projects.ts';
import type { ApiKey, Database } from '../../kernel/ports/records.ts';
import { type EvidenceRow, timeOf } from './rows.ts';

export type AccessTables = Pick<
  Database,
  | 'members'
  | 'loginFactors'
  | 'projects'
  | 'projectMembers'
  | 'serviceAccounts'
  | 'signOns'
  | 'signOnDomains'
  | 'scimTokens'
  | 'scimUsers'
  | 'scimGroups'
  | 'tokenIssuers'
  | 'apiKeys'
>;

/** Who and what can reach an account, without any secret. */
export async function* accessRows(tables: AccessTables, account: string): AsyncIterable<EvidenceRow> {
  yield* memberRows(tables, account);
  yield* projectRows(tables, account);
  yield* serviceAccountRows(tables, account);
  yield* signOnRows(tables, account);
  for (const issuer of await tables.tokenIssuers.list(account)) {
    const { id, audience, rules, createdAtMs, updatedAtMs } = issuer;
    const times = { created_at: timeOf(createdAtMs), updated_at: timeOf(updatedAtMs) };
    yield ['token_issuers', { account, id, issuer: issuer.issuer, audience, ...times, ...ruleFields(rules) }];
  }
  for (const key of await tables.apiKeys.list(account)) yield ['api_keys', keyFields(key)];
}

async function* memberRows(
  { members, loginFactors }: AccessTables,
  account: string,
): AsyncIterable<EvidenceRow> {
  const listed = inPages<ListedMember>((after, limit) => members.page(account, { after, limit }));
  for await (const { identityId, email, verified, role, sinceMs } of listed) {
    const [passkeys, factor] = await Promise.all([
      loginFactors.passkeys(identityId),
      loginFactors.secondFactor(identityId),
    ]);
    yield [
      'members',
      {
        ...{ account, id: identityId, email, email_verified: verified, role, since: timeOf(sinceMs) },
        passkeys: passkeys.length,
        second_factor_since: timeOf(factor?.sinceMs),
        recovery_codes_left: factor?.recoveryCodesLeft ?? 0,
      },
    ];
  }
}

async function* projectRows(
  { projects, projectMembers }: AccessTables,
  account: string,
): AsyncIterable<EvidenceRow> {
  const listed = inPages<Project>((after, limit) => projects.page(account, { after, limit }));
  for await (const { id: project, name, createdAtMs, archivedAtMs } of listed) {
    const times = { created_at: timeOf(createdAtMs), archived_at: timeOf(archivedAtMs) };
    yield ['projects', { account, id: project, name, ...times }];
    const people = inPages<ListedProjectMember>((after, limit) =>
      projectMembers.page(project, { after, limit }),
    );
    for await (const { memberId: id, email, name: service, role, sinceMs } of people)
      yield [
        'project_members',
        { account, project, id, email, service_account: service, role, since: timeOf(sinceMs) },
      ];
  }
}

async function* serviceAccountRows(
  { serviceAccounts }: AccessTables,
  account: string,
): AsyncIterable<EvidenceRow> {
  const tokens = await serviceAccounts.tokens(account);
  for (const { id, name, role, createdAtMs, disabledAtMs } of await serviceAccounts.list(account))
    yield [
      'service_accounts',
      {
        ...{ account, id, name, role },
        created_at: timeOf(createdAtMs),
        disabled_at: timeOf(disabledAtMs),
        tokens: tokens
          .filter(({ serviceAccountId }) => serviceAccountId === id)
          .map((token) => ({
            id: token.id,
            created_at: timeOf(token.createdAtMs),
            last_used_at: timeOf(token.usedAtMs),
            expires_at: timeOf(token.expiresAtMs),
          })),
      },
    ];
}

/** Single sign-on, its domains, and what an identity provider manages by SCIM. */
async function* signOnRows(tables: AccessTables, account: string): AsyncIterable<EvidenceRow> {
  const signOn = await tables.signOns.find(account);
  const domains = await tables.signOnDomains.list(account);
  const tokens = await tables.scimTokens.list(account);
  const users = await tables.scimUsers.count(account);
  yield [
    'sign_on',
    {
      account,
      provider: signOn === undefined ? null : signOnFields(signOn),
      domains: domains.map(({ domain, addedAtMs, provenAtMs, provenBy }) => ({
        ...{ domain, added_at: timeOf(addedAtMs), proven_at: timeOf(provenAtMs) },
        proven_by: provenBy ?? null,
      })),
      scim: {
        users: users.users,
        active_users: users.active,
        groups: await tables.scimGroups.count(account),
        tokens: tokens.map(({ id, name, createdAtMs, usedAtMs }) => ({
          ...{ id, name, created_at: timeOf(createdAtMs), last_used_at: timeOf(usedAtMs) },
        })),
      },
    },
  ];
}

type SignOn = NonNullable<Awaited<ReturnType<AccessTables['signOns']['find']>>>;

function signOnFields(signOn: SignOn) {
  const { issuer, clientId, secret, groupsClaim, groupRoles, defaultRole, isEnforced, breakGlass } = signOn;
  return {
    ...{ issuer, client_id: clientId, has_secret: secret !== undefined, is_enforced: isEnforced },
    ...{ groups_claim: groupsClaim ?? null, group_roles: groupRoles, default_role: defaultRole ?? null },
    break_glass: breakGlass ?? null,
    updated_at: timeOf(signOn.updatedAtMs),
  };
}

type TokenRules = Awaited<ReturnType<AccessTables['tokenIssuers']['list']>>[number]['rules'];

function ruleFields(rules: TokenRules) {
  return {
    ...{ jwks_uri: rules.jwksUri, algorithms: rules.algorithms, subject_claim: rules.subjectClaim },
    ...{ required_claims: rules.requiredClaims, key: rules.keyId, project_claim: rules.projectClaim },
    project_keys: rules.projectKeys.map(({ value, keyId }) => ({ value, key: keyId })),
  };
}

/** Neither the key nor its hash. */
function keyFields(key: ApiKey) {
  const { expiresAtMs, endUser, ...rules } = key.access ?? {};
  const { requestsPerMinute, tokensPerMinute, concurrent } = key.limits ?? {};
  return {
    ...{ account: key.accountId, id: key.id, name: key.name, owner: key.owner, project: key.projectId },
    created_at: timeOf(key.createdAtMs),
    last_used_at: timeOf(key.lastUsedAtMs),
    revoked_at: timeOf(key.revokedAtMs),
    access: { ...rules, end_user: endUser, expires_at: timeOf(expiresAtMs) },
    limits: { requests_per_minute: requestsPerMinute, tokens_per_minute: tokensPerMinute, concurrent },
    ...{ pipeline: key.pipelineConfig, recordings: key.record, receipts: key.receipts },
  };
}

/** All items of a list that is read in pages. */
async function* inPages<Item>(
  read: (after: Item | undefined, limit: number) => Promise<readonly Item[]>,
): AsyncIterable<Item> {
  const limit = kernelLimits.databaseRowsAtOnce;
  for (let after: Item | undefined; ; ) {
    const page: readonly Item[] = await read(after, limit);
    yield* page;
    if (page.length < limit) return;
    after = page.at(-1);
  }
}
