import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Days } from '../parts/day-ranges.ts';
import { startOfRange, type TimeRange } from '../parts/time-ranges.ts';
import { ApiError, api, told } from './client.ts';
import type { paths } from './schema.ts';

type Answer<Path extends keyof paths, Method extends keyof paths[Path]> = paths[Path][Method] extends {
  responses: { 200: { content: { 'application/json': infer Body } } };
}
  ? Body
  : never;

export type Summary = Answer<'/v1/requests/summary', 'get'>;
export type LogPage = Answer<'/v1/requests', 'get'>;
export type LoggedCall = LogPage['requests'][number];
export type Provider = Answer<'/v1/capabilities', 'get'>['providers'][number];
export type Capabilities = Answer<'/v1/capabilities', 'get'>;
export type ModulePageInfo = NonNullable<Capabilities['modules'][number]['page']>;
export type GatewayPipeline = Answer<'/v1/pipeline/gateway', 'get'>;
export type DryRunResult = Answer<'/v1/pipeline/dry-run', 'post'>;
export type ModuleInfo = Answer<'/v1/modules', 'get'>['modules'][number];
export type Configuration = Answer<'/v1/configurations', 'get'>['configurations'][number];
export type Alias = Answer<'/v1/aliases', 'get'>['aliases'][number];
export type BatchRun = Answer<'/v1/batch-runs', 'get'>['batches'][number];
export type ListedPrompt = Answer<'/v1/prompts', 'get'>['prompts'][number];
export type StoredPrompt = Answer<'/v1/prompts/{name}', 'get'>;
export type PromptVersion = Answer<'/v1/prompts/{name}/versions/{version}', 'get'>;
export type RenderedPrompt = Answer<'/v1/prompts/{name}/render', 'post'>;
export type Webhook = Answer<'/v1/webhooks', 'get'>['webhooks'][number];
export type AlertDelivery = Answer<'/v1/webhooks/{id}/deliveries', 'get'>['deliveries'][number];
export type Rule = Answer<'/v1/guardrails/rules', 'get'>['rules'][number];
export type CheckResult = Answer<'/v1/guardrails/check', 'post'>;
export type CatalogModel = Answer<'/v1/catalog', 'get'>['models'][number];
export type ModuleWorth = Answer<'/v1/usage', 'get'>['modules'][number];
export type ApiKey = Answer<'/v1/keys', 'get'>['keys'][number];
export type KeyRules = Answer<'/v1/keys/{id}/access', 'get'>;
export type StoredKey = Answer<'/v1/byok/{provider}/keys', 'get'>['keys'][number];
/** What keys are stored for: a provider of the gateway, or one of the account. */
export type KeyOwner = Pick<Provider, 'name' | 'title' | 'key_forms'>;
export type OwnProvider = Answer<'/v1/providers', 'get'>['providers'][number];
export type McpServer = Answer<'/v1/mcp/servers', 'get'>['servers'][number];
export type McpServerInput =
  paths['/v1/mcp/servers/{name}']['put']['requestBody']['content']['application/json'];
export type McpServerTest = Answer<'/v1/mcp/servers/{name}/test', 'post'>;
export type McpServerTool = Answer<'/v1/mcp/servers/{name}/tools', 'get'>['tools'][number];
export type McpAuthorization = Answer<'/v1/mcp/authorizations', 'get'>['authorizations'][number];
export type Budget = Answer<'/v1/budgets', 'get'>['budgets'][number];
export type StoredBudget = Answer<'/v1/organization/budgets', 'get'>['budgets'][number];
export type ArchivedConversation = Answer<'/v1/archive', 'get'>['conversations'][number];
export type Diagnostics = Answer<'/v1/diagnostics', 'get'>;
export type Destination = Answer<'/v1/airgap', 'get'>['destinations'][number];
export type Organization = Answer<'/v1/organizations', 'get'>['organizations'][number];
export type SignOn = Answer<'/v1/organization/sign-on', 'get'>;
export type SignOnDomain = Answer<'/v1/organization/sign-on/domains', 'get'>['domains'][number];
export type Scim = Answer<'/v1/organization/scim', 'get'>;
export type TokenIssuer = Answer<'/v1/organization/token-issuers', 'get'>['token_issuers'][number];
export type RetainedKind = Answer<'/v1/organization/retention', 'get'>['kinds'][number];
export type LegalHold = Answer<'/v1/organization/holds', 'get'>['holds'][number];
export type Project = Answer<'/v1/organization/projects', 'get'>['projects'][number];
export type OrganizationMember = Answer<'/v1/organization/members', 'get'>['members'][number];
export type Role = Organization['role'];
export type AuditEntry = Answer<'/v1/audit', 'get'>['entries'][number];
export type AuditFilter = Pick<NonNullable<paths['/v1/audit']['get']['parameters']['query']>, 'event'>;
export type OperatorAccount = Answer<'/v1/operator/accounts', 'get'>['accounts'][number];
export type AccountSort = 'cost' | 'calls' | 'email';
export type Pattern = Answer<'/v1/patterns', 'get'>['patterns'][number];
export type Receipt = Answer<'/v1/receipts', 'get'>['receipts'][number];
export type LogQuery = NonNullable<paths['/v1/requests']['get']['parameters']['query']>;

