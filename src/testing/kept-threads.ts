import type { Worker } from 'node:worker_threads';
import { type SqliteThreads, startSqliteWorker } from '../storage/sql/sqlite-thread.ts';

const idle: Worker[] = [];

/** The gateways of a process use threads in turn: to start one takes 60 ms of CPU time. An idle thread keeps no process alive. */
export const keptThreads: SqliteThreads = {
  take() {
    const worker = idle.pop() ?? startSqliteWorker();
    worker.ref();
    return worker;
  },
  giveBack(worker) {
    worker.unref();
    idle.push(worker);
  },
};
