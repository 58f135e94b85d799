import type { InferenceClient } from '../embeddings/inference.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Environment } from '../gateway/settings.ts';
import type { ProcessMetrics } from './metrics-aggregator.ts';
import type { UnusedSlots } from './slot-leases.ts';
import type { StoreMethods } from './store-methods.ts';

/** What the primary process asks a worker. */
export interface WorkerMethods {
  /** Fails with words for whoever started the gateway. */
  start(order: WorkerStartOptions): Promise<WorkerStartResult>;
  /** Its figures, as for Prometheus. */
  metrics(): Promise<string>;
  /** To leave new connections to others. */
  stopAccepting(): Promise<void>;
  /** The same; answers with the last figures when its own are gone, or the time is over. */
  handOver(graceMs: number): Promise<string>;
  /** To open the file of its log again, which was moved away. */
  reopenLog(): Promise<void>;
  /** That what it knows of an account may be out of date, and its slots are wanted back. */
  forgetAccount(accountId: string): Promise<UnusedSlots | undefined>;
  /** To tell balancers that it is about to stop, and to serve on. */
  announceShutdown(): Promise<void>;
  /** To refuse new calls; answers when the open ones are over, or the time is. */
  drain(graceMs: number): Promise<void>;
  /** To give up what is still open and store what it knows; answers with the last figures. */
  close(): Promise<string>;
}

/** What a worker asks the primary process. */
export interface PrimaryMethods extends StoreMethods {
  /** Says that it can be asked; what is said to a process before it listens is lost. */
  hello(): Promise<void>;
  /** Of the models that the machine has once. */
  readonly askModel: InferenceClient['infer'];
  /** Of all processes, those that have ended included. */
  allMetrics(): Promise<readonly ProcessMetrics[]>;
}

export interface WorkerStartOptions {
  /** All settings; the same for every worker, also for one that replaces another later. */
  readonly environment: Environment;
  /** When the gateway started, whatever became of its processes since. */
  readonly startedAtMs: number;
  /** Whether the gateway has served with this database before. */
  readonly isJoining: boolean;
}

export type WorkerStartResult = Pick<
  Gateway,
  'url' | 'pipeline' | 'readyProviders' | 'hasDashboard' | 'unknownVariables'
>;