const once = { staleTime: Number.POSITIVE_INFINITY };

export const capabilities = queryOptions({
  queryKey: ['capabilities'],
  queryFn: () => told(api.GET('/v1/capabilities')),
  ...once,
});

const signedIn = 'weir-signed-in';

/** Remembers no more than that somebody logged in here, and when: the session is in a cookie that no script can see. */
export function markSignedIn(is: boolean): void {
  hasEnded = false;
  if (is) localStorage.setItem(signedIn, String(Date.now()));
  else localStorage.removeItem(signedIn);
}

/** Whether somebody may be logged in; only the gateway knows whether the session has ended. */
export function isMarkedSignedIn(): boolean {
  return localStorage.getItem(signedIn) !== null;
}

/** After a single sign-on: the gateway leads to the log-in page, with the path to go on to. */
export function settleSignOn(): void {
  const to = new URLSearchParams(window.location.hash.slice(1)).get('to');
  if (window.location.pathname !== '/login' || to === null) return;
  markSignedIn(true);
  // The gateway lets no other addresses through, but a link may have anything here.
  window.history.replaceState(null, '', /^\/(?![/\\])/.test(to) ? to : '/');
}

/** Tells of who logs in and out in other tabs. */
export function onOtherSignIn(tell: () => void): void {
  window.addEventListener('storage', ({ key }) => {
    if (key === signedIn || key === null) tell();
  });
}

let hasEnded = false;

/** Whether somebody was logged in here until the gateway said that they aren't any more. */
export function sessionHasEnded(): boolean {
  return hasEnded;
}

/** Whoever is logged in; null where nobody is. */
export const me = queryOptions({
  queryKey: ['me'],
  queryFn: async () => {
    if (!isMarkedSignedIn()) return null;
    try {
      return await told(api.GET('/v1/users/me'));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      markSignedIn(false);
      hasEnded = true;
      return null;
    }
  },
  staleTime: 60_000,
});

/** All organizations of who is logged in. */
export const organizations = queryOptions({
  queryKey: ['organizations'],
  queryFn: () => told(api.GET('/v1/organizations')),
  staleTime: 60_000,
});

/** The organization of the session, with what its person may do. */
export const organization = queryOptions({
  queryKey: ['organization'],
  queryFn: () => told(api.GET('/v1/organization')),
  staleTime: 10_000,
});

export const members = (search: string) =>
  infiniteQueryOptions({
    queryKey: ['members', search],
    queryFn: ({ pageParam }: { pageParam: string | undefined }) =>
      told(
        api.GET('/v1/organization/members', {
          params: {
            query: {
              ...(search !== '' && { search }),
              ...(pageParam !== undefined && { after: pageParam }),
            },
          },
        }),
      ),
    initialPageParam: undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  });

/** Those that the person may see; `archived` leaves out one kind. */
export const projects = (search: string, archived?: 'true' | 'false') =>
  infiniteQueryOptions({
    queryKey: ['projects', search, archived],
    queryFn: ({ pageParam }: { pageParam: string | undefined }) =>
      told(
        api.GET('/v1/organization/projects', {
          params: {
            query: {
              limit: 200,
              ...(search !== '' && { search }),
              ...(archived !== undefined && { archived }),
              ...(pageParam !== undefined && { after: pageParam }),
            },
          },
        }),
      ),
    initialPageParam: undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  });

export const auditEntries = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam: after }) =>
      told(api.GET('/v1/audit', { params: { query: { ...filter, ...(after !== null && { after }) } } })),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
  });

