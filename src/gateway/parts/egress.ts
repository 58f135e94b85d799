import { AllowList } from '../../egress/allow-list.ts';
import { watchDenials } from '../../egress/denials.ts';
import { Egress } from '../../egress/egress.ts';
import { ModuleFetches } from '../../egress/module-fetches.ts';
import { accountProvidersPurpose } from '../../egress/provider-egress.ts';
import { Proxies } from '../../egress/proxies.ts';
import type { Provider } from '../../kernel/provider.ts';
import type { OpenSocket } from '../../lib/late-socket.ts';
import { airgapProviders, configuredProviders } from '../../providers/configured-providers.ts';
import { parseRedisUrl } from '../../storage/redis/redis-address.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Gauge } from '../../telemetry/process-gauges.ts';
import { egressCheck } from '../checks/egress.ts';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';
import { version } from '../version.ts';

/** The name of webhooks in `WEIR_EGRESS_ALLOW`, and the purpose of their connections. */
export const webhooksPurpose = 'webhooks';

/** The name of identity providers in `WEIR_EGRESS_ALLOW`, and the purpose of their connections. */
export const signOnPurpose = 'sign-on';

/** The name of MCP servers and their issuers in `WEIR_EGRESS_ALLOW`, and the purpose of their connections. */
export const mcpPurpose = 'mcp';

export interface EgressPart extends Part {
  readonly egress: Egress;
  readonly allowList: AllowList;
  readonly moduleFetches: ModuleFetches;
  /** Counts what Node.js denies this process from now on. */
  watchDenials(): void;
}

interface EgressOptions {
  readonly settings: Settings;
  readonly log: Pick<Log, 'error'>;
  /** Providers of the embedding program, which are called in any case. */
  readonly given?: readonly Provider[] | undefined;
  /** Opens connections for a process that may not. */
  readonly openSocket?: OpenSocket | undefined;
  /** The `via` value that marks requests through this gateway; a command has none. */
  readonly via?: string;
}

/** All outbound connections. */
export function egressPart({ settings, log, given = [], via, openSocket }: EgressOptions): EgressPart {
  const called = new Set([...given.map(({ name }) => name), ...airgapProviders(settings)]);
  const egress = new Egress({
    isPublicOnly: settings.mode === 'cloud',
    openSocket,
    mayConnect: (provider) => !settings.isAirgapped || (provider !== undefined && called.has(provider)),
    proxies: settings.proxies && new Proxies(settings.proxies),
    certificates: settings.certificates,
    onRefusal: ({ purpose, host, port, error: err }) =>
      log.error({ purpose, host, port, err }, 'refused an outbound connection; logged once for each host'),
  });
  if (settings.stores !== undefined) {
    egress.addStore('database', settings.stores.database);
    for (const endpoint of parseRedisUrl(settings.stores.redis).endpoints)
      egress.addStore('redis', 'path' in endpoint ? '' : `redis://${endpoint.host}:${endpoint.port}`);
  }
  let endDenials: (() => void) | undefined;
  const allowList = new AllowList(settings.egressAllow);
  const moduleFetches = new ModuleFetches({
    egress,
    allowList: settings.mode === 'cloud' ? allowList : undefined,
    headers: { 'user-agent': `weir/${version}`, ...(via !== undefined && { via }) },
  });
  return {
    egress,
    allowList,
    moduleFetches,
    checks: [egressCheck(egress)],
    gauges: egressGauges(egress),
    watchDenials() {
      endDenials = watchDenials((scope, resource) => egress.countDenial(scope, resource));
    },
    close() {
      endDenials?.();
      return egress.close();
    },
  };
}

/** Misspelt names, whose modules could not connect. */
export function allowListFaults(
  { allowList }: EgressPart,
  modules: ReadonlyMap<string, unknown>,
  settings: Settings,
): readonly string[] {
  const providers = new Set(configuredProviders(settings).map(({ name }) => name));
  const unknown = allowList.unknownNames(
    new Set([
      ...modules.keys(),
      ...providers,
      webhooksPurpose,
      accountProvidersPurpose,
      signOnPurpose,
      mcpPurpose,
    ]),
  );
  return unknown.map((name) => `WEIR_EGRESS_ALLOW: there is no module or provider "${name}"`);
}

/** Counters of all destinations. */
function egressGauges(egress: Egress): readonly Gauge[] {
  const gauge = (count: 'requests' | 'connections' | 'failures' | 'refused', help: string): Gauge => ({
    name: `weir_egress_${count}_total`,
    help,
    read: () =>
      egress
        .destinations()
        .flatMap(({ purpose, host, port, counts }) =>
          counts === undefined ? [] : { labels: { purpose, host, port: String(port) }, value: counts[count] },
        ),
  });
  return [
    gauge('requests', 'Outbound requests'),
    gauge('connections', 'Outbound connections'),
    gauge('failures', 'Outbound connections that could not be established'),
    gauge('refused', 'Outbound requests and connections that were not allowed'),
  ];
}
