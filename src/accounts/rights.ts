import { GatewayError } from '../kernel/errors.ts';
import type { Role } from '../kernel/ports/identities.ts';

/** Who acts: a person by their role in the account, or a program with an API key of the account. */
export type Actor = Role | 'key';

const actions = ['read', 'write'] as const;

export type Action = (typeof actions)[number];

export type Resource = keyof typeof resources;

/** An action on a resource, such as `keys:write`. */
export type Right = `${Resource}:${Action}`;

interface ResourceRights {
  /** For the reference page. */
  readonly description: string;
  readonly read: readonly Actor[];
  readonly write: readonly Actor[];
}

const everyRole = ['owner', 'admin', 'developer', 'billing', 'viewer'] as const satisfies readonly Role[];
const administrators = ['owner', 'admin'] as const satisfies readonly Role[];
const builders = [...administrators, 'developer'] as const satisfies readonly Role[];
const observers = [...builders, 'viewer'] as const satisfies readonly Role[];

/** What each role may do in an account, and what its API keys may do. No right exists outside of this table. */
const resources = {
  person: {
    description: 'their own login: password, sessions, mail address',
    read: everyRole,
    write: everyRole,
  },
  organization: {
    description: 'the name of the organization',
    read: everyRole,
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
  projects: {
    description: 'projects: their names, and whether they are archived',
    read: everyRole,
    write: administrators,
  },
  keys: {
    description: 'API keys with their access rules, limits and budgets',
    read: observers,
    write: builders,
  },
  'provider-keys': {
    description: 'keys for providers',
    read: [...observers, 'key'],
    write: [...builders, 'key'],
  },
  settings: {
    description: 'guardrail rules, aliases, prompts, providers, webhooks, retention',
    read: [...observers, 'key'],
    write: builders,
  },
  calls: {
    description: 'the request log without contents, conversations, receipts, tests of pipelines',
    read: [...observers, 'key'],
    write: [...builders, 'key'],
  },
  content: {
    description: 'recorded and learned contents: recordings, batches, patterns, caches',
    read: [...builders, 'key'],
    write: [...builders, 'key'],
  },
  usage: {
    description: 'usage, cost, savings and budgets',
    read: [...everyRole, 'key'],
    write: administrators,
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
export function can(actor: Actor, action: Action, resource: Resource): boolean {
  return table[resource][action].includes(actor);
}

export function requireRight(actor: Actor, right: Right): void {
  const [resource, action] = right.split(':') as [Resource, Action];
  if (can(actor, action, resource)) return;
  const subject = actor === 'key' ? 'API keys do not have' : `your role "${actor}" does not have`;
  throw new GatewayError('forbidden', `this needs the right "${right}", which ${subject}`);
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
