import { createHash } from 'node:crypto';

export interface Script {
  readonly text: string;
  readonly sha1: string;
}

/**
 * Keys: version, count, given back. Values: deadline, a new version, how long it lives, the limit, the most that may be
 * given back. A call that nobody waits for any more takes nothing, or a moment of silence would eat up a quota.
 */
export const takeScript = script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now > tonumber(ARGV[1]) then return {'late', '', now} end
local kept = redis.call('MGET', KEYS[1], KEYS[2], KEYS[3])
local version, used, back = kept[1], kept[2], kept[3]
if not version then
  version = ARGV[2]
  redis.call('SET', KEYS[1], version, 'PX', ARGV[3])
end
if back and tonumber(back) >= tonumber(ARGV[5]) then
  return {'failing', version, redis.call('PTTL', KEYS[3])}
end
if not used then return {'uncounted', version, 0} end
if tonumber(used) >= tonumber(ARGV[4]) then return {'full', version, tonumber(used)} end
return {'granted', version, redis.call('INCR', KEYS[2])}
`);

/** Keys: count, given back. Value: how long it is remembered that something was given back, 0 for not at all. */
export const giveBackScript = script(`
local used = redis.call('GET', KEYS[1])
if used and tonumber(used) > 0 then redis.call('DECR', KEYS[1]) end
if ARGV[1] ~= '0' and redis.call('INCR', KEYS[2]) == 1 then redis.call('PEXPIRE', KEYS[2], ARGV[1]) end
return 0
`);

/** Key: the window. Values: the most tries, its milliseconds. Answers with the milliseconds to wait. */
export const attemptScript = script(`
local tries = redis.call('INCR', KEYS[1])
if tries == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
if tries <= tonumber(ARGV[1]) then return 0 end
return math.max(redis.call('PTTL', KEYS[1]), 1)
`);

/** All of them, to be loaded with each connection. */
export const scripts: readonly Script[] = [takeScript, giveBackScript, attemptScript];

export function script(text: string): Script {
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}
