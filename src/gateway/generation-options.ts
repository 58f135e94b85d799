import type { Argon2Cost } from '../accounts/argon2.ts';
import type { InferenceClient } from '../embeddings/inference.ts';
import type { Reload, SettingsChange } from '../kernel/ports/reload.ts';
import type { Provider } from '../kernel/provider.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import type { TokenEstimator } from '../providers/tokens/token-estimator.ts';
import type { SqliteThreads } from '../storage/sql/sqlite-thread.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { ModuleInput } from './module-packages.ts';
import type { PublicAddress } from './parts/identity.ts';
import type { Stores } from './parts/stores.ts';
import type { ProcessRegistry } from './process-registry.ts';
import type { Settings } from './settings.ts';
import type { SharedResources } from './shared-resources.ts';

/** What the program that starts a gateway may give it. */
export interface GatewayExtras {
  readonly sharedResources?: SharedResources;
  /** Reads the configuration again; undefined if there is nothing to read. */
  readonly reload?: Reload | undefined;
  /** The reload that has started this process. */
  readonly settingsChange?: SettingsChange | undefined;
  /** Modules of the embedding program. */
  readonly modules?: readonly ModuleInput[];
  /** Further wire formats and providers. */
  readonly formats?: readonly WireFormat[];
  readonly providers?: readonly Provider[];
  /** Less than the usual cost, for tests. */
  readonly passwordCost?: Argon2Cost;
  /** Of a program that starts many gateways, one after the other. */
  readonly sqliteThreads?: SqliteThreads;
  /** Of a program with several gateways: the program closes it. */
  readonly tokenEstimator?: TokenEstimator;
}

/** What outlives a change of the settings. */
export interface GenerationGround {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly stores: Stores;
  readonly models: InferenceClient;
  readonly tokenEstimator: TokenEstimator;
  readonly processRegistry: ProcessRegistry;
  readonly address: PublicAddress;
  readonly startedAtMs: number;
  readonly isShuttingDown: () => boolean;
  readonly isDraining: () => boolean;
}

export interface GenerationOptions extends Omit<GatewayExtras, 'tokenEstimator'>, GenerationGround {
  readonly settings: Settings;
}
