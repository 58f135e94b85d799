import { randomUUID } from 'node:crypto';
import { GatewayError } from '../kernel/errors.ts';
import type { Project, ProjectPage, Projects } from '../kernel/ports/projects.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';
import type { Clock } from '../lib/clock.ts';
import { limits } from './limits.ts';

export interface AccountProjectsParts {
  readonly projects: Projects;
  readonly versions: Versions;
  readonly clock: Clock;
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

  page(accountId: string, page: ProjectPage): Promise<readonly Project[]> {
    return this.#parts.projects.page(accountId, page);
  }

  count(accountId: string, archived?: boolean): Promise<number> {
    return this.#parts.projects.count(accountId, archived);
  }

  async find(accountId: string, id: string): Promise<Project> {
    return known(await this.#parts.projects.find(accountId, id));
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

  /** Renews the version even if nothing has changed: an earlier attempt may have failed there. */
  async #setArchived(accountId: string, id: string, atMs: number | null): Promise<Project> {
    const { projects, versions } = this.#parts;
    const project = known(await projects.setArchived(accountId, id, atMs));
    await versions.renew(accountId);
    return project;
  }
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
