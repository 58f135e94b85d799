import type { ModelsHere } from '../embeddings/model-questions.ts';
import type { Memory } from './memory.ts';

/** What the processes of one gateway have in common; one that is alone has its own. */
export interface Common {
  readonly startedAtMs: number;
  /** Whether others of them have served with this database before, so that tables of a newer version were added to meanwhile. */
  readonly isJoining: boolean;
  /** Stands in for Redis where there is none. */
  readonly memory: Memory;
  /** The models of the machine. */
  readonly models: ModelsHere;
  /** The figures of all processes together. */
  metrics(): Promise<string>;
}
