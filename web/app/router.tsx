import {
  createRootRoute,
  createRoute,
  createRouter,
  parseSearchWith,
  stringifySearchWith,
} from '@tanstack/react-router';
import { type ChartName, chartNames, moduleRanges, type RangeName, ranges } from '../api/queries.ts';
import { type AuditSubject, isSubject } from '../pages/audit/events.ts';
import { type DayRange, isDayRange } from '../parts/day-ranges.ts';
import { Failure, Page, Rows } from '../parts/states.tsx';
import { isTimeRange, type TimeRange } from '../parts/time-ranges.ts';
import { Gate } from './gate.tsx';
import { page } from './lazy-page.tsx';
import { NotFound } from './not-found.tsx';

const root = createRootRoute({ component: Gate, notFoundComponent: NotFound });

interface OverviewSearch {
  readonly range?: RangeName;
  readonly chart?: ChartName;
  /** What the chart of caches shows in place of hits. */
  readonly caches?: 'misses' | undefined;
}

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: ({ range, chart, caches }: Record<string, unknown>): OverviewSearch => ({
    ...(isRangeName(range) && { range }),
    ...(chartNames.some((name) => name === chart) && { chart: chart as ChartName }),
    ...(caches === 'misses' && { caches }),
  }),
  component: page(() => import('../pages/overview/overview.tsx'), 'Overview'),
});

/** The order of the log; the newest first without one. */
const logSorts = ['cost', 'duration', 'tokens'] as const;
export type LogSort = (typeof logSorts)[number];

/** Filters of the log, as the address has them. */
export interface RequestsSearch {
  readonly search?: string;
  readonly model?: string;
  readonly module?: string;
  /** What a module did: the one that is named, or any. */
  readonly effect?: 'answered' | 'rejected';
  readonly provider?: string;
  readonly key?: string;
  /** The id of a project. */
  readonly project?: string;
  readonly client?: string;
  readonly conversation?: string;
  readonly end_user?: string;
  /** `team:search`, or several separated by commas. */
  readonly tag?: string;
  readonly status?: string;
  /** A time that ends now; `from` and `to` are any other. */
  readonly range?: TimeRange;
  readonly from?: string;
  readonly to?: string;
  readonly sort?: LogSort;
  readonly open?: string;
}

const filters = [
  ...(['search', 'model', 'module', 'provider', 'key', 'project', 'status', 'client'] as const),
  ...(['conversation', 'end_user', 'tag', 'open'] as const),
];

const requests = createRoute({
  getParentRoute: () => root,
  path: '/requests',
  validateSearch: ({ effect, range, sort, ...search }: Record<string, unknown>): RequestsSearch => ({
    ...texts(search, filters),
    ...(isTimeRange(range) ? { range } : times(search, ['from', 'to'])),
    ...((effect === 'answered' || effect === 'rejected') && { effect }),
    ...(logSorts.some((name) => name === sort) && { sort: sort as LogSort }),
  }),
  component: page(() => import('../pages/requests/requests.tsx'), 'Requests'),
});

/** What the list of models shows. */
export interface ModelsSearch {
  readonly range?: RangeName | undefined;
  readonly q?: string | undefined;
  readonly provider?: string | undefined;
  readonly ability?: string | undefined;
  readonly show?: 'key' | 'used' | undefined;
  /** The title of a column; `-` in front of it sorts the largest first. */
  readonly sort?: string | undefined;
  /** Names of two to four models. */
  readonly compare?: string | undefined;
}

const models = createRoute({
  getParentRoute: () => root,
  path: '/models',
  validateSearch: ({ range, show, ...search }: Record<string, unknown>): ModelsSearch => ({
    ...texts(search, ['q', 'provider', 'ability', 'sort', 'compare']),
    ...(isRangeName(range) && { range }),
    ...((show === 'key' || show === 'used') && { show }),
  }),
  component: page(() => import('../pages/models/models.tsx'), 'Models'),
});

export interface SessionsSearch {
  /** The beginning of a name. */
  readonly search?: string;
  readonly client?: string;
  readonly end_user?: string;
  readonly key?: string;
  readonly range?: TimeRange;
}

const sessions = createRoute({
  getParentRoute: () => root,
  path: '/sessions',
  validateSearch: ({ range, ...search }: Record<string, unknown>): SessionsSearch => ({
    ...texts(search, ['search', 'client', 'end_user', 'key']),
    ...(isTimeRange(range) && { range }),
  }),
  component: page(() => import('../pages/sessions/sessions.tsx'), 'Sessions'),
});

