import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import type { ProviderVault } from '../../accounts/provider-keys.ts';
import { Admission } from '../../calls/admission.ts';
import type { CallReceipts } from '../../calls/call-receipts.ts';
import { Credentials } from '../../calls/credentials.ts';
import type { Turnstiles } from '../../calls/turnstile.ts';
import { limits } from '../../kernel/limits.ts';
import { createCounter } from '../../providers/upstream.ts';
import { Ballast } from '../../server/ballast.ts';
import { CountTokens } from '../../server/count-tokens.ts';
import { servedRoutes } from '../../server/data-plane.ts';
import { Inference } from '../../server/inference.ts';
import { SlowBodies } from '../../server/slow-bodies.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { wireFormats } from '../../wire/index.ts';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';
import type { People } from './people.ts';
import type { Pipelines } from './pipelines.ts';
import type { Providers } from './providers.ts';
import type { Stores } from './stores.ts';

export interface DataPlane extends Part {
  readonly credentials: Credentials;
  readonly admission: Admission;
  /** Gives every open call up. */
  abortAll(): void;
}

interface DataPlaneParts extends Pick<Pipelines, 'pipelines' | 'passage' | 'reports'> {
  readonly settings: Settings;
  readonly log: Log;
  /** What tells a call that has come through this gateway. */
  readonly via: string;
  readonly stores: Stores;
  readonly metrics: Metrics;
  readonly providers: Providers;
  readonly people: People;
  readonly turnstiles: Turnstiles;
  readonly receipts: CallReceipts;
  readonly vault: ProviderVault;
}

/** Where calls to models come in. */
export function dataPlanePart(parts: DataPlaneParts): DataPlane {
  const { settings, log, via, stores, metrics, people, vault, turnstiles, pipelines, passage, reports } =
    parts;
  const { catalog, directory, egress, means, estimator } = parts.providers;
  const { callers, shapes } = people;
  const credentials = new Credentials({
    mode: settings.mode,
    directory,
    shapes,
    vault,
    versions: stores.shared.versions,
    callers,
    operator: settings.credentials,
  });
  const heldBytesMax = Math.max(
    limits.ballastBytesMin,
    getHeapStatistics().heap_size_limit * limits.ballastShareOfHeap,
  );
  const ballast = new Ballast({
    all: heldBytesMax,
    each: Math.min(heldBytesMax * limits.ballastShareOfOne, limits.ballastBytesOfOneMax),
  });
  const slowBodies = new SlowBodies();
  const admission = new Admission({
    turnstiles,
    pipelines,
    directory,
    credentials,
    prices: { catalog, unknownModels: settings.unknownModels },
    reports,
  });
  const inference = new Inference({
    callers,
    admission,
    passage,
    receipts: parts.receipts,
    ballast,
    slowBodies,
    metrics,
    log,
    keepAliveMs: settings.keepAliveMs,
  });
  const countTokens = new CountTokens({
    callers,
    credentials,
    directory,
    counter: createCounter({ egress, means, via }),
    estimator,
    ballast,
    slowBodies,
    metrics,
    log,
  });
  return {
    credentials,
    admission,
    abortAll: () => inference.abortAll(),
    routes: servedRoutes(wireFormats, { answer: inference, count: countTokens }),
    gauges: [
      { name: 'weir_open_calls', help: 'Calls that have not ended', read: () => inference.openCalls },
      {
        name: 'weir_request_bytes_held',
        help: `Bytes that are held for requests under way, of ${Math.floor(heldBytesMax)}`,
        read: () => ballast.bytes,
      },
      {
        name: 'weir_orphaned_slots',
        help: 'Counted calls that are not settled, beyond those that are open: there must be none',
        read: () => Math.max(0, (people.quota?.unsettled ?? 0) - inference.openCalls),
      },
    ],
    features: ['streaming'],
    async drain(untilMs) {
      while (inference.openCalls > 0 && performance.now() < untilMs) await sleep(20);
    },
  };
}
