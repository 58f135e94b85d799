import { z } from 'zod';
import { type AccountApiKeys, keyNotFoundError } from '../../accounts/account-api-keys.ts';
import { unknownProjectError } from '../../accounts/projects.ts';
import { type Actor, type ActorRole, holdsRight, type Right, requireRight } from '../../accounts/rights.ts';
import type { Session } from '../../accounts/session-tokens.ts';
import type { GatewayError } from '../../kernel/errors.ts';
import type { ApiKeys } from '../../kernel/ports/records.ts';
import { isRequestId } from '../../kernel/request-id.ts';
import { type AccountCaller, actorOf } from './access.ts';
import type { ApiRequest } from './route.ts';
import { invalidFieldError } from './validation.ts';

/** How a route finds the project that a request is about. */
export interface ProjectSource {
  /** Null for what is in no project; undefined if none is named, or there is no such thing. */
  find(
    request: ApiRequest,
    accountId: string,
  ): string | null | undefined | Promise<string | null | undefined>;
  /** Whether the project is a filter of a list. Otherwise the request is about one thing. */
  readonly isFilter?: true;
  /** The answer to callers who may not know whether there is such a thing. */
  unknown(): GatewayError;
}

/** The query parameter of routes with this source. */
export const projectQuery = z.string().optional();

export const namedProject: ProjectSource = {
  isFilter: true,
  find({ query }) {
    const [named, ...others] = new URLSearchParams(query).getAll('project');
    if (others.length > 0) throw invalidFieldError('is given more than once', 'project');
    return named;
  },
  unknown: unknownProjectError,
};

/** The project of the key that the path names. */
export function projectOfKey(keys: Pick<AccountApiKeys, 'findIfAny'>): ProjectSource {
  return {
    find: async ({ parameters: { id = '' } }, accountId) => (await keys.findIfAny(accountId, id))?.projectId,
    unknown: keyNotFoundError,
  };
}

/** How the key of a call is found. */
interface CallKeys {
  /** Undefined if there is no such call. */
  keyOf(accountId: string, callId: string): Promise<string | null | undefined>;
  readonly keys: Pick<ApiKeys, 'byId'>;
  unknown(): GatewayError;
}

/** The project of the call that the path names, by its key. */
export function projectOfCall({ keyOf, keys, unknown }: CallKeys): ProjectSource {
  return {
    async find({ parameters: { id = '' } }, accountId) {
      const keyId = isRequestId(id) ? await keyOf(accountId, id) : undefined;
      return typeof keyId === 'string' ? (await keys.byId(keyId))?.projectId : keyId;
    },
    unknown,
  };
}

/** The part of an account that a request is about. */
export interface ProjectScope {
  /** The caller, with the role in the project; undefined for the user of a local gateway. */
  readonly actor: Actor | undefined;
  /** Undefined for the whole account. */
  readonly projectId: string | undefined;
  /** The keys of a project that is a filter. */
  readonly keyIds: readonly string[] | undefined;
}

/**
 * Rejects callers who have the right neither in the account nor in the project. Those whose roles are in projects only don't
 * learn which others there are, nor what is in them.
 */
export async function projectScope(
  request: ApiRequest,
  caller: Session | AccountCaller,
  right: Right,
  source: ProjectSource,
): Promise<ProjectScope> {
  const { projects } = request.access;
  const own = actorOf(caller);
  if (source.isFilter === undefined && (own === undefined || holdsRight(own, right)))
    return { actor: own, projectId: undefined, keyIds: undefined };
  const named = await source.find(request, caller.accountId);
  const projectId = named ?? (source.isFilter === true ? projectOfCaller(caller) : undefined);
  const project =
    projectId === undefined ? undefined : await projects.find(caller.accountId, projectId, memberOf(caller));
  const actor = own && { ...own, inProject: roleIn(caller, projectId, project) };
  if (actor !== undefined && !holdsRight(actor, right)) {
    const isAboutOne = source.isFilter === undefined || named !== undefined;
    if (isAboutOne && actor.inProject === undefined && isInProjectsOnly(actor)) throw source.unknown();
    requireRight(actor, right);
  }
  if (source.isFilter === undefined || projectId === undefined)
    return { actor, projectId, keyIds: undefined };
  if (project === undefined) throw source.unknown();
  return { actor, projectId, keyIds: await projects.keyIds(caller.accountId, projectId) };
}

/** For changes whose body names the project: rejects who has the right in no project. The handler checks the one that is named. */
export async function requireRightSomewhere(
  { access }: ApiRequest,
  caller: Session | AccountCaller,
  right: Right,
): Promise<void> {
  const actor = actorOf(caller);
  const member = memberOf(caller);
  if (actor === undefined || holdsRight(actor, right)) return;
  const roles = member === undefined ? [] : await access.projects.rolesOf(caller.accountId, member);
  if (!roles.some((inProject) => holdsRight({ ...actor, inProject }, right))) requireRight(actor, right);
}

/** Rejects who has the right neither in the account nor in this project; null for outside of projects. */
export async function requireRightIn(
  { access }: Pick<ApiRequest, 'access'>,
  caller: Session | AccountCaller,
  right: Right,
  projectId: string | null,
): Promise<void> {
  const actor = actorOf(caller);
  if (actor === undefined || holdsRight(actor, right)) return;
  const project =
    projectId === null
      ? undefined
      : await access.projects.find(caller.accountId, projectId, memberOf(caller));
  if (projectId !== null && project?.role === undefined) throw unknownProjectError();
  requireRight({ ...actor, inProject: project?.role }, right);
}

/** Whose rights are those of roles in projects. */
function isInProjectsOnly({ role }: Actor): boolean {
  return role === undefined || role === 'member';
}

function roleIn(
  caller: Session | AccountCaller,
  projectId: string | undefined,
  project: { readonly role: ActorRole | undefined } | undefined,
): ActorRole | undefined {
  if (projectId !== undefined && projectId === projectOfCaller(caller)) return 'key';
  return project?.role;
}

function projectOfCaller(caller: Session | AccountCaller): string | undefined {
  return 'kind' in caller && caller.kind === 'key' ? (caller.projectId ?? undefined) : undefined;
}

/** The id of a person. */
function memberOf(caller: Session | AccountCaller): string | undefined {
  return 'identityId' in caller ? String(caller.identityId) : undefined;
}