const session = createRoute({
  getParentRoute: () => root,
  path: '/sessions/$id',
  component: page(() => import('../pages/sessions/session.tsx'), 'Session'),
});

/** What the playground begins with: a model, a recorded call or a draft in the address. */
interface PlaygroundSearch {
  readonly model?: string;
  readonly from?: string;
  readonly draft?: string;
}

export const usageGroups = ['key', 'model', 'end_user', 'tag', 'day'] as const;
export type UsageGroup = (typeof usageGroups)[number];

interface UsageSearch {
  readonly by?: UsageGroup;
  readonly period?: DayRange;
  /** The tag whose values are listed. */
  readonly tag?: string;
  /** The title of a column; `-` in front of it sorts the largest first. */
  readonly sort?: string;
}

const usage = createRoute({
  getParentRoute: () => root,
  path: '/usage',
  validateSearch: ({ by, period, ...search }: Record<string, unknown>): UsageSearch => ({
    ...texts(search, ['sort', 'tag']),
    ...(usageGroups.some((name) => name === by) && { by: by as UsageGroup }),
    ...(isDayRange(period) && { period }),
  }),
  component: page(() => import('../pages/usage/usage.tsx'), 'Usage'),
});

const playground = createRoute({
  getParentRoute: () => root,
  path: '/playground',
  validateSearch: (search: Record<string, unknown>): PlaygroundSearch =>
    texts(search, ['model', 'from', 'draft']),
  component: page(() => import('../pages/playground/playground.tsx'), 'Playground'),
});

/** Filters of recordings, or the text that is searched for in them. */
export interface RecordingsSearch {
  readonly q?: string;
  readonly model?: string;
  readonly status?: string;
  readonly key?: string;
  readonly range?: TimeRange;
  /** The least cost in dollars, and the least size in bytes. */
  readonly cost?: string;
  readonly size?: string;
}

const recordings = createRoute({
  getParentRoute: () => root,
  path: '/recordings',
  validateSearch: ({ range, ...search }: Record<string, unknown>): RecordingsSearch => ({
    ...texts(search, ['q', 'model', 'status', 'key', 'cost', 'size']),
    ...(isTimeRange(range) && { range }),
  }),
  component: page(() => import('../pages/recordings/recordings.tsx'), 'Recordings'),
});

interface ModulesSearch {
  readonly open?: string;
  readonly range?: keyof typeof moduleRanges;
}

const modules = createRoute({
  getParentRoute: () => root,
  path: '/modules',
  validateSearch: ({ range, ...search }: Record<string, unknown>): ModulesSearch => ({
    ...texts(search, ['open']),
    ...(typeof range === 'string' &&
      Object.hasOwn(moduleRanges, range) && { range: range as keyof typeof moduleRanges }),
  }),
  component: page(() => import('../pages/modules/modules.tsx'), 'Modules'),
});

const modulePage = createRoute({
  getParentRoute: () => root,
  path: '/modules/$name',
  component: page(() => import('../pages/module/module-page.tsx'), 'ModulePage'),
});

const providerKeys = createRoute({
  getParentRoute: () => root,
  path: '/provider-keys',
  component: page(() => import('../pages/provider-keys/provider-keys.tsx'), 'ProviderKeys'),
});

const reference = createRoute({
  getParentRoute: () => root,
  path: '/reference',
  validateSearch: (
    search: Record<string, unknown>,
  ): { readonly open?: string | undefined; readonly q?: string | undefined } => texts(search, ['open', 'q']),
  component: page(() => import('../pages/reference/reference.tsx'), 'Reference'),
});

const opens = (search: Record<string, unknown>): { readonly open?: string } => texts(search, ['open']);

const keys = createRoute({
  getParentRoute: () => root,
  path: '/keys',
  validateSearch: opens,
  component: page(() => import('../pages/keys/keys.tsx'), 'Keys'),
});

const aliases = createRoute({
  getParentRoute: () => root,
  path: '/aliases',
  validateSearch: opens,
  component: page(() => import('../pages/aliases/aliases.tsx'), 'Aliases'),
});

const mcpServers = createRoute({
  getParentRoute: () => root,
  path: '/mcp-servers',
  validateSearch: opens,
  component: page(() => import('../pages/mcp/mcp.tsx'), 'McpServers'),
});

const batches = createRoute({
  getParentRoute: () => root,
  path: '/batches',
  component: page(() => import('../pages/batches/batches.tsx'), 'Batches'),
});

const prompts = createRoute({
  getParentRoute: () => root,
  path: '/prompts',
  validateSearch: opens,
  component: page(() => import('../pages/prompts/prompts.tsx'), 'Prompts'),
});

