import {
  createRootRoute,
  createRoute,
  createRouter,
  parseSearchWith,
  stringifySearchWith,
} from '@tanstack/react-router';
import { auditSearch } from '../pages/audit/search.ts';
import { billingSearch } from '../pages/billing/search.ts';
import { modelsSearch } from '../pages/models/search.ts';
import { modulesSearch } from '../pages/modules/search.ts';
import { overviewSearch } from '../pages/overview/search.ts';
import { playgroundSearch } from '../pages/playground/search.ts';
import { recordingsSearch } from '../pages/recordings/search.ts';
import { referenceSearch } from '../pages/reference/search.ts';
import { requestsSearch } from '../pages/requests/search.ts';
import { sessionsSearch } from '../pages/sessions/search.ts';
import { usageSearch } from '../pages/usage/search.ts';
import { opens } from '../parts/search-params.ts';
import { Failure, Page, Rows } from '../parts/states.tsx';
import { Gate } from './gate.tsx';
import { page } from './lazy-page.tsx';
import { NotFound } from './not-found.tsx';

const root = createRootRoute({ component: Gate, notFoundComponent: NotFound });

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: overviewSearch,
  component: page(() => import('../pages/overview/overview.tsx'), 'Overview'),
});

const requests = createRoute({
  getParentRoute: () => root,
  path: '/requests',
  validateSearch: requestsSearch,
  component: page(() => import('../pages/requests/requests.tsx'), 'Requests'),
});

const models = createRoute({
  getParentRoute: () => root,
  path: '/models',
  validateSearch: modelsSearch,
  component: page(() => import('../pages/models/models.tsx'), 'Models'),
});

const sessions = createRoute({
  getParentRoute: () => root,
  path: '/sessions',
  validateSearch: sessionsSearch,
  component: page(() => import('../pages/sessions/sessions.tsx'), 'Sessions'),
});

const session = createRoute({
  getParentRoute: () => root,
  path: '/sessions/$id',
  component: page(() => import('../pages/sessions/session.tsx'), 'Session'),
});

const usage = createRoute({
  getParentRoute: () => root,
  path: '/usage',
  validateSearch: usageSearch,
  component: page(() => import('../pages/usage/usage.tsx'), 'Usage'),
});

const playground = createRoute({
  getParentRoute: () => root,
  path: '/playground',
  validateSearch: playgroundSearch,
  component: page(() => import('../pages/playground/playground.tsx'), 'Playground'),
});

const recordings = createRoute({
  getParentRoute: () => root,
  path: '/recordings',
  validateSearch: recordingsSearch,
  component: page(() => import('../pages/recordings/recordings.tsx'), 'Recordings'),
});

const modules = createRoute({
  getParentRoute: () => root,
  path: '/modules',
  validateSearch: modulesSearch,
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
  validateSearch: referenceSearch,
  component: page(() => import('../pages/reference/reference.tsx'), 'Reference'),
});

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
  validateSearch: billingSearch,
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

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: auditSearch,
  component: page(() => import('../pages/audit/audit.tsx'), 'Audit'),
});

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
