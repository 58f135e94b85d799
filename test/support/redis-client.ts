import { createClient } from '@redis/client';

/** Far more than anything takes, also on a busy machine. */
const patienceMs = 60_000;

/** All clients are copies of this one: the first makes a class with all commands, which takes 25 ms of CPU time. */
const unconnected = createClient({ commandOptions: { timeout: patienceMs } });

/** A client for the test itself. */
export function connectRedisClient(url: string) {
  return unconnected.duplicate({ url, socket: { connectTimeout: patienceMs } }).connect();
}
