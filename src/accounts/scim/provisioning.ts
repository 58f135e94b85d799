import { randomUUID } from 'node:crypto';
import {
  type ScimEffects,
  ScimFilterError,
  type ScimGroup,
  type ScimGroupMember,
  type ScimGroups,
  type ScimOutcome,
  type ScimPage,
  type ScimQuery,
  type ScimUser,
  type ScimUserFields,
  type ScimUsers,
} from '../../kernel/ports/scim.ts';
import type { Versions } from '../../kernel/ports/shared-state.ts';
import type { SignOnDomains } from '../../kernel/ports/sign-on.ts';
import type { Clock } from '../../lib/clock.ts';
import { isUuid } from '../../lib/uuid.ts';
import { limits } from '../limits.ts';
import { domainOf } from '../sign-on/email-domain.ts';
import { changeGroup, emptyGroup, memberChange } from './group-changes.ts';
import type { AttributeChange } from './operations.ts';
import { badRequest, refusalError } from './scim-error.ts';
import type { ScimClient } from './scim-tokens.ts';
import { changeUser, emptyUser } from './user-changes.ts';

export interface ProvisioningParts {
  readonly scimUsers: ScimUsers;
  readonly scimGroups: ScimGroups;
  readonly domains: Pick<SignOnDomains, 'list'>;
  readonly versions: Versions;
  readonly clock: Clock;
  /** Deletes stored content that somebody else may have left in an account. */
  forgetContent(accountId: string): Promise<void>;
  /** Called after each change of memberships. */
  onEffects(actor: ProvisioningActor, effects: ScimEffects): Promise<void>;
}

/** Who changes an organization, for the audit log. */
interface ProvisioningActor {
  readonly accountId: string;
  readonly actor: string;
}

/** Where a change goes. */
interface Target {
  readonly id: string;
  /** The version that the client knows; undefined for any. */
  readonly ifVersion: number | undefined;
}

/** The people and groups of an organization, as its identity provider manages them. */
export class Provisioning {
  readonly #parts: ProvisioningParts;

  constructor(parts: ProvisioningParts) {
    this.#parts = parts;
  }

  async count(
    accountId: string,
  ): Promise<{ readonly users: number; readonly active: number; readonly groups: number }> {
    const { scimUsers, scimGroups } = this.#parts;
    return { ...(await scimUsers.count(accountId)), groups: await scimGroups.count(accountId) };
  }

