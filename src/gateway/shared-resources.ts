import type { InferenceClient } from '../embeddings/inference.ts';
import type { OpenSocket } from '../lib/late-socket.ts';
import type { EphemeralStores } from './ephemeral-stores.ts';

/** Resources shared by the processes of one gateway. */
export interface SharedResources {
  readonly startedAtMs: number;
  /** Whether this gateway has used the database before, so that a newer version may have migrated it meanwhile. */
  readonly isJoining: boolean;
  /** Replaces Redis. */
  readonly stores: EphemeralStores;
  /** The local embedding models. */
  readonly models: InferenceClient;
  /** The metrics of all processes. */
  metrics(): Promise<string>;
  /** Opens connections for a process that may not do so itself. */
  readonly openSocket?: OpenSocket | undefined;
  /** Called when all threads of the gateway run, before code of modules from packages is loaded. */
  readonly beforePackages?: (() => void) | undefined;
}
