import { randomUUID } from 'node:crypto';
import { GatewayError } from '../kernel/errors.ts';
import type { ProjectRole } from '../kernel/ports/identities.ts';
import type {
  ListedProjectMember,
  Project,
  ProjectMemberId,
  ProjectMembers,
  ProjectPage,
  Projects,
} from '../kernel/ports/projects.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';
import type { Clock } from '../lib/clock.ts';
import { isUuid } from '../lib/uuid.ts';
import { limits } from './limits.ts';
import { can, type Right, rightsOf } from './rights.ts';
import type { Session } from './session-tokens.ts';

export interface AccountProjectsParts {
  readonly projects: Projects;
  readonly projectMembers: ProjectMembers;
  readonly versions: Versions;
  readonly clock: Clock;
}

/** A project as a member sees it in a list. */
export interface ListedProject {
  readonly project: Project;
  /** Of the member in the project. */
  readonly role: ProjectRole | undefined;
}

/**
 * The projects of accounts. Like a change of a key, the end of an archived one is in force on every replica before it is
 * confirmed.
 */
export class AccountProjects {
  readonly #parts: AccountProjectsParts;

  constructor(parts: AccountProjectsParts) {
    this.#parts = parts;
  }

  /** Those that a session may see: all of the account, or only those in which its member has a role. */
  async page(session: Session, page: Omit<ProjectPage, 'memberId'>): Promise<readonly ListedProject[]> {
    const { projects, projectMembers } = this.#parts;
    const found = await projects.page(session.accountId, { ...page, ...visibleTo(session) });
    const roles = await projectMembers.rolesIn(
      String(session.identityId),
      found.map(({ id }) => id),
    );
    return found.map((project) => ({ project, role: roles.get(project.id) }));
  }

  count(session: Session, archived: boolean | undefined): Promise<number> {
    return this.#parts.projects.count(session.accountId, { archived, ...visibleTo(session) });
  }

  async find(accountId: string, id: string): Promise<Project> {
    return known(isUuid(id) ? await this.#parts.projects.find(accountId, id) : undefined);
  }

  /** By the role in the account and the one in the project. */
  async rightsIn(session: Session, projectId: string): Promise<readonly Right[]> {
    const memberId = String(session.identityId);
    const roles = await this.#parts.projectMembers.rolesIn(memberId, [projectId]);
    return rightsOf({ role: session.role, inProject: roles.get(projectId) });
  }

  async create(accountId: string, name: string): Promise<Project> {
    const { projects, clock } = this.#parts;
    const project = { id: randomUUID(), accountId, name, createdAtMs: clock.now(), archivedAtMs: null };
    const outcome = await projects.add(project, limits.projectsMax);
    if (outcome === 'name_taken') throw nameTakenError();
    if (outcome === 'limit_reached')
      throw new GatewayError(
        'project_limit_reached',
        `the account has ${limits.projectsMax} projects, which is the most; rename an archived one, and restore it`,
      );
    return project;
  }

  async rename(accountId: string, id: string, name: string): Promise<Project> {
    await this.find(accountId, id);
    const renamed = await this.#parts.projects.rename(accountId, id, name);
    if (renamed === 'name_taken') throw nameTakenError();
    return known(renamed === 'unknown' ? undefined : renamed);
  }

  async archive(accountId: string, id: string): Promise<Project> {
    return this.#setArchived(accountId, id, this.#parts.clock.now());
  }

  async restore(accountId: string, id: string): Promise<Project> {
    return this.#setArchived(accountId, id, null);
  }

  members(
    projectId: string,
    page: Parameters<ProjectMembers['page']>[1],
  ): Promise<readonly ListedProjectMember[]> {
    return this.#parts.projectMembers.page(projectId, page);
  }

  /** Resolves to the role before, if there was one. The change is in force for the next request on all replicas. */
  async setRole(member: ProjectMemberId, role: ProjectRole): Promise<ProjectRole | null> {
    const { projectMembers, clock } = this.#parts;
    await this.find(member.accountId, member.projectId);
    const before = isUuid(member.memberId)
      ? await projectMembers.setRole(member, role, clock.now())
      : 'unknown';
    if (before === 'unknown')
      throw new GatewayError('not_found', 'no such member of the organization; invite the person first');
    return before;
  }

  async removeMember(member: ProjectMemberId): Promise<ProjectRole> {
    const { projectId, memberId } = member;
    const isKnown = isUuid(projectId) && isUuid(memberId);
    const before = isKnown ? await this.#parts.projectMembers.remove(member) : undefined;
    if (before === undefined)
      throw new GatewayError('not_found', 'no such member of the project; GET …/members lists them');
    return before;
  }

  /** Renews the version even if nothing has changed: an earlier attempt may have failed there. */
  async #setArchived(accountId: string, id: string, atMs: number | null): Promise<Project> {
    const { projects, versions } = this.#parts;
    await this.find(accountId, id);
    const project = known(await projects.setArchived(accountId, id, atMs));
    await versions.renew(accountId);
    return project;
  }
}

function visibleTo(session: Session): { readonly memberId?: string } {
  return can(session, 'read', 'projects') ? {} : { memberId: String(session.identityId) };
}

function known(project: Project | undefined): Project {
  if (project === undefined) throw unknownProjectError();
  return project;
}

export function unknownProjectError(): GatewayError {
  return new GatewayError('not_found', 'no such project; GET /v1/organization/projects lists them');
}

export function archivedProjectError(): GatewayError {
  return new GatewayError(
    'project_archived',
    'this project is archived; POST /v1/organization/projects/:id/restore brings it back',
  );
}

function nameTakenError(): GatewayError {
  return new GatewayError('project_exists', 'the account has a project of this name, archived or not', {
    param: 'name',
  });
}
