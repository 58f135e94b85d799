import { GatewayError } from '../kernel/errors.ts';
import type { Role } from '../kernel/ports/identities.ts';

/** A role of a person, or the part of a program with an API key. */
export type ActorRole = Role | 'key';

/** Who acts: the role in the account, and the one in the project that the request is about. The right of either is enough. */
export interface Actor {
  /** Undefined for an API key of a project, which has no rights beside it. */
  readonly role: ActorRole | undefined;
  readonly inProject?: ActorRole | undefined;
  /** Whether it is a service account, which has no login. */
  readonly isService?: true;
}

const actions = ['read', 'write'] as const;

export type Action = (typeof actions)[number];

export type Resource = keyof typeof resources;

/** An action on a resource, such as `keys:write`. */
export type Right = `${Resource}:${Action}`;

interface ResourceRights {
  /** For the reference page. */
  readonly description: string;
  readonly read: readonly ActorRole[];
  readonly write: readonly ActorRole[];
  /** Whether each project has a part of it, which a role in the project gives rights to. */
  readonly isPerProject?: true;
  /** Whether service accounts have none of it, whatever their role. */
  readonly isOfPeople?: true;
}

const everyMember = [
  'owner',
  'admin',
  'developer',
  'billing',
  'viewer',
  'member',
] as const satisfies readonly Role[];
const everyRole = ['owner', 'admin', 'developer', 'billing', 'viewer'] as const satisfies readonly Role[];
const administrators = ['owner', 'admin'] as const satisfies readonly Role[];
const builders = [...administrators, 'developer'] as const satisfies readonly Role[];
const observers = [...builders, 'viewer'] as const satisfies readonly Role[];

/** What each role may do in an account, and what its API keys may do. No right exists outside of this table. */
const resources = {
  person: {
    description: 'their own login: password, sessions, mail address',
    read: everyMember,
    write: everyMember,
    isOfPeople: true,
  },
  organization: {
    description: 'the name of the organization, and the list of your projects',
    read: everyMember,
    write: administrators,
  },
  ownership: {
    description: 'owners, and the deletion of the organization',
    read: everyRole,
    write: ['owner'],
  },
  members: {
    description: 'members, their roles, and invitations',
    read: everyRole,
    write: administrators,
  },
  'service-accounts': {
    description: 'service accounts and their tokens',
    read: administrators,
    write: administrators,
  },
  projects: {
    description: 'projects: their names, whether they are archived, and roles in them',
    read: everyRole,
    write: administrators,
    isPerProject: true,
  },
  'sign-on': {
    description: 'single sign-on, its domains and identity provider',
    read: administrators,
    write: ['owner'],
  },
  keys: {
    description: 'API keys with their access rules, limits and budgets',
    read: observers,
    write: builders,
    isPerProject: true,
  },
  'provider-keys': {
    description: 'keys for providers',
    read: [...observers, 'key'],
    write: [...builders, 'key'],
  },
  settings: {
    description: 'guardrail rules, aliases, prompts, providers, MCP servers, webhooks, retention',
    read: [...observers, 'key'],
    write: builders,
  },
  calls: {
    description: 'the request log without contents, conversations, receipts, tests of pipelines',
    read: [...observers, 'key'],
    write: [...builders, 'key'],
    isPerProject: true,
  },
  content: {
    description: 'recorded and learned contents: recordings, batches, patterns, caches',
    read: [...builders, 'key'],
    write: [...builders, 'key'],
    isPerProject: true,
  },
  usage: {
    description: 'usage, cost, savings and budgets',
    read: [...everyRole, 'key'],
    write: administrators,
    isPerProject: true,
  },
  billing: {
    description: 'plan, balance, payments and invoices',
    read: [...administrators, 'billing'],
    write: ['owner', 'billing'],
  },
  audit: {
    description: 'the audit log; it is written by Weir alone',
    read: administrators,
    write: [],
  },
  data: {
    description: 'export and import of all data of the account',
    read: administrators,
    write: administrators,
  },
} as const satisfies Readonly<Record<string, ResourceRights>>;

const table: Readonly<Record<Resource, ResourceRights>> = resources;

/** The only place that decides what an actor may do in an account. */
export function can({ role, inProject, isService }: Actor, action: Action, resource: Resource): boolean {
  const { [action]: holders, isPerProject, isOfPeople } = table[resource];
  if (isService && isOfPeople) return false;
  const holds = (held: ActorRole | undefined) => held !== undefined && holders.includes(held);
  return holds(role) || (isPerProject === true && holds(inProject));
}

export function isPerProject(resource: Resource): boolean {
  return table[resource].isPerProject === true;
}

export function holdsRight(actor: Actor, right: Right): boolean {
  const [resource, action] = right.split(':') as [Resource, Action];
  return can(actor, action, resource);
}

export function requireRight(actor: Actor, right: Right): void {
  if (!holdsRight(actor, right))
    throw new GatewayError('forbidden', `this needs the right "${right}", which ${subjectOf(actor)}`);
}

/** Rejects who would give more rights than they have. */
export function requireRightsOf(actor: Actor, role: Role): void {
  const given: Actor = { role, isService: true };
  const missing = rightsOf(given).find((right) => !holdsRight(actor, right));
  if (missing !== undefined) requireRight(actor, missing);
}

function subjectOf({ role, inProject, isService }: Actor): string {
  if (role === 'key') return 'API keys do not have';
  if (role === undefined) return 'API keys of a project do not have';
  const projectRole = inProject === undefined ? '' : `, or "${inProject}" in this project,`;
  if (isService) return `a service account with the role "${role}" does not have`;
  return `your role "${role}"${projectRole} does not have`;
}

/** The right to read for requests that change nothing, and to write for others. */
export function rightOf(method: string, resource: Resource): Right {
  return `${resource}:${method === 'GET' || method === 'HEAD' ? 'read' : 'write'}`;
}

/** Names of resources have no colon. */
export function isRight(needed: Resource | Right): needed is Right {
  return needed.includes(':');
}

/** The rights of an actor, in the order of the table. */
export function rightsOf(actor: Actor): readonly Right[] {
  return resourceNames.flatMap((resource) =>
    actions.filter((action) => can(actor, action, resource)).map((action): Right => `${resource}:${action}`),
  );
}

export const resourceNames = Object.keys(resources) as readonly Resource[];

export function describeResource(resource: Resource): string {
  return table[resource].description;
}
