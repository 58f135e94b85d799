import { createHash } from 'node:crypto';

export interface Script {
  readonly text: string;
  readonly sha1: string;
}

/** What processes have under way is a hash: for each its calls, and until when that is believed. */
const inFlightFunctions = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function tell(key, process, calls, life)
  redis.call('HSET', key, process, calls .. ' ' .. string.format('%.0f', now + life))
  redis.call('PEXPIRE', key, life)
end
local function told(key)
  local held, all = 0, redis.call('HGETALL', key)
  for at = 1, #all, 2 do
    local calls, untilMs = string.match(all[at + 1], '^(%d+) (%d+)$')
    if tonumber(untilMs) > now then held = held + calls else redis.call('HDEL', key, all[at]) end
  end
  return held
end
`;

/**
 * Keys: version, count, given back, under way. Values: deadline, a new version, how long it lives, the limit, the most
 * that may be given back, the process or nothing, what it has under way with this call, how long that is believed. A call
 * that nobody waits for any more takes nothing, or a moment of silence would eat up a quota.
 */
export const takeScript = createScript(`${inFlightFunctions}
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
if tonumber(used) >= tonumber(ARGV[4]) then
  if ARGV[6] ~= '' then tell(KEYS[4], ARGV[6], ARGV[7] - 1, ARGV[8]) end
  return {'full', version, tonumber(used), math.min(told(KEYS[4]), tonumber(used))}
end
if ARGV[6] ~= '' then tell(KEYS[4], ARGV[6], ARGV[7], ARGV[8]) end
return {'granted', version, redis.call('INCR', KEYS[2])}
`);

/** Key: under way. Values: the process, what it has under way, how long that is believed. */
export const reportInFlightScript = createScript(`${inFlightFunctions}
tell(KEYS[1], ARGV[1], ARGV[2], ARGV[3])
return 0
`);

/** Keys: count, given back. Value: how long it is remembered that something was given back, 0 for not at all. */
export const giveBackScript = createScript(`
local used = redis.call('GET', KEYS[1])
if used and tonumber(used) > 0 then redis.call('DECR', KEYS[1]) end
if ARGV[1] ~= '0' and redis.call('INCR', KEYS[2]) == 1 then redis.call('PEXPIRE', KEYS[2], ARGV[1]) end
return 0
`);

/** Key: the window. Values: the most tries, its milliseconds. Answers with the milliseconds to wait. */
export const rateLimitScript = createScript(`
local tries = redis.call('INCR', KEYS[1])
if tries == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
if tries <= tonumber(ARGV[1]) then return 0 end
return math.max(redis.call('PTTL', KEYS[1]), 1)
`);

/** All of them, to be loaded with each connection. */
export const sharedStateScripts: readonly Script[] = [
  takeScript,
  reportInFlightScript,
  giveBackScript,
  rateLimitScript,
];

export function createScript(text: string): Script {
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}
