import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { GatewayError } from '../../src/kernel/errors.ts';
import type { ModelPricing } from '../../src/kernel/rate-card.ts';
import { createRequestIds } from '../../src/kernel/request-ids.ts';
import { headerOf } from '../../src/lib/headers.ts';
import { type AccessChecks, noProjects } from '../../src/server/api/access.ts';
import { createApp } from '../../src/server/api/app.ts';
import { openapiRoute } from '../../src/server/api/openapi.ts';
import { conversationsRoutes } from '../../src/server/api/routes/conversations.ts';
import { requestErrorsRoute } from '../../src/server/api/routes/request-errors.ts';
import { requestsRoutes } from '../../src/server/api/routes/requests.ts';
import { summaryRoutes } from '../../src/server/api/routes/requests-summary.ts';
import { usageTableRoutes } from '../../src/server/api/routes/usage-tables.ts';
import { usageTagsRoute } from '../../src/server/api/routes/usage-tags.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { openEmptyDatabase } from '../../src/testing/empty-database.ts';
import { call } from './call.ts';
import { startHttp } from './http-server.ts';
import { emptyFolder } from './weir-process.ts';

const openaiPricing: ModelPricing = {
  card: {
    ...{ input: 100e6, output: 80e6, cacheRead: 100e6, cacheWrite: 50e6, cacheWriteHour: 1 },
    ...{ audioInput: 1, audioOutput: 1, webSearch: 1, previewSearch: 1, fileSearch: 1, request: 0 },
    factors: {},
  },
  estimated: false,
};
/** Other providers have none. */
const pricing = new Map<string, ModelPricing>([
  ['openai', openaiPricing],
  ['cheap-cache', { ...openaiPricing, card: { ...openaiPricing.card, cacheRead: 30e6 } }],
]);

/** The routes of the request log, whose callers are the account that they name. */
export async function startLogRoutes(t: TestContext, nowMs: number) {
  const database = await openEmptyDatabase(emptyFolder(t));
  t.after(() => database.close());
  const pricingOf = (provider: string) => pricing.get(provider);
  const routes = [
    ...summaryRoutes({ log: database.requests, pricingOf, clock: { now: () => nowMs } }),
    requestErrorsRoute({ log: database.requests, clock: { now: () => nowMs } }),
    ...requestsRoutes({
      log: database.requests,
      keys: database.apiKeys,
      rates: (provider) => pricingOf(provider)?.card,
    }),
    ...conversationsRoutes({ log: database.requests, pricingOf }),
    ...usageTableRoutes({
      days: (query) => database.usage.days(query),
      endUsers: (query) => database.requests.endUsers(query),
      clock: { now: () => nowMs },
    }),
    usageTagsRoute({ tags: (query) => database.usage.tags(query), clock: { now: () => nowMs } }),
  ];
  const lines: string[] = [];
  const log = createLog('error', { write: (line) => void lines.push(line) });
  const app = createApp([...routes, openapiRoute(routes)], { access: tokensAreNames, log });
  const requestId = createRequestIds();
  const url = await startHttp(t, (req, res) => {
    const [path = '', ...query] = req.target.split(/(?=\?)/);
    void app(req, res, { id: requestId(), path, query: query.join(''), cors: [], clientAddress: '' });
  });
  t.after(() => assert.deepEqual(lines, []));
  const get = (path: string, name?: string) =>
    call(url, { path, headers: name === undefined ? [] : ['x-name', name] });
  return { get, log: database.requests, usage: database.usage };
}

const tokensAreNames: AccessChecks = {
  projects: noProjects,
  async session() {
    throw new Error('no session is used');
  },
  async key() {
    throw new Error('no key is used');
  },
  async operator() {
    throw new Error('no operator is needed');
  },
  async sessionOrKey({ headers }) {
    const accountId = headerOf(headers, 'x-name');
    if (accountId === undefined) throw new GatewayError('authentication_required', 'who is it?');
    return accountId === 'local'
      ? { kind: 'local', accountId }
      : { kind: 'key', accountId, keyId: 'key', access: undefined, projectId: null };
  },
};
