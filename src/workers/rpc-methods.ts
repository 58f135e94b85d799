import type { InferenceClient } from '../embeddings/inference.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Environment } from '../gateway/settings.ts';
import type { ReloadResult, SettingsChange } from '../kernel/ports/reload.ts';
import type { ProcessMetrics } from './metrics-aggregator.ts';
import type { UnusedSlots } from './slot-leases.ts';
import type { StoreMethods } from './store-methods.ts';

/** RPC methods of a worker. */
export interface WorkerMethods {
  /** Rejects with an explanation for the operator. */
  start(order: WorkerStartOptions): Promise<WorkerStartResult>;
  /** Its metrics in the Prometheus format. */
  metrics(): Promise<string>;
  /** Stops accepting connections. */
  stopAccepting(): Promise<void>;
  /** Stops accepting; resolves to the last metrics when its connections have ended, or at the timeout. */
  handOver(graceMs: number): Promise<string>;
  /** Reopens its log file after rotation. */
  reopenLog(): Promise<void>;
  /** Drops the cached state of an account and returns its leased slots. */
  forgetAccount(accountId: string): Promise<UnusedSlots | undefined>;
  /** Reports not ready to load balancers, and keeps serving. */
  announceShutdown(): Promise<void>;
  /** Rejects new calls; resolves when open ones have ended, or at the timeout. */
  drain(graceMs: number): Promise<void>;
  /** Aborts open calls and flushes data; resolves to the last metrics. */
  close(): Promise<string>;
}

/** RPC methods of the primary process. */
export interface PrimaryMethods extends StoreMethods {
  /** Announces that the worker listens; earlier messages would be lost. */
  hello(): Promise<void>;
  /** Uses the local models, which run once per machine. */
  readonly askModel: InferenceClient['infer'];
  /** Reads the configuration again; resolves to the faults if nothing has changed. */
  reload(): Promise<ReloadResult | { readonly faults: readonly string[] }>;
  /** Metrics of all processes, including ended ones. */
  allMetrics(): Promise<readonly ProcessMetrics[]>;
}

export interface WorkerStartOptions {
  /** All settings, the same for every worker, including replacements. */
  readonly environment: Environment;
  /** When the gateway started, regardless of worker restarts. */
  readonly startedAtMs: number;
  /** Whether the gateway has used this database before. */
  readonly isJoining: boolean;
  /** The reload that has started it; undefined with the gateway. */
  readonly settingsChange: SettingsChange | undefined;
}

export type WorkerStartResult = Pick<
  Gateway,
  'url' | 'pipeline' | 'readyProviders' | 'hasDashboard' | 'unknownVariables'
>;
