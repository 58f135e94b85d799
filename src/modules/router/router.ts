import {
  defineModule,
  type Exchange,
  GatewayError,
  type Handler,
  type Kit,
  Lru,
  type ModuleFactory,
  type Reply,
} from '../../module-api.ts';
import { Attempts, type RoutedReply } from './attempts.ts';
import { explainRoute } from './explain.ts';
import { limits } from './limits.ts';
import { type RouterOptions, routerConfiguration, routerOptions } from './options.ts';
import { RetryBudgets } from './retry-budget.ts';
import { planRoute, type Route, storeConversationRoute } from './route.ts';

/** Sends a call to the cheapest model that can take it, and to the next one if that fails before its first content. */
export const router: ModuleFactory<RouterOptions> = () => {
  const budgets = new RetryBudgets();
  /** The fastest target of each list of candidates, so that small differences don't move calls to and fro. */
  const fastest = new Lru<string>(limits.accountsMax);
  const listOf = (exchange: Exchange, { options, scope }: Kit<RouterOptions>): string =>
    `${scope}\n${options.models?.map(({ model }) => model).join('|') ?? exchange.target.model}`;

  return defineModule({
    api: 1,
    name: 'router',
    summary: 'Calls the cheapest model that can take the call, and the next one if it fails.',
    status: 'production',
    protective: false,
    order: 80,
    ifBroken: 'skip',
    touches: ['target'],
    options: routerOptions,
    configuration: routerConfiguration,
    features: ['routing'],

    async handle(exchange, next, kit) {
      budgets.earn(kit.scope);
      const list = listOf(exchange, kit);
      const route = await planRoute(exchange, kit, fastest.get(list));
      const [first] = route.stops;
      if (first === undefined) throw noRouteError(exchange, route, kit.clock.now());
      if (first.reason === 'fastest') fastest.set(list, first.candidate.name);
      return followRoute(exchange, next, { kit, route, spendRetry: () => budgets.spend(kit.scope) });
    },

    async explain(exchange, kit) {
      const route = await planRoute(exchange, kit, fastest.get(listOf(exchange, kit)));
      return explainRoute(route, kit.options);
    },
  });
};

interface RouteRun {
  readonly kit: Kit<RouterOptions>;
  readonly route: Route;
  spendRetry(): boolean;
}

async function followRoute(
  exchange: Exchange,
  next: Handler,
  { kit, route, spendRetry }: RouteRun,
): Promise<Reply> {
  const { options, clock } = kit;
  const attempts = new Attempts({ exchange, next, options, spendRetry, now: () => clock.now() });
  try {
    const routed = await attempts.run(route.stops);
    const { reply, stop, isRefused } = routed;
    const { name } = stop.candidate;
    const reason = reasonOf(routed, attempts);
    kit.setHeader('route', `${name}; attempts=${attempts.count}; reason=${isRefused ? 'refusal' : reason}`);
    kit.note({ target: name, reason, ...describeAttempts(attempts), ...describeExcluded(route) });
    if (options.sticky) kit.runInBackground(() => storeConversationRoute(exchange, kit, route, name));
    return reply;
  } catch (error) {
    const { failed, count } = attempts;
    if (failed.length > 0) {
      const tried = failed.map(({ name, kind }) => `${name}=${kind}`).join(', ');
      kit.setHeader('route', `none; attempts=${count}; failed=(${tried})`);
      kit.note({ target: 'none', ...describeAttempts(attempts), ...describeExcluded(route) });
    }
    throw error;
  }
}

function reasonOf({ stop, isHedge = false }: RoutedReply, { failed }: Attempts) {
  if (failed.length > 0) return 'fallback';
  return isHedge ? 'hedge' : stop.reason;
}

function describeAttempts({ count, failed }: Attempts) {
  return {
    ...(count > 1 && { attempts: count }),
    ...(failed.length > 0 && { failed: failed.map(({ name, kind }) => `${name}:${kind}`).join('+') }),
  };
}

/** As many as the request log has room for. */
function describeExcluded({ decision: { excluded } }: Route) {
  if (excluded.length === 0) return {};
  const texts = excluded.map(({ candidate, reason }) => `${candidate.name}: ${reason}`);
  return { left_out: texts.join('; ').slice(0, limits.notedCharactersMax) };
}

/** No candidate can take the call, or none can take it now. */
function noRouteError(exchange: Exchange, { decision, input }: Route, nowMs: number): GatewayError {
  const { excluded } = decision;
  if (input.candidates.length === 0)
    return new GatewayError(
      exchange.isTargetResolved ? 'no_route' : 'model_not_found',
      `router: no provider has the model "${exchange.request.model}"; name models with router?models=… or an alias`,
      { param: 'model' },
    );
  const reasons = excluded.map(({ candidate, reason }) => `${candidate.name}: ${reason}`).join('; ');
  const waiting = excluded.filter(({ isTemporary }) => isTemporary);
  const candidates = excluded.map(({ candidate, reason }) => ({ target: candidate.name, reason }));
  if (waiting.length === 0)
    return new GatewayError('no_route', `router: no model can take this call (${reasons})`, {
      extraFields: { candidates },
    });
  const soonestMs = Math.min(...waiting.map(({ candidate }) => candidate.health.restsUntilMs ?? nowMs));
  return new GatewayError('targets_unavailable', `router: no model can take this call now (${reasons})`, {
    extraFields: { candidates },
    retryAfterSeconds: Math.max(0, (soonestMs - nowMs) / 1000),
  });
}
