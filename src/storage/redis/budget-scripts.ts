import { createScript } from './scripts.ts';

/**
 * Every script has two keys. The purse is a hash: when its day and its month began, what was spent in each, and the sum
 * of all that is held. The holds are a sorted set, by when they are over: the name of each ends with its amount. Amounts
 * stay below 2^53, so that the numbers of Lua hold them exactly; as text they are written without an exponent.
 */
const budgetFunctions = `
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function text(number) return string.format('%.0f', number) end
local function amountOf(hold) return tonumber(string.match(hold, '%d+$')) end
-- A new day or month begins with nothing spent; false where nobody counts.
local function purseAt(dayStart, monthStart)
  local kept = redis.call('HMGET', KEYS[1], 'day', 'month', 'daySpent', 'monthSpent', 'held')
  if not kept[1] then return false end
  local purse = {day = tonumber(kept[3]), month = tonumber(kept[4]), held = tonumber(kept[5])}
  if tonumber(dayStart) > tonumber(kept[1]) then
    purse.day = 0
    redis.call('HSET', KEYS[1], 'day', dayStart)
  end
  if tonumber(monthStart) > tonumber(kept[2]) then
    purse.month = 0
    redis.call('HSET', KEYS[1], 'month', monthStart)
  end
  return purse
end
local function keep(purse, life)
  redis.call('HSET', KEYS[1], 'daySpent', text(purse.day), 'monthSpent', text(purse.month), 'held', text(purse.held))
  redis.call('PEXPIRE', KEYS[1], life)
end
`;

/**
 * Values: deadline, start of the day, start of the month, ceiling of the day, ceiling of the month (empty for none),
 * amount, least, name, milliseconds that it is held, milliseconds that the purse is kept. A call that nobody waits for
 * any more holds nothing. What was held by a process that is gone may have been spent. Where day and month both have no room, the month is told.
 */
export const holdScript = createScript(`${budgetFunctions}
local at = now()
if at > tonumber(ARGV[1]) then return {'late', at} end
local purse = purseAt(ARGV[2], ARGV[3])
if not purse then return {'uncounted'} end
local first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
while first[1] and tonumber(first[2]) <= at do
  redis.call('ZREM', KEYS[2], first[1])
  local amount = amountOf(first[1])
  purse.held = purse.held - amount
  purse.day = purse.day + amount
  purse.month = purse.month + amount
  first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
end
if not first[1] then purse.held = 0 end
local granted = tonumber(ARGV[6])
for window, ceiling in ipairs({ARGV[5], ARGV[4]}) do
  local name = window == 1 and 'month' or 'day'
  local left = ceiling == '' and math.huge or tonumber(ceiling) - purse[name] - purse.held
  if left < tonumber(ARGV[7]) then
    keep(purse, ARGV[10])
    return {'refused', name, purse[name], purse.held}
  end
  granted = math.min(granted, left)
end
purse.held = purse.held + granted
keep(purse, ARGV[10])
redis.call('ZADD', KEYS[2], text(at + ARGV[9]), ARGV[8] .. ' ' .. text(granted))
redis.call('PEXPIRE', KEYS[2], ARGV[10])
return {'granted', granted, purse.day, purse.month}
`);

/** Values: hold, cost, start of the day, start of the month, whether it may be settled already, milliseconds. */
export const settleScript = createScript(`${budgetFunctions}
local found = redis.call('ZREM', KEYS[2], ARGV[1]) == 1
if not found and ARGV[5] == 'again' then return 0 end
local purse = purseAt(ARGV[3], ARGV[4])
if not purse then return 0 end
if found then purse.held = purse.held - amountOf(ARGV[1]) end
purse.day = purse.day + tonumber(ARGV[2])
purse.month = purse.month + tonumber(ARGV[2])
keep(purse, ARGV[6])
return 0
`);

/** Values: hold, milliseconds that it is held, milliseconds that the purse is kept. One that was lost is put back. */
export const renewScript = createScript(`${budgetFunctions}
local lost = redis.call('ZADD', KEYS[2], text(now() + ARGV[2]), ARGV[1]) == 1
redis.call('PEXPIRE', KEYS[2], ARGV[3])
local purse = purseAt('0', '0')
if not purse then return 0 end
if lost then purse.held = purse.held + amountOf(ARGV[1]) end
keep(purse, ARGV[3])
return 0
`);

/** Values: start of the day, start of the month, spent in the day, spent in the month, milliseconds that it is kept. */
export const beginScript = createScript(`${budgetFunctions}
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'day', ARGV[1], 'month', ARGV[2])
local purse = {day = tonumber(ARGV[3]), month = tonumber(ARGV[4]), held = 0}
-- What is over is in the database as what its process had reserved, and so in what was spent.
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now())
for _, hold in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do purse.held = purse.held + amountOf(hold) end
keep(purse, ARGV[5])
return 0
`);

export const budgetScripts = [holdScript, settleScript, renewScript, beginScript] as const;