const alerts = createRoute({
  getParentRoute: () => root,
  path: '/alerts',
  validateSearch: opens,
  component: page(() => import('../pages/alerts/alerts.tsx'), 'Alerts'),
});

const guardrails = createRoute({
  getParentRoute: () => root,
  path: '/guardrails',
  validateSearch: opens,
  component: page(() => import('../pages/guardrails/guardrails.tsx'), 'Guardrails'),
});

const archive = createRoute({
  getParentRoute: () => root,
  path: '/archive',
  validateSearch: opens,
  component: page(() => import('../pages/archive/archive.tsx'), 'Archive'),
});

const moving = createRoute({
  getParentRoute: () => root,
  path: '/moving',
  component: page(() => import('../pages/moving/moving.tsx'), 'Moving'),
});

const receipts = createRoute({
  getParentRoute: () => root,
  path: '/receipts',
  validateSearch: opens,
  component: page(() => import('../pages/receipts/receipts.tsx'), 'Receipts'),
});

const billing = createRoute({
  getParentRoute: () => root,
  path: '/billing',
  validateSearch: ({ paid }: Record<string, unknown>): { readonly paid?: 'plan' | 'credits' } =>
    paid === 'plan' || paid === 'credits' ? { paid } : {},
  component: page(() => import('../pages/billing/billing.tsx'), 'Billing'),
});

const operator = createRoute({
  getParentRoute: () => root,
  path: '/operator',
  component: page(() => import('../pages/operator/operator.tsx'), 'Operator'),
});

const account = createRoute({
  getParentRoute: () => root,
  path: '/account',
  component: page(() => import('../pages/account/account.tsx'), 'Account'),
});

const budgets = createRoute({
  getParentRoute: () => root,
  path: '/budgets',
  component: page(() => import('../pages/budgets/budgets.tsx'), 'Budgets'),
});

const projects = createRoute({
  getParentRoute: () => root,
  path: '/projects',
  component: page(() => import('../pages/projects/projects.tsx'), 'Projects'),
});

const organization = createRoute({
  getParentRoute: () => root,
  path: '/organization',
  component: page(() => import('../pages/organization/organization.tsx'), 'OrganizationPage'),
});

const retention = createRoute({
  getParentRoute: () => root,
  path: '/retention',
  component: page(() => import('../pages/retention/retention.tsx'), 'Retention'),
});

interface AuditSearch {
  readonly subject?: AuditSubject;
  /** The number of the entry that is shown. */
  readonly open?: string;
}

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: ({ subject, ...search }: Record<string, unknown>): AuditSearch => ({
    ...texts(search, ['open']),
    ...(typeof subject === 'string' && isSubject(subject) && { subject }),
  }),
  component: page(() => import('../pages/audit/audit.tsx'), 'Audit'),
});

function isRangeName(name: unknown): name is RangeName {
  return typeof name === 'string' && Object.hasOwn(ranges, name);
}

function texts<Name extends string>(
  search: Record<string, unknown>,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = search[name];
    if (typeof value === 'string' && value !== '') found[name] = value;
    else if (typeof value === 'number' || typeof value === 'boolean') found[name] = String(value);
  }
  return found;
}

/** Those that are times. */
function times<Name extends string>(
  search: Record<string, unknown>,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const found = texts(search, names);
  for (const name of names) if (Number.isNaN(Date.parse(found[name] ?? ''))) delete found[name];
  return found;
}

export const router = createRouter({
  routeTree: root.addChildren([
    overview,
    requests,
    models,
    sessions,
    session,
    usage,
    budgets,
    playground,
    recordings,
    modules,
    modulePage,
    aliases,
    mcpServers,
    batches,
    prompts,
    alerts,
    guardrails,
    archive,
    moving,
    providerKeys,
    reference,
    keys,
    receipts,
    billing,
    operator,
    account,
    organization,
    projects,
    retention,
    audit,
  ]),
  // Without what a page does not know, or has found to be invalid.
  search: { strict: true },
  // Plain texts: `status=429`, not `status=%22429%22`.
  parseSearch: parseSearchWith((text) => text),
  stringifySearch: stringifySearchWith(String),
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultPendingMs: 150,
  defaultPendingComponent: () => (
    <Page title="Loading">
      <Rows count={6} />
    </Page>
  ),
  defaultErrorComponent: ({ error, reset }) => (
    <Page title="Something went wrong">
      <Failure error={error} onRetry={reset} />
    </Page>
  ),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
