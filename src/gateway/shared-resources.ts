import type { InferenceClient } from '../embeddings/inference.ts';
import type { EphemeralStores } from './ephemeral-stores.ts';

/** What the processes of one gateway have in common; one that is alone has its own. */
export interface SharedResources {
  readonly startedAtMs: number;
  /** Whether others of them have served with this database before, so that tables of a newer version were added to meanwhile. */
  readonly isJoining: boolean;
  /** Stands in for Redis where there is none. */
  readonly stores: EphemeralStores;
  /** The models of the machine. */
  readonly models: InferenceClient;
  /** The figures of all processes together. */
  metrics(): Promise<string>;
}
