import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../kernel/clock.ts';
import { openDashboard } from '../server/own/dashboard.ts';
import { openDocs } from '../server/own/docs.ts';
import type { Log } from '../telemetry/log.ts';
import type { Common } from './common.ts';
import { listen } from './listen.ts';
import type { GivenModule } from './module-packages.ts';
import { accountsPart } from './parts/accounts.ts';
import { anonymousPart } from './parts/anonymous.ts';
import { billingPart, type CreditUse } from './parts/billing.ts';
import { dataPlanePart } from './parts/data-plane.ts';
import { embeddingsPart } from './parts/embeddings.ts';
import { informationPart } from './parts/information.ts';
import { metricsPart } from './parts/metrics.ts';
import { modulesPart } from './parts/modules.ts';
import { patternsPart } from './parts/patterns.ts';
import { paidModels, payersOf } from './parts/payers.ts';
import { paymentsPart } from './parts/payments.ts';
import { type PublicAddress, peoplePart } from './parts/people.ts';
import { pipelinesPart } from './parts/pipelines.ts';
import { providerKeysPart } from './parts/provider-keys.ts';
import { providersPart } from './parts/providers.ts';
import { receiptsPart } from './parts/receipts.ts';
import { requestLogPart } from './parts/request-log.ts';
import { sandboxPart } from './parts/sandbox.ts';
import { spendingPart } from './parts/spending.ts';
import { storesPart } from './parts/stores.ts';
import { usagePart } from './parts/usage.ts';
import { Roots } from './secrets.ts';
import type { Settings } from './settings.ts';
import { type StartedParts, startParts } from './started-parts.ts';

export interface Gateway {
  /** Where it listens. */
  readonly url: string;
  readonly pipeline: string;
  /** Providers that can be called without a key on the request. */
  readonly ready: readonly string[];
  /** Whether browsers find pages here. */
  readonly hasDashboard: boolean;
  /** Variables with our prefix that mean nothing to this version, nor to a module that it loaded. */
  readonly unknownVariables: readonly string[];
  /** The figures of this process, for Prometheus. */
  metrics(): string;
  /** Leaves new connections to other processes. */
  leave(): void;
  /** Does so, and serves its own until they are gone or `graceMs` is over. */
  handOver(graceMs: number): Promise<void>;
  /** Tells balancers to send nothing more, and goes on answering what comes. */
  announce(): void;
  /** Answers new calls with a refusal, and resolves when no other is open or `graceMs` is over. */
  drain(graceMs: number): Promise<void>;
  /** Takes no new calls, waits for open ones up to `graceMs`, and gives up the rest. */
  close(graceMs?: number): Promise<void>;
}

const project = fileURLToPath(new URL('../../', import.meta.url));

/** The composition root: the only place that knows everyone. */
export function startGateway(settings: Settings, log: Log, around: Around = {}): Promise<Gateway> {
  return startParts(log, (parts) => compose(parts, { settings, log, ...around }));
}

/** What only some gateways have around them. */
interface Around {
  readonly common?: Common;
  /** Modules of the program that the gateway is part of. */
  readonly modules?: readonly GivenModule[];
}

interface Outside extends Around {
  readonly settings: Settings;
  readonly log: Log;
}

