import { createClient } from '@redis/client';

/** All clients are copies of this one: the first makes a class with all commands, which takes 25 ms of CPU time. */
const unconnected = createClient();

/** A client for the test itself. */
export function connectRedisClient(url: string) {
  return unconnected.duplicate({ url }).connect();
}
