import type { SettingsChange } from '../kernel/ports/reload.ts';
import type { Log } from '../telemetry/log.ts';
import type { Diagnose } from './diagnostics.ts';
import type { GatewayExtras } from './generation-options.ts';
import { RunningGateway } from './running-gateway.ts';
import type { Settings } from './settings.ts';

export type { GatewayExtras } from './generation-options.ts';

export interface Gateway {
  /** The URL that it listens on. */
  readonly url: string;
  readonly pipeline: string;
  /** Providers that need no key on the request. */
  readonly readyProviders: readonly string[];
  /** Whether the dashboard is served. */
  readonly hasDashboard: boolean;
  /** `WEIR_` variables that neither this version nor a loaded module knows. */
  readonly unknownVariables: readonly string[];
  /** The metrics of this process in the Prometheus format. */
  metrics(): string;
  readonly diagnose: Diagnose;
  /** Stops accepting connections; other processes take them. */
  stopAccepting(): void;
  /** Stops accepting, and serves open connections until they end or `graceMs` has passed. */
  handOver(graceMs: number): Promise<void>;
  /** Reports not ready to load balancers, and keeps serving. */
  announceShutdown(): void;
  /** Rejects new calls, and resolves when no call is open or `graceMs` has passed. */
  drain(graceMs: number): Promise<void>;
  /**
   * Serves new requests with other settings; calls that have begun keep theirs. If it rejects, nothing has changed. One at
   * a time.
   */
  reload(settings: Settings, change?: SettingsChange): Promise<void>;
  /** Accepts no new calls, waits up to `graceMs` for open ones and aborts the rest. */
  close(graceMs?: number): Promise<void>;
}

/** The composition root; `generation.ts` lists the parts. */
export function startGateway(
  settings: Settings,
  log: Log,
  gatewayExtras: GatewayExtras = {},
): Promise<Gateway> {
  return RunningGateway.start(settings, log, gatewayExtras);
}