/** Closed in the reverse of this order: what calls leave behind is stored while there is somewhere to store it. */
async function compose(parts: StartedParts, outside: Outside): Promise<Gateway> {
  const { settings, log, common } = outside;
  const roots = new Roots(settings);
  const via = viaOf(roots);
  const address: PublicAddress = { url: settings.baseUrl ?? '' };
  const startedAtMs = common?.startedAtMs ?? systemClock.now();
  let state: 'serving' | 'leaving' | 'draining' = 'serving';
  const isLeaving = () => state !== 'serving';
  const isDraining = () => state === 'draining';

  const { modules: given = [] } = outside;
  const { modules, unknownVariables } = parts.add(await modulesPart({ settings, log, given }));
  const stores = parts.add(await storesPart({ settings, log, common }));
  const ground = { settings, log, roots, via, modules, stores };
  const { metrics } = parts.add(metricsPart({ settings, log, common }));
  const providers = parts.add(providersPart(settings));
  const { directory, ready } = providers;
  const meaning = parts.add(embeddingsPart({ ...ground, providers, models: common?.models }));
  const creditUse: CreditUse = { heard: () => undefined };
  const { usage } = parts.add(usagePart({ ...ground, creditUse }));
  const { spending } = parts.add(spendingPart({ ...ground, usage }));
  const { requests } = parts.add(await requestLogPart({ ...ground, providers }));
  const { book } = parts.add(patternsPart({ ...ground, requests, meaning }));
  const { receipts } = parts.add(await receiptsPart(ground));
  const { sessions, findGuest } = parts.add(anonymousPart(ground));
  const people = parts.add(peoplePart({ ...ground, usage, directory, address, findGuest }));
  const { callers, access } = people;
  const { vault } = parts.add(providerKeysPart({ ...ground, providers }));
  const recorded = { metrics, usage, spending, requests };
  const calls = parts.add(pipelinesPart({ ...ground, ...recorded, providers, meaning, book }));
  const { pipelines } = calls;
  const sandbox = parts.add(sandboxPart({ ...ground, providers, people, pipelines, sessions }));
  const models = paidModels(settings, providers);
  const payers = await payersOf({ settings, models, pipelines });
  const turnstiles = {
    ...people.turnstiles,
    sandbox: sandbox.turnstile,
    ...(payers !== undefined && { payer: payers.turnstile }),
  };
  const dataPlane = parts.add(
    dataPlanePart({ ...ground, ...calls, metrics, providers, people, turnstiles, receipts, vault }),
  );
  const { admission } = dataPlane;
  const payments = parts.add(
    paymentsPart({ ...ground, ...calls, metrics, address, admission, receipts, models, payers }),
  );
  const { leave } = parts.add(billingPart({ ...ground, people, address, creditUse }));
  parts.add(accountsPart({ ...ground, usage, people, pipelines, sessions, meaning, leave }));
  // The last, since it tells of the others.
  const { features } = parts;
  parts.add(
    informationPart({
      ...ground,
      startedAtMs,
      features,
      isLeaving,
      recorders: [usage, requests],
      meaning,
      providers,
      callers,
      pipelines,
      dataPlane,
      paidRoutes: payments.paidRoutes,
    }),
  );

  for (const { name, help, read } of parts.gauges) metrics.gauge(name, help, read);
  const pages = settings.dashboard === 'on' ? pagesIn(project) : undefined;
  const listener = await listen({ settings, log, via, access, routes: parts.routes, isDraining, pages });
  if (settings.baseUrl === undefined) address.url = listener.url;
  return {
    url: listener.url,
    pipeline: pipelines.base.pipeline.text,
    ready: ready.map((provider) => provider.name),
    hasDashboard: pages?.dashboard !== undefined,
    unknownVariables,
    metrics: () => metrics.render(),
    leave: () => listener.leave(),
    handOver: (graceMs) => listener.handOver(graceMs),
    announce() {
      if (state === 'serving') state = 'leaving';
      listener.keepNoConnections();
    },
    async drain(graceMs) {
      state = 'draining';
      listener.keepNoConnections();
      await parts.drain(performance.now() + graceMs);
    },
    async close(graceMs = settings.drainMs) {
      state = 'draining';
      await listener.close(graceMs, () => {
        dataPlane.abortAll();
        payments.abortAll();
      });
      await parts.close();
    },
  };
}

function pagesIn(folder: string) {
  return {
    dashboard: openDashboard(join(folder, 'web', 'dist')),
    docs: openDocs(join(folder, 'site', 'dist')),
  };
}

/** What a call that has come through this gateway, or one with the same secret, is known by. */
function viaOf(roots: Roots): string {
  const [loopKey] = roots.derived('loop');
  return `1.1 weir-${Buffer.from(loopKey).toString('hex', 0, 8)}`;
}
