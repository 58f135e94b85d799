import { Sealer } from '../../accounts/sealer.ts';
import { BatchList } from '../../calls/batches/batch-list.ts';
import { GatewayBatches, gatewayProvider } from '../../calls/own-batches/gateway-batches.ts';
import type { LineCallers } from '../../calls/own-batches/line-callers.ts';
import { OwnBatchExecutor } from '../../calls/own-batches/own-batch-executor.ts';
import type { StoredObjects } from '../../calls/stored-objects/stored-objects.ts';
import { createRequestIds } from '../../kernel/request-ids.ts';
import type { ProviderDirectory } from '../../providers/provider-directory.ts';
import { batchRunRoutes } from '../../server/api/routes/batch-runs.ts';
import { createDataPlaneRouter, type DataPlaneRoute, type DataPlaneRouter } from '../../server/data-plane.ts';
import { LineCalls } from '../../server/line-calls.ts';
import { OwnBatchRelays } from '../../server/own-batch-relays.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Part } from '../part.ts';
import type { RootSecrets } from '../secrets.ts';
import type { Settings } from '../settings.ts';
import type { Stores } from './stores.ts';

interface OwnBatchesParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly roots: RootSecrets;
  readonly stores: Stores;
  readonly objects: StoredObjects;
  readonly callers: LineCallers;
  readonly directory: ProviderDirectory;
  /** The routes of calls; complete when this part starts. */
  readonly served: readonly DataPlaneRoute[];
}

interface OwnBatchesPart extends Required<Pick<Part, 'routes' | 'gauges' | 'close'>> {
  readonly relays: OwnBatchRelays;
  start(): void;
  abortAll(): void;
}

/** Batches that the gateway runs itself. */
export function ownBatchesPart({
  settings,
  log,
  roots,
  stores,
  objects,
  callers,
  directory,
  served,
}: OwnBatchesParts): OwnBatchesPart {
  const { callFiles: files, ownBatches: batches, ownBatchLines: lines } = stores.database;
  const { clock } = stores;
  const keptMs = settings.batchDays * dayMs;
  const stored = { files, batches, lines, clock, keptMs, sealing: new Sealer(roots.deriveKeys('batches')) };
  const gatewayBatches = new GatewayBatches({
    ...stored,
    objects,
    fileBytesMax: settings.batchFileBytes,
    accountBytesMax: settings.batchAccountBytes,
    hasPath: (path) => served.some((route) => route.path === path && mayBeBatched(route)),
    onMade: () => executor.look(),
  });
  // The gateway's own models, such as `weir/minilm`, have its name already.
  const modelOf = (name: string) =>
    name.startsWith(`${gatewayProvider}/`) && directory.find(name) === undefined
      ? name.slice(gatewayProvider.length + 1)
      : name;
  let router: DataPlaneRouter | undefined;
  const lineCalls = new LineCalls({
    ...{ callers, modelOf, requestId: createRequestIds(clock) },
    router(path, method, headers) {
      router ??= createDataPlaneRouter(served);
      return router(path, method, headers);
    },
  });
  const executor = new OwnBatchExecutor({
    ...stored,
    callsAtOnce: settings.batchCallsAtOnce,
    callsPerMinute: settings.batchCallsPerMinute,
    call: (line, maker) => lineCalls.call(line, maker),
    publish: (batch, maker) => gatewayBatches.publish(batch, maker),
    onError: (err, batch) => log.error({ err, batch }, 'a batch could not go on; will retry'),
  });
  return {
    routes: batchRunRoutes(new BatchList({ objects, ownBatches: batches, gatewayBatches })),
    relays: new OwnBatchRelays({ batches: gatewayBatches, objects, directory, modelOf }),
    gauges: [
      {
        name: 'weir_own_batches_running',
        help: 'Batches that this process runs itself',
        read: () => executor.running,
      },
    ],
    start: () => executor.start(),
    abortAll: () => lineCalls.abortAll(),
    close: (untilMs) => executor.close(untilMs),
  };
}

const dayMs = 86_400_000;

/** JSON in, JSON out, for one answer. */
function mayBeBatched({ method, path, relayBody = 'json' }: DataPlaneRoute): boolean {
  return method === 'POST' && relayBody === 'json' && !path.includes('*') && !path.includes('/batches');
}
