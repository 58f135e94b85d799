import type { ProjectRole } from './identities.ts';

/** A part of an account, with API keys of its own. */
export interface Project {
  readonly id: string;
  readonly accountId: string;
  /** Unique in the account. */
  readonly name: string;
  readonly createdAtMs: number;
  /** Since when its keys are refused; null if they are not. */
  readonly archivedAtMs: number | null;
}

export interface Projects {
  /** `most` is the number of projects that an account may have, with the archived ones. */
  add(project: Project, most: number): Promise<'added' | 'name_taken' | 'limit_reached'>;
  find(accountId: string, id: string): Promise<Project | undefined>;
  /** In the order in which they were created. */
  page(accountId: string, page: ProjectPage): Promise<readonly Project[]>;
  count(accountId: string, kind: ProjectKind): Promise<number>;
  rename(accountId: string, id: string, name: string): Promise<Project | 'unknown' | 'name_taken'>;
  /** Null brings it back. An earlier time stays. */
  setArchived(accountId: string, id: string, atMs: number | null): Promise<Project | undefined>;
}

/** The roles of members in projects. */
export interface ProjectMembers {
  /** A project of the account with the role of a member; undefined if there is no such project. */
  find(
    accountId: string,
    projectId: string,
    memberId: string | undefined,
  ): Promise<{ readonly role: ProjectRole | undefined } | undefined>;
  /** The roles of a member in these projects, by project. */
  rolesIn(memberId: string, projectIds: readonly string[]): Promise<ReadonlyMap<string, ProjectRole>>;
  /** The different roles of a member. */
  rolesOf(accountId: string, memberId: string): Promise<readonly ProjectRole[]>;
  /** In the order in which they got their roles. */
  page(projectId: string, page: ProjectMemberPage): Promise<readonly ListedProjectMember[]>;
  /** Resolves to the role before; `unknown` if the account has no such project or member. */
  setRole(member: ProjectMemberId, role: ProjectRole, atMs: number): Promise<ProjectRole | null | 'unknown'>;
  /** Resolves to the role before; undefined if there was none. */
  remove(member: ProjectMemberId): Promise<ProjectRole | undefined>;
}

export interface ProjectMemberId {
  readonly accountId: string;
  readonly projectId: string;
  readonly memberId: string;
}

export interface ListedProjectMember {
  readonly memberId: string;
  /** Of a person. */
  readonly email: string | null;
  /** Of a service account. */
  readonly name: string | null;
  readonly role: ProjectRole;
  readonly sinceMs: number;
}

interface ProjectMemberPage {
  readonly after?: { readonly sinceMs: number; readonly memberId: string } | undefined;
  readonly limit: number;
}

export interface ProjectKind {
  /** Undefined for both kinds. */
  readonly archived?: boolean | undefined;
  /** Only those in which this member has a role. */
  readonly memberId?: string | undefined;
}

export interface ProjectPage extends ProjectKind {
  /** The last project of the page before. */
  readonly after?: ProjectPosition | undefined;
  /** A part of the name, whatever the case of ASCII letters. */
  readonly search?: string | undefined;
  readonly limit: number;
}

interface ProjectPosition {
  readonly createdAtMs: number;
  readonly id: string;
}