  users({ accountId }: ScimClient, query: ScimQuery): Promise<ScimPage<ScimUser>> {
    return withFilterErrors(() => this.#parts.scimUsers.page(accountId, query));
  }

  groups({ accountId }: ScimClient, query: ScimQuery): Promise<ScimPage<ScimGroup>> {
    return withFilterErrors(() => this.#parts.scimGroups.page(accountId, query));
  }

  async user({ accountId }: ScimClient, id: string): Promise<ScimUser> {
    const found = isUuid(id) ? await this.#parts.scimUsers.find(accountId, id) : undefined;
    if (found === undefined) throw refusalError('unknown', 'user');
    return found;
  }

  async group({ accountId }: ScimClient, id: string): Promise<ScimGroup> {
    const found = isUuid(id) ? await this.#parts.scimGroups.find(accountId, id) : undefined;
    if (found === undefined) throw refusalError('unknown', 'group');
    return found;
  }

  /** The members of the first of these groups, as many as fit into an answer, and at least those of one. */
  async membersOf(
    { accountId }: ScimClient,
    groups: readonly ScimGroup[],
  ): Promise<ReadonlyMap<string, readonly ScimGroupMember[]>> {
    const { scimGroups } = this.#parts;
    const counts = await scimGroups.memberCounts(
      accountId,
      groups.map(({ id }) => id),
    );
    let listed = 0;
    const shown = groups.filter(({ id }, at) => {
      listed += counts.get(id) ?? 0;
      return at === 0 || listed <= limits.scimListedMembersMax;
    });
    const ids = shown.map(({ id }) => id);
    const members = await scimGroups.members(accountId, ids, limits.scimListedMembersMax);
    const byGroup = Map.groupBy(members, ({ groupId }) => groupId);
    return new Map(ids.map((id) => [id, byGroup.get(id) ?? []]));
  }

  async createUser(client: ScimClient, changes: readonly AttributeChange[]): Promise<ScimUser> {
    const { scimUsers, clock } = this.#parts;
    const { accountId } = client;
    const nowMs = clock.now();
    const fields = changeUser(emptyUser, changes);
    requireDomain(fields, await this.#domains(accountId));
    const user = { ...fields, id: randomUUID(), accountId, createdAtMs: nowMs, updatedAtMs: nowMs };
    return this.#settle(client, 'user', await scimUsers.add(user, { usersMax: limits.membersMax }));
  }

  /** `isWhole` for a change that says everything of the user: what it leaves out is removed. */
  async changeUser(
    client: ScimClient,
    { id, ifVersion }: Target,
    { changes, isWhole }: { readonly changes: readonly AttributeChange[]; readonly isWhole: boolean },
  ): Promise<ScimUser> {
    const { scimUsers, clock } = this.#parts;
    const { accountId } = client;
    await this.user(client, id);
    const domains = await this.#domains(accountId);
    const outcome = await scimUsers.change({
      ...{ accountId, id, ifVersion, nowMs: clock.now() },
      change(before) {
        const after = changeUser(isWhole ? { ...emptyUser, isActive: before.isActive } : before, changes);
        if (after.email !== before.email) requireDomain(after, domains);
        return after;
      },
    });
    return this.#settle(client, 'user', outcome);
  }

  async removeUser(client: ScimClient, { id, ifVersion }: Target): Promise<ScimUser> {
    const { scimUsers, clock } = this.#parts;
    const { accountId } = client;
    await this.user(client, id);
    return this.#settle(
      client,
      'user',
      await scimUsers.remove({ accountId, id, ifVersion, nowMs: clock.now() }),
    );
  }

  async createGroup(client: ScimClient, changes: readonly AttributeChange[]): Promise<ScimGroup> {
    const { scimGroups, clock } = this.#parts;
    const { accountId } = client;
    const nowMs = clock.now();
    const group = {
      ...changeGroup(emptyGroup, changes),
      ...{ id: randomUUID(), accountId, createdAtMs: nowMs, updatedAtMs: nowMs },
    };
    const members = memberChange(changes, false);
    const outcome = await scimGroups.add({ group, members }, { groupsMax: limits.scimGroupsMax });
    return this.#settle(client, 'group', outcome);
  }

  async changeGroup(
    client: ScimClient,
    { id, ifVersion }: Target,
    { changes, isWhole }: { readonly changes: readonly AttributeChange[]; readonly isWhole: boolean },
  ): Promise<ScimGroup> {
    const { scimGroups, clock } = this.#parts;
    const { accountId } = client;
    await this.group(client, id);
    const outcome = await scimGroups.change({
      ...{ accountId, id, ifVersion, nowMs: clock.now() },
      change: (before) => changeGroup(isWhole ? emptyGroup : before, changes),
      members: memberChange(changes, !isWhole),
    });
    return this.#settle(client, 'group', outcome);
  }

  async removeGroup(client: ScimClient, { id, ifVersion }: Target): Promise<ScimGroup> {
    const { scimGroups, clock } = this.#parts;
    const { accountId } = client;
    await this.group(client, id);
    return this.#settle(
      client,
      'group',
      await scimGroups.remove({ accountId, id, ifVersion, nowMs: clock.now() }),
    );
  }

  /** Sets the roles of all anew, after owners have changed the roles of groups. */
  async settleRoles(actor: ProvisioningActor): Promise<void> {
    const { scimUsers, clock } = this.#parts;
    await this.#follow(actor, await scimUsers.settle(actor.accountId, clock.now()));
  }

  async #settle<Resource extends ScimUser | ScimGroup>(
    client: ScimClient,
    what: 'user' | 'group',
    outcome: ScimOutcome<Resource>,
  ): Promise<Resource> {
    if (typeof outcome === 'string') throw refusalError(outcome, what);
    const { accountId, tokenId } = client;
    await this.#follow({ accountId, actor: `scim:${tokenId}` }, outcome.effects);
    return outcome.resource;
  }

  async #follow(actor: ProvisioningActor, effects: ScimEffects): Promise<void> {
    const { versions, forgetContent, onEffects } = this.#parts;
    for (const taken of effects.takenOver) {
      await versions.renew(taken);
      await forgetContent(taken);
    }
    await onEffects(actor, effects);
  }

  async #domains(accountId: string): Promise<ReadonlySet<string>> {
    const listed = await this.#parts.domains.list(accountId);
    return new Set(listed.filter(({ provenAtMs }) => provenAtMs !== undefined).map(({ domain }) => domain));
  }
}

function requireDomain({ email }: ScimUserFields, domains: ReadonlySet<string>): void {
  if (domains.has(domainOf(email) ?? '')) return;
  throw badRequest(
    'invalidValue',
    'emails: the mail address must be of a domain that the organization has proven',
  );
}

async function withFilterErrors<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ScimFilterError) throw badRequest('invalidFilter', `filter: ${error.message}`);
    throw error;
  }
}
