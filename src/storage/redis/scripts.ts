import { createHash } from 'node:crypto';

export interface Script {
  readonly text: string;
  readonly sha1: string;
}

/** In-flight calls are a hash: per process, its number of calls and when that number expires. */
const inFlightFunctions = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function report(key, process, calls, life)
  redis.call('HSET', key, process, calls .. ' ' .. string.format('%.0f', now + life))
  redis.call('PEXPIRE', key, life)
end
local function countInFlight(key)
  local held, all = 0, redis.call('HGETALL', key)
  for at = 1, #all, 2 do
    local calls, untilMs = string.match(all[at + 1], '^(%d+) (%d+)$')
    if tonumber(untilMs) > now then held = held + calls else redis.call('HDEL', key, all[at]) end
  end
  return held
end
`;

/**
 * Keys: version, count, given back, in flight, server. Values: deadline, a new version, its lifetime, the limit, the
 * maximum given back, the process or nothing, its in-flight calls including this one, the lifetime of that number, the
 * server. After the deadline nothing is taken: otherwise calls that timed out while Redis was slow would use up the
 * quota. A count of another server may lack its last calls: a replica that became the master did not get them, or a
 * restarted server had not saved them. So the count and the version are lost then.
 */
export const takeScript = createScript(`${inFlightFunctions}
if now > tonumber(ARGV[1]) then return {'late', '', now} end
local stored = redis.call('MGET', KEYS[1], KEYS[2], KEYS[3], KEYS[5])
local version, used, back, server = stored[1], stored[2], stored[3], stored[4]
if ARGV[9] ~= '' and server ~= ARGV[9] then
  redis.call('SET', KEYS[5], ARGV[9], 'PX', ARGV[3])
  if server then
    redis.call('DEL', KEYS[2])
    version, used = false, false
  end
end
if not version then
  version = ARGV[2]
  redis.call('SET', KEYS[1], version, 'PX', ARGV[3])
end
if back and tonumber(back) >= tonumber(ARGV[5]) then
  return {'failing', version, redis.call('PTTL', KEYS[3])}
end
if not used then return {'uncounted', version, 0} end
if tonumber(used) >= tonumber(ARGV[4]) then
  if ARGV[6] ~= '' then report(KEYS[4], ARGV[6], ARGV[7] - 1, ARGV[8]) end
  return {'full', version, tonumber(used), math.min(countInFlight(KEYS[4]), tonumber(used))}
end
if ARGV[6] ~= '' then report(KEYS[4], ARGV[6], ARGV[7], ARGV[8]) end
return {'granted', version, redis.call('INCR', KEYS[2])}
`);

/** Key: in flight. Values: the process, its in-flight calls, the lifetime of that number. */
export const reportInFlightScript = createScript(`${inFlightFunctions}
report(KEYS[1], ARGV[1], ARGV[2], ARGV[3])
return 0
`);

/** Keys: count, given back. Value: how long to count it as given back in ms, 0 for not at all. */
export const giveBackScript = createScript(`
local used = redis.call('GET', KEYS[1])
if used and tonumber(used) > 0 then redis.call('DECR', KEYS[1]) end
if ARGV[1] ~= '0' and redis.call('INCR', KEYS[2]) == 1 then redis.call('PEXPIRE', KEYS[2], ARGV[1]) end
return 0
`);

/** Key: the window. Values: maximum attempts, length of the window in ms. Returns the milliseconds to wait. */
export const rateLimitScript = createScript(`
local tries = redis.call('INCR', KEYS[1])
if tries == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
if tries <= tonumber(ARGV[1]) then return 0 end
return math.max(redis.call('PTTL', KEYS[1]), 1)
`);

/** Health reports are a hash: per process, when its report expires and the report. */
const currentReports = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function current(key)
  local reports, all = {}, redis.call('HGETALL', key)
  for at = 1, #all, 2 do
    local untilMs, report = string.match(all[at + 1], '^(%d+) (.*)$')
    if tonumber(untilMs) > now then
      reports[#reports + 1] = all[at]
      reports[#reports + 1] = report
    else
      redis.call('HDEL', key, all[at])
    end
  end
  return reports
end
`;

/** Key: the reports on a target. Values: the process, its report, the lifetime of the report in ms. */
export const publishHealthScript = createScript(`${currentReports}
current(KEYS[1])
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', now + ARGV[3]) .. ' ' .. ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 0
`);

/** Key: the reports on a target. Returns processes and reports in turn. */
export const readHealthScript = createScript(`${currentReports}
return current(KEYS[1])
`);

/**
 * Key: the count. Values: an amount, the limit, length of the window in ms. Returns whether the amount fits, the count,
 * the window and the rest of it in ms. The amount is added only if it fits.
 */
export const addCountScript = createScript(`
local stored = redis.call('HMGET', KEYS[1], 'count', 'window')
local count, window = tonumber(stored[1] or '0'), stored[2]
local amount, limit = tonumber(ARGV[1]), tonumber(ARGV[2])
local fits = count + amount <= limit
if amount == 0 then fits = count < limit end
if fits and amount > 0 then
  count = redis.call('HINCRBY', KEYS[1], 'count', ARGV[1])
  if not window then
    local time = redis.call('TIME')
    window = time[1] .. '.' .. time[2]
    redis.call('HSET', KEYS[1], 'window', window)
    redis.call('PEXPIRE', KEYS[1], ARGV[3])
  end
end
return {fits and 1 or 0, count, window or '', math.max(redis.call('PTTL', KEYS[1]), 0)}
`);

/** Key: the count. Values: the window, a change. */
export const correctCountScript = createScript(`
if redis.call('HGET', KEYS[1], 'window') ~= ARGV[1] then return 0 end
if redis.call('HINCRBY', KEYS[1], 'count', ARGV[2]) < 0 then redis.call('HSET', KEYS[1], 'count', 0) end
return 0
`);

/** Key: the slots, by holder. Values: the holder, the limit, the lifetime in ms. Returns whether it has a slot, and how many are in use. */
export const takeModuleSlotScript = createScript(`${inFlightFunctions}
local others = countInFlight(KEYS[1])
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then others = others - 1
elseif others >= tonumber(ARGV[2]) then return {0, others} end
report(KEYS[1], ARGV[1], 1, ARGV[3])
return {1, others + 1}
`);

/** Loaded with each connection. */
export const sharedStateScripts: readonly Script[] = [
  takeScript,
  reportInFlightScript,
  giveBackScript,
  rateLimitScript,
  publishHealthScript,
  readHealthScript,
  addCountScript,
  correctCountScript,
  takeModuleSlotScript,
];

export function createScript(text: string): Script {
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}
