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
  /** Of all, or of those that are archived or not. */
  count(accountId: string, archived?: boolean): Promise<number>;
  rename(accountId: string, id: string, name: string): Promise<Project | 'unknown' | 'name_taken'>;
  /** Null brings it back. An earlier time stays. */
  setArchived(accountId: string, id: string, atMs: number | null): Promise<Project | undefined>;
}

export interface ProjectPage {
  /** The last project of the page before. */
  readonly after?: ProjectPosition | undefined;
  /** A part of the name, whatever the case of ASCII letters. */
  readonly search?: string | undefined;
  /** Undefined for both kinds. */
  readonly archived?: boolean | undefined;
  readonly limit: number;
}

interface ProjectPosition {
  readonly createdAtMs: number;
  readonly id: string;
}
