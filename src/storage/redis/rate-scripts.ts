import { minuteSeconds } from '../call-rate.ts';
import { createScript } from './scripts.ts';

/**
 * Every script has three keys: the requests and the tokens of a caller are hashes with an amount for each second of the
 * clock, the calls in flight are a sorted set by expiry. The rules are those of `call-rate.ts`.
 */
const rateFunctions = `
local time = redis.call('TIME')
local second = tonumber(time[1])
local now = second * 1000 + math.floor(time[2] / 1000)
local function add(key, at, amount)
  if redis.call('HINCRBY', key, at, amount) <= 0 then redis.call('HDEL', key, at) end
  redis.call('PEXPIRE', key, ${minuteSeconds} * 1000)
end
local function endOf(at) return (at + ${minuteSeconds}) * 1000 end
-- The count, how long until the amount fits, and how long until the count is 0.
local function look(key, limit, amount)
  local count, seconds, amounts, stored = 0, {}, {}, redis.call('HGETALL', key)
  for field = 1, #stored, 2 do
    local at, used = tonumber(stored[field]), tonumber(stored[field + 1])
    if endOf(at) > now then
      count = count + used
      seconds[#seconds + 1] = at
      amounts[at] = used
    else
      redis.call('HDEL', key, stored[field])
    end
  end
  table.sort(seconds)
  local left, wait, reset = count, 0, 0
  if #seconds > 0 then reset = endOf(seconds[#seconds]) - now end
  for _, at in ipairs(seconds) do
    if left + amount <= limit then break end
    left = left - amounts[at]
    wait = endOf(at) - now
  end
  if left + amount > limit then wait = math.max(wait, ${minuteSeconds} * 1000) end
  return count, wait, reset
end
`;

/**
 * Values: the limits of requests, tokens and calls in flight (empty for none), the expected tokens, the call, the lifetime
 * of its slot in ms. Returns whether the call is allowed, the second, count, wait and reset of requests and of tokens, and
 * the calls in flight.
 */
export const takeCallScript = createScript(`${rateFunctions}
local limits = {tonumber(ARGV[1]), tonumber(ARGV[2])}
local amounts = {1, tonumber(ARGV[4])}
local allowed, counts, calls = true, {}, 0
for kind = 1, 2 do
  counts[kind] = {0, 0, 0}
  if limits[kind] then
    counts[kind] = {look(KEYS[kind], limits[kind], amounts[kind])}
    allowed = allowed and counts[kind][2] == 0
  end
end
if ARGV[3] ~= '' then
  redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
  calls = redis.call('ZCARD', KEYS[3])
  allowed = allowed and calls < tonumber(ARGV[3])
end
if allowed then
  for kind = 1, 2 do
    if limits[kind] then
      if amounts[kind] > 0 then
        add(KEYS[kind], second, amounts[kind])
        counts[kind][3] = math.max(counts[kind][3], endOf(second) - now)
      end
      counts[kind][1] = counts[kind][1] + amounts[kind]
    end
  end
  if ARGV[3] ~= '' then
    redis.call('ZADD', KEYS[3], now + ARGV[6], ARGV[5])
    redis.call('PEXPIRE', KEYS[3], ARGV[6])
    calls = calls + 1
  end
end
local requests, tokens = counts[1], counts[2]
return {allowed and 1 or 0, second, requests[1], requests[2], requests[3], tokens[1], tokens[2], tokens[3], calls}
`);

/** Values: the call, the lifetime of its slot in ms. */
export const renewCallScript = createScript(`${rateFunctions}
redis.call('ZADD', KEYS[3], now + ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[3], ARGV[2])
return 0
`);

/** Values: the call, the second that it was counted in, the change of its tokens. */
export const settleCallScript = createScript(`${rateFunctions}
redis.call('ZREM', KEYS[3], ARGV[1])
local change = tonumber(ARGV[3])
if change > 0 then add(KEYS[2], second, change)
elseif change < 0 and endOf(tonumber(ARGV[2])) > now and redis.call('HEXISTS', KEYS[2], ARGV[2]) == 1 then
  if redis.call('HINCRBY', KEYS[2], ARGV[2], ARGV[3]) <= 0 then redis.call('HDEL', KEYS[2], ARGV[2]) end
end
return 0
`);

/** Loaded with each connection. */
export const rateScripts = [takeCallScript, renewCallScript, settleCallScript] as const;
