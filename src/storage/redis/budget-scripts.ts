import { createScript } from './scripts.ts';

/**
 * Every script has two keys. The budget is a hash: the start of its day and month, the amount spent in each, and the sum
 * of its holds. The holds are a sorted set by expiry; the name of each ends with its amount. Amounts stay below 2^53, so
 * that Lua numbers represent them exactly; as text they are written without an exponent.
 */
const budgetFunctions = `
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function text(number) return string.format('%.0f', number) end
local function amountOf(hold) return tonumber(string.match(hold, '%d+$')) end
-- A new day or month starts at zero; false if there is no budget yet.
local function budgetAt(dayStart, monthStart)
  local stored = redis.call('HMGET', KEYS[1], 'day', 'month', 'daySpent', 'monthSpent', 'held')
  if not stored[1] then return false end
  local budget = {day = tonumber(stored[3]), month = tonumber(stored[4]), held = tonumber(stored[5])}
  if tonumber(dayStart) > tonumber(stored[1]) then
    budget.day = 0
    redis.call('HSET', KEYS[1], 'day', dayStart)
  end
  if tonumber(monthStart) > tonumber(stored[2]) then
    budget.month = 0
    redis.call('HSET', KEYS[1], 'month', monthStart)
  end
  return budget
end
local function save(budget, life)
  redis.call('HSET', KEYS[1], 'daySpent', text(budget.day), 'monthSpent', text(budget.month), 'held', text(budget.held))
  redis.call('PEXPIRE', KEYS[1], life)
end
`;

/**
 * Values: deadline, start of the day, start of the month, ceiling of the day, ceiling of the month (empty for none),
 * amount, least, name, lifetime of the hold in ms, lifetime of the budget in ms, the server. After the deadline nothing
 * is held, because the caller has given up. A budget of another server may lack its last costs, so it is lost. An expired hold counts as spent: its process is gone and may have spent it.
 * If both windows are exhausted, the month is reported.
 */
export const holdScript = createScript(`${budgetFunctions}
local at = now()
if at > tonumber(ARGV[1]) then return {'late', at} end
local server = redis.call('HGET', KEYS[1], 'server')
if server and ARGV[11] ~= '' and server ~= ARGV[11] then redis.call('DEL', KEYS[1]) end
local budget = budgetAt(ARGV[2], ARGV[3])
if not budget then return {'uncounted'} end
local first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
while first[1] and tonumber(first[2]) <= at do
  redis.call('ZREM', KEYS[2], first[1])
  local amount = amountOf(first[1])
  budget.held = budget.held - amount
  budget.day = budget.day + amount
  budget.month = budget.month + amount
  first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
end
if not first[1] then budget.held = 0 end
local granted = tonumber(ARGV[6])
for window, ceiling in ipairs({ARGV[5], ARGV[4]}) do
  local name = window == 1 and 'month' or 'day'
  local left = ceiling == '' and math.huge or tonumber(ceiling) - budget[name] - budget.held
  if left < tonumber(ARGV[7]) then
    save(budget, ARGV[10])
    return {'refused', name, budget[name], budget.held}
  end
  granted = math.min(granted, left)
end
budget.held = budget.held + granted
save(budget, ARGV[10])
redis.call('ZADD', KEYS[2], text(at + ARGV[9]), ARGV[8] .. ' ' .. text(granted))
redis.call('PEXPIRE', KEYS[2], ARGV[10])
return {'granted', granted, budget.day, budget.month}
`);

/** Values: hold, cost, start of the day, start of the month, 'again' for a retry, lifetime of the budget in ms. */
export const settleScript = createScript(`${budgetFunctions}
local found = redis.call('ZREM', KEYS[2], ARGV[1]) == 1
if not found and ARGV[5] == 'again' then return 0 end
local budget = budgetAt(ARGV[3], ARGV[4])
if not budget then return 0 end
if found then budget.held = budget.held - amountOf(ARGV[1]) end
budget.day = budget.day + tonumber(ARGV[2])
budget.month = budget.month + tonumber(ARGV[2])
save(budget, ARGV[6])
return {budget.day, budget.month}
`);

/** Values: hold, lifetime of the hold in ms, lifetime of the budget in ms. Restores a hold that Redis lost. */
export const renewScript = createScript(`${budgetFunctions}
local lost = redis.call('ZADD', KEYS[2], text(now() + ARGV[2]), ARGV[1]) == 1
redis.call('PEXPIRE', KEYS[2], ARGV[3])
local budget = budgetAt('0', '0')
if not budget then return 0 end
if lost then budget.held = budget.held + amountOf(ARGV[1]) end
save(budget, ARGV[3])
return 0
`);

/** Values: start of the day, start of the month, spent in the day, spent in the month, lifetime of the budget in ms, the server. */
export const beginScript = createScript(`${budgetFunctions}
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'day', ARGV[1], 'month', ARGV[2], 'server', ARGV[6])
local budget = {day = tonumber(ARGV[3]), month = tonumber(ARGV[4]), held = 0}
-- The database already counts expired holds as spent, through the reservations of their processes.
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now())
for _, hold in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do budget.held = budget.held + amountOf(hold) end
save(budget, ARGV[5])
return 0
`);

/** Values: start of the day, start of the month, the server. Changes nothing. */
export const readScript = createScript(`
local stored = redis.call('HMGET', KEYS[1], 'day', 'month', 'daySpent', 'monthSpent', 'held', 'server')
if not stored[1] or (ARGV[3] ~= '' and stored[6] ~= ARGV[3]) then return {} end
local day = tonumber(ARGV[1]) > tonumber(stored[1]) and 0 or tonumber(stored[3])
local month = tonumber(ARGV[2]) > tonumber(stored[2]) and 0 or tonumber(stored[4])
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local expired = 0
for _, hold in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now)) do
  expired = expired + tonumber(string.match(hold, '%d+$'))
end
return {day + expired, month + expired, tonumber(stored[5]) - expired}
`);

/** No values. The holds stay. */
export const forgetScript = createScript(`return redis.call('DEL', KEYS[1])`);

export const budgetScripts = [
  holdScript,
  settleScript,
  renewScript,
  beginScript,
  readScript,
  forgetScript,
] as const;
