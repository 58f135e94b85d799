import type { ModelsHere } from '../embeddings/model-questions.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Environment } from '../gateway/settings.ts';
import type { ProcessFigures } from './figures.ts';
import type { MemoryQuestions } from './memory-questions.ts';
import type { Unused } from './slots-ahead.ts';

/** What the primary process asks a worker. */
export interface WorkerQuestions {
  /** Fails with words for whoever started the gateway. */
  start(order: StartOrder): Promise<Started>;
  /** Its figures, as for Prometheus. */
  figures(): Promise<string>;
  /** To leave new connections to others. */
  leave(): Promise<void>;
  /** The same; answers with the last figures when its own are gone, or the time is over. */
  handOver(graceMs: number): Promise<string>;
  /** To open the file of its log again, which was moved away. */
  reopenLog(): Promise<void>;
  /** That what it knows of an account may be out of date, and its slots are wanted back. */
  forgetAccount(accountId: string): Promise<Unused | undefined>;
  /** To tell balancers that it is about to stop, and to serve on. */
  announce(): Promise<void>;
  /** To refuse new calls; answers when the open ones are over, or the time is. */
  drain(graceMs: number): Promise<void>;
  /** To give up what is still open and store what it knows; answers with the last figures. */
  close(): Promise<string>;
}

/** What a worker asks the primary process. */
export interface PrimaryQuestions extends MemoryQuestions {
  /** Says that it can be asked; what is said to a process before it listens is lost. */
  hello(): Promise<void>;
  /** Of the models that the machine has once. */
  readonly askModel: ModelsHere['ask'];
  /** Of all processes, those that have ended included. */
  figuresOfAll(): Promise<readonly ProcessFigures[]>;
}

export interface StartOrder {
  /** All settings; the same for every worker, also for one that replaces another later. */
  readonly environment: Environment;
  /** When the gateway started, whatever became of its processes since. */
  readonly startedAtMs: number;
  /** Whether the gateway has served with this database before. */
  readonly isJoining: boolean;
}

export type Started = Pick<Gateway, 'url' | 'pipeline' | 'ready' | 'hasDashboard' | 'unknownVariables'>;