/** Null if none is set up. */
export const signOn = queryOptions({
  queryKey: ['sign-on'],
  queryFn: async () => {
    try {
      return await told(api.GET('/v1/organization/sign-on'));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  },
});

export const signOnDomains = queryOptions({
  queryKey: ['sign-on-domains'],
  queryFn: () => told(api.GET('/v1/organization/sign-on/domains')),
});

export const scim = queryOptions({
  queryKey: ['scim'],
  queryFn: () => told(api.GET('/v1/organization/scim')),
});

export const tokenIssuers = queryOptions({
  queryKey: ['token-issuers'],
  queryFn: () => told(api.GET('/v1/organization/token-issuers')),
});

export const retention = queryOptions({
  queryKey: ['retention'],
  queryFn: () => told(api.GET('/v1/organization/retention')),
});

export const legalHolds = queryOptions({
  queryKey: ['legal-holds'],
  queryFn: () => told(api.GET('/v1/organization/holds')),
});

export const memberInvitations = queryOptions({
  queryKey: ['member-invitations'],
  queryFn: () => told(api.GET('/v1/organization/invitations')),
});

export const localSession = queryOptions({
  queryKey: ['local-session'],
  queryFn: () => told(api.GET('/v1/local/session')),
  ...once,
});

export const modules = queryOptions({
  queryKey: ['modules'],
  queryFn: () => told(api.GET('/v1/modules')),
  ...once,
});

/** The gateway's own pipeline, which another process or page may have changed. */
export const gatewayPipeline = queryOptions({
  queryKey: ['gateway-pipeline'],
  queryFn: () => told(api.GET('/v1/pipeline/gateway')),
  refetchInterval: 30_000,
});

/** How far back the page of modules looks, in days. */
export const moduleRanges = { '7d': 7, '30d': 30 } as const;

export const configurations = queryOptions({
  queryKey: ['configurations'],
  queryFn: () => told(api.GET('/v1/configurations')),
});

export const webhooks = queryOptions({
  queryKey: ['webhooks'],
  queryFn: () => told(api.GET('/v1/webhooks')),
});

/** Reads again while something is being sent. */
export const deliveriesOf = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['webhooks', id, 'deliveries'],
    queryFn: ({ pageParam: after }) =>
      told(
        api.GET('/v1/webhooks/{id}/deliveries', {
          params: { path: { id }, query: { limit: 20, ...(after !== null && { after }) } },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some((page) => page.deliveries.some(({ status }) => status === 'pending')) === true
        ? 2000
        : false,
  });

export const ownProviders = queryOptions({
  queryKey: ['own-providers'],
  queryFn: () => told(api.GET('/v1/providers')),
});

export const mcpServers = queryOptions({
  queryKey: ['mcp', 'servers'],
  queryFn: () => told(api.GET('/v1/mcp/servers')),
});

export const mcpServerTools = (name: string) =>
  queryOptions({
    queryKey: ['mcp', 'tools', name],
    queryFn: () => told(api.GET('/v1/mcp/servers/{name}/tools', { params: { path: { name } } })),
  });

export const mcpAuthorizations = queryOptions({
  queryKey: ['mcp', 'authorizations'],
  queryFn: () => told(api.GET('/v1/mcp/authorizations')),
});

export const aliases = queryOptions({
  queryKey: ['aliases'],
  queryFn: () => told(api.GET('/v1/aliases')),
});

/** Reads again while the gateway runs one. */
export const batchRuns = queryOptions({
  queryKey: ['batch-runs'],
  queryFn: () => told(api.GET('/v1/batch-runs')),
  refetchInterval: ({ state: { data } }) =>
    data?.batches.some(({ is_own: isOwn, state }) => isOwn && /^(?:in_progress|cancelling)$/.test(state)) ===
    true
      ? 2000
      : false,
});

export const prompts = queryOptions({
  queryKey: ['prompts'],
  queryFn: () => told(api.GET('/v1/prompts')),
});

export const prompt = (name: string) =>
  queryOptions({
    queryKey: ['prompts', name],
    queryFn: () => told(api.GET('/v1/prompts/{name}', { params: { path: { name } } })),
  });

/** By its number or a label. */
export const promptVersion = (name: string, version: string) =>
  queryOptions({
    queryKey: ['prompts', name, version],
    queryFn: () =>
      told(api.GET('/v1/prompts/{name}/versions/{version}', { params: { path: { name, version } } })),
  });

export const rules = queryOptions({
  queryKey: ['rules'],
  queryFn: () => told(api.GET('/v1/guardrails/rules')),
});

export const catalog = queryOptions({
  queryKey: ['catalog'],
  queryFn: () => told(api.GET('/v1/catalog')),
  ...once,
});

export const health = queryOptions({
  queryKey: ['health'],
  queryFn: () => told(api.GET('/health')) as Promise<{ readonly providers: Record<string, boolean> }>,
});

/** Those that can be called here; all that are known, where the page itself may not ask: a log-in doesn't count there. */
export const models = queryOptions({
  queryKey: ['models'],
  queryFn: async ({ client }) => {
    const { mode } = await client.ensureQueryData(capabilities);
    if (mode === 'cloud') return (await client.ensureQueryData(catalog)).models.map(({ id }) => id);
    const list = (await told(api.GET('/v1/models'))) as {
      readonly data?: readonly { readonly id: string }[];
    };
    return (list.data ?? []).map(({ id }) => id);
  },
  staleTime: 60_000,
});

/** How far back pages look. */
export const ranges = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 } as const;
export type RangeName = keyof typeof ranges;
const hourMs = 3_600_000;

/** What the chart of the overview shows. */
export const chartNames = ['cost', 'saved', 'requests', 'errors', 'tokens', 'latency'] as const;
export type ChartName = (typeof chartNames)[number];

export function rangeStart(range: RangeName): Date {
  return new Date(Date.now() - ranges[range] * hourMs);
}

/** The sums of the period before, of the same length. */
export const summaryBefore = (range: RangeName) =>
  queryOptions({
    queryKey: ['summary-before', range],
    queryFn: () => {
      const to = rangeStart(range);
      const from = new Date(to.getTime() - ranges[range] * hourMs);
      const query = { from: from.toISOString(), to: to.toISOString() };
      return told(api.GET('/v1/requests/summary', { params: { query } }));
    },
    // It changes as slowly as it grows old.
    staleTime: 60_000,
    refetchInterval: 60_000,
  });

export const summary = (range: RangeName) =>
  queryOptions({
    queryKey: ['summary', range],
    queryFn: () =>
      told(api.GET('/v1/requests/summary', { params: { query: { from: rangeStart(range).toISOString() } } })),
    // A month changes slowly, and is a hundred times what an hour is to sum up.
    refetchInterval: ranges[range] > 24 ? 60_000 : 5000,
    placeholderData: keepPreviousData,
  });

export type ErrorsByCause = Answer<'/v1/requests/errors', 'get'>;

/** Failed calls by cause, in the steps of the summary. */
export const errorsByCause = (range: RangeName) =>
  queryOptions({
    queryKey: ['errors-by-cause', range],
    queryFn: () =>
      told(api.GET('/v1/requests/errors', { params: { query: { from: rangeStart(range).toISOString() } } })),
    refetchInterval: ranges[range] > 24 ? 60_000 : 5000,
    placeholderData: keepPreviousData,
  });

/** By days of UTC, exact also where the log has been cleaned. */
export const usage = (days: number) =>
  queryOptions({
    queryKey: ['usage', days],
    queryFn: () => {
      const from = new Date(Date.now() - (days - 1) * 24 * hourMs).toISOString().slice(0, 10);
      return told(api.GET('/v1/usage', { params: { query: { from } } }));
    },
    refetchInterval: 30_000,
  });

export type UsageReport = Answer<'/v1/usage', 'get'>;

/** Days of UTC, both inclusive. */
export const usageBetween = (days: Days) =>
  queryOptions({
    queryKey: ['usage', days],
    queryFn: () => told(api.GET('/v1/usage', { params: { query: days } })),
    refetchInterval: 60_000,
  });

/** The end users with the highest cost. */
export const endUsers = (days: Days) =>
  queryOptions({
    queryKey: ['end-users', days],
    queryFn: () => told(api.GET('/v1/usage/end-users', { params: { query: days } })),
    refetchInterval: 60_000,
  });

/** The tags with the highest cost. */
export const tagUsage = (days: Days) =>
  queryOptions({
    queryKey: ['usage-tags', days],
    queryFn: () => told(api.GET('/v1/usage/tags', { params: { query: { ...days, limit: 2000 } } })),
    refetchInterval: 60_000,
  });

/** Of this day or month of UTC. */
export const usageIn = (window: 'day' | 'month') =>
  queryOptions({
    queryKey: ['usage', window],
    queryFn: () => {
      const today = new Date().toISOString().slice(0, 10);
      const from = window === 'day' ? today : `${today.slice(0, 8)}01`;
      return told(api.GET('/v1/usage', { params: { query: { from, to: today } } }));
    },
    refetchInterval: 30_000,
  });

export type ModuleSavings = Answer<'/v1/savings', 'get'>['modules'][number];

export const savings = queryOptions({
  queryKey: ['savings'],
  queryFn: () => told(api.GET('/v1/savings')),
  refetchInterval: 30_000,
});

export type WholeCall = Answer<'/v1/requests/{id}', 'get'>;

export const request = (id: string) =>
  queryOptions({
    queryKey: ['request', id],
    queryFn: () => told(api.GET('/v1/requests/{id}', { params: { path: { id } } })),
    ...once,
  });

export type RecordedConversation = Answer<'/v1/recordings/{id}/conversation', 'get'>;
export type Recording = Answer<'/v1/recordings/{id}', 'get'>;
export type RecordingSettings = Answer<'/v1/recordings/settings', 'get'>;

export const recordingSettings = queryOptions({
  queryKey: ['recording-settings'],
  queryFn: () => told(api.GET('/v1/recordings/settings')),
});

export const logSettings = queryOptions({
  queryKey: ['log-settings'],
  queryFn: () => told(api.GET('/v1/requests/settings')),
});

export const conversation = (id: string) =>
  queryOptions({
    queryKey: ['recorded-conversation', id],
    queryFn: () => told(api.GET('/v1/recordings/{id}/conversation', { params: { path: { id } } })),
    ...once,
    retry: false,
  });

export const recording = (id: string) =>
  queryOptions({
    queryKey: ['recording', id],
    queryFn: () => told(api.GET('/v1/recordings/{id}', { params: { path: { id } } })),
    ...once,
    retry: false,
  });

type RecordingFilter = Omit<
  NonNullable<paths['/v1/recordings']['get']['parameters']['query']>,
  'limit' | 'after' | 'from'
> & { readonly range?: TimeRange };

export const recordings = ({ range, ...filter }: RecordingFilter) =>
  infiniteQueryOptions({
    queryKey: ['recordings', range, filter],
    queryFn: ({ pageParam: after }) => {
      const from = range && startOfRange(range).toISOString();
      const query = { ...filter, ...(from && { from }), limit: 50, ...(after !== null && { after }) };
      return told(api.GET('/v1/recordings', { params: { query } }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
  });

export const recordingSearch = (q: string) =>
  infiniteQueryOptions({
    queryKey: ['recording-search', q],
    queryFn: ({ pageParam: after }) =>
      told(api.GET('/v1/recordings/search', { params: { query: { q, ...(after !== null && { after }) } } })),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

export type Conversation = Answer<'/v1/conversations', 'get'>['conversations'][number];
export type ConversationFilter = Omit<
  NonNullable<paths['/v1/conversations']['get']['parameters']['query']>,
  'limit' | 'after'
>;

export const conversations = (filter: ConversationFilter) =>
  infiniteQueryOptions({
    queryKey: ['conversations', filter],
    queryFn: ({ pageParam: after }) =>
      told(
        api.GET('/v1/conversations', {
          params: { query: { ...filter, limit: 50, ...(after !== null && { after }) } },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? 10_000 : false),
  });

export const timeline = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['conversation', id],
    queryFn: ({ pageParam: after }) =>
      told(
        api.GET('/v1/conversations/{id}', {
          params: { path: { id }, query: { limit: 200, ...(after !== null && { after }) } },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next,
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? 10_000 : false),
  });

export const keys = queryOptions({
  queryKey: ['keys'],
  queryFn: () => told(api.GET('/v1/keys')),
});

/** The access rules of all active keys. */
export const keyAccess = queryOptions({
  queryKey: ['key-access'],
  queryFn: () => told(api.GET('/v1/keys/access')),
});

/** Who uses the keys, and since when they have their modules. */
export const keyOwners = queryOptions({
  queryKey: ['keys', 'owners'],
  queryFn: () => told(api.GET('/v1/keys/owners')),
});

export const providerKeys = queryOptions({
  queryKey: ['byok'],
  queryFn: () => told(api.GET('/v1/byok')),
});

/** The keys of one provider, whose states change with calls. */
export const keysOfProvider = (provider: string) =>
  queryOptions({
    queryKey: ['byok', provider],
    queryFn: () => told(api.GET('/v1/byok/{provider}/keys', { params: { path: { provider } } })),
    refetchInterval: 15_000,
  });

export const patterns = infiniteQueryOptions({
  queryKey: ['patterns'],
  queryFn: ({ pageParam: after }) =>
    told(api.GET('/v1/patterns', { params: { query: { limit: 50, ...(after !== null && { after }) } } })),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next }) => next,
});

/** For a choice of one. */
export const latestRecordings = queryOptions({
  queryKey: ['latest-recordings'],
  queryFn: () => told(api.GET('/v1/recordings', { params: { query: { limit: 50 } } })),
});

export const archive = queryOptions({
  queryKey: ['archive'],
  queryFn: () => told(api.GET('/v1/archive')),
});

export const archivedItems = (conversation: string) =>
  infiniteQueryOptions({
    queryKey: ['archive', conversation],
    queryFn: ({ pageParam: after }) =>
      told(
        api.GET('/v1/archive/conversations/{name}', {
          params: { path: { name: conversation }, query: after === null ? {} : { after } },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });

export const archivedItem = (ref: string) =>
  queryOptions({
    queryKey: ['archived', ref],
    queryFn: () => told(api.GET('/v1/archive/{ref}', { params: { path: { ref } } })),
  });

export type BillingUsage = Answer<'/v1/billing/usage', 'get'>;

export const billingUsage = queryOptions({
  queryKey: ['billing'],
  queryFn: () => told(api.GET('/v1/billing/usage')),
});

export const sessions = queryOptions({
  queryKey: ['sessions'],
  queryFn: () => told(api.GET('/v1/users/sessions')),
});

/** Passkeys, and whether a password is enough. */
export const loginFactors = queryOptions({
  queryKey: ['login-factors'],
  queryFn: () => told(api.GET('/v1/users/passkeys')),
});

/** Whether the address of the account was confirmed, and whether there is a way to. */
export const verification = queryOptions({
  queryKey: ['verification'],
  queryFn: () => told(api.GET('/v1/users/verify')),
});

export const pattern = (id: string) =>
  queryOptions({
    queryKey: ['pattern', id],
    queryFn: () => told(api.GET('/v1/patterns/{id}', { params: { path: { id } } })),
  });

/** Whether this browser has the operator's token. */
export const operatorSession = queryOptions({
  queryKey: ['operator-session'],
  queryFn: () => told(api.GET('/v1/operator/session')),
});

export const diagnostics = queryOptions({
  queryKey: ['diagnostics'],
  queryFn: () => told(api.GET('/v1/diagnostics')),
  refetchInterval: 10_000,
});

export type StoredPart = Answer<'/v1/operator/storage', 'get'>['parts'][number];

/** Measured every ten minutes. */
export const storage = queryOptions({
  queryKey: ['storage'],
  queryFn: () => told(api.GET('/v1/operator/storage')),
  staleTime: 60_000,
  refetchInterval: 600_000,
});

export const destinations = queryOptions({
  queryKey: ['destinations'],
  queryFn: () => told(api.GET('/v1/airgap')),
  refetchInterval: 10_000,
});

export const operatorAccounts = (sort: AccountSort, after: OperatorAccount | undefined) =>
  queryOptions({
    queryKey: ['operator-accounts', sort, after?.id],
    queryFn: () =>
      told(
        api.GET('/v1/operator/accounts', {
          params: {
            query: { sort, ...(after?.email != null && { after: after.email, after_id: after.id }) },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** What keys may still spend under their ceilings. */
export const budgets = queryOptions({
  queryKey: ['budgets'],
  queryFn: () => told(api.GET('/v1/budgets')),
  refetchInterval: 10_000,
});

/** Budgets of the account, those nearest to their limit first. */
export const storedBudgets = infiniteQueryOptions({
  queryKey: ['stored-budgets'],
  queryFn: ({ pageParam: after }) =>
    told(
      api.GET('/v1/organization/budgets', {
        params: { query: { limit: 50, ...(after !== null && { after }) } },
      }),
    ),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next_cursor,
  refetchInterval: 10_000,
});

/** The first of those that are not archived, to choose from. */
export const projectChoices = queryOptions({
  queryKey: ['projects', 'choices'],
  queryFn: () =>
    told(api.GET('/v1/organization/projects', { params: { query: { limit: 200, archived: 'false' } } })),
});

/** The ledger of credits beyond its first page. */
export const ledgerAfter = (after: string) =>
  told(api.GET('/v1/billing/usage', { params: { query: { after } } }));

export const invoicesAfter = (after: string | undefined) =>
  told(api.GET('/v1/billing/invoices', { params: { query: after === undefined ? {} : { after } } }));
