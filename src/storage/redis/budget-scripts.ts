import { createScript } from './scripts.ts';

/**
 * Every script has two keys. The budget is a hash: the start of its day and month, the amount spent in each, the sum
 * of its holds, and of a rolling window the amounts spent in each day or hour, as `part:<start>`. The holds are a sorted
 * set by expiry; the name of each ends with its amount. Amounts stay below 2^53, so that Lua numbers represent them
 * exactly; as text they are written without an exponent.
 *
 * The values of every script begin with the windows: the start of the day, the start of the month, and, empty without a
 * rolling window, the start of its oldest and of its current part.
 */
const partFunctions = `
-- The amounts of a rolling window: their sum, the start of the oldest, and the fields that are not in it any more.
local function sumOfParts(from)
  local sum, since, old = 0, false, {}
  local all = redis.call('HGETALL', KEYS[1])
  for at = 1, #all, 2 do
    local start = tonumber(string.match(all[at], '^part:(%d+)$'))
    local amount = tonumber(all[at + 1])
    if start and start < from then
      old[#old + 1] = all[at]
    elseif start and amount > 0 then
      sum = sum + amount
      if not since or start < since then since = start end
    end
  end
  return sum, since, old
end
`;

const budgetFunctions = `${partFunctions}
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function text(number) return string.format('%.0f', number) end
local function amountOf(hold) return tonumber(string.match(hold, '%d+$')) end
-- A new day or month starts at zero; false if there is no budget yet.
local function budgetAt(dayStart, monthStart, rollingStart, partStart)
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
  if rollingStart ~= '' then
    local sum, since, old = sumOfParts(tonumber(rollingStart))
    budget.part, budget.rolling, budget.since = partStart, sum, since
    if #old > 0 then redis.call('HDEL', KEYS[1], unpack(old)) end
  end
  return budget
end
local function spend(budget, amount)
  budget.day = budget.day + amount
  budget.month = budget.month + amount
  if not budget.part or amount == 0 then return end
  budget.rolling = budget.rolling + amount
  if not budget.since or tonumber(budget.part) < budget.since then budget.since = tonumber(budget.part) end
  redis.call('HINCRBY', KEYS[1], 'part:' .. budget.part, text(amount))
end
local function save(budget, life)
  redis.call('HSET', KEYS[1], 'daySpent', text(budget.day), 'monthSpent', text(budget.month), 'held', text(budget.held))
  redis.call('PEXPIRE', KEYS[1], life)
end
-- What was spent, as all scripts answer it: in the day, the month and the rolling window, and the start of its oldest part, or -1.
local function spentIn(budget) return budget.day, budget.month, budget.rolling or 0, budget.since or -1 end
`;

/**
 * Values after the windows: deadline, ceilings of the day, the month and the rolling window (empty for none), amount, least, name, lifetime of the
 * hold in ms, lifetime of the budget in ms, the server. After the deadline nothing
 * is held, because the caller has given up. A budget of another server may lack its last costs, so it is lost. An expired hold counts as spent: its process is gone and may have spent it.
 * If several windows are exhausted, the longest is reported.
 */
export const holdScript = createScript(`${budgetFunctions}
local at = now()
if at > tonumber(ARGV[5]) then return {'late', at} end
local life, server = ARGV[13], redis.call('HGET', KEYS[1], 'server')
if server and ARGV[14] ~= '' and server ~= ARGV[14] then redis.call('DEL', KEYS[1]) end
local budget = budgetAt(ARGV[1], ARGV[2], ARGV[3], ARGV[4])
if not budget then return {'uncounted'} end
local first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
while first[1] and tonumber(first[2]) <= at do
  redis.call('ZREM', KEYS[2], first[1])
  local amount = amountOf(first[1])
  budget.held = budget.held - amount
  spend(budget, amount)
  first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
end
if not first[1] then budget.held = 0 end
local granted = tonumber(ARGV[9])
for _, window in ipairs({{'rolling', ARGV[8]}, {'month', ARGV[7]}, {'day', ARGV[6]}}) do
  local name, ceiling = window[1], window[2]
  local spent = budget[name] or 0
  local left = ceiling == '' and math.huge or tonumber(ceiling) - spent - budget.held
  if left < tonumber(ARGV[10]) then
    save(budget, life)
    return {'refused', name, spent, budget.held, name == 'rolling' and budget.since or -1}
  end
  granted = math.min(granted, left)
end
budget.held = budget.held + granted
save(budget, life)
redis.call('ZADD', KEYS[2], text(at + ARGV[12]), ARGV[11] .. ' ' .. text(granted))
redis.call('PEXPIRE', KEYS[2], life)
return {'granted', granted, spentIn(budget)}
`);

/** Values after the windows: hold, cost, 'again' for a retry, lifetime of the budget in ms. */
export const settleScript = createScript(`${budgetFunctions}
local found = redis.call('ZREM', KEYS[2], ARGV[5]) == 1
if not found and ARGV[7] == 'again' then return 0 end
local budget = budgetAt(ARGV[1], ARGV[2], ARGV[3], ARGV[4])
if not budget then return 0 end
if found then budget.held = budget.held - amountOf(ARGV[5]) end
spend(budget, tonumber(ARGV[6]))
save(budget, ARGV[8])
return {spentIn(budget)}
`);

/** Values: hold, lifetime of the hold in ms, lifetime of the budget in ms. Restores a hold that Redis lost. */
export const renewScript = createScript(`${budgetFunctions}
local lost = redis.call('ZADD', KEYS[2], text(now() + ARGV[2]), ARGV[1]) == 1
redis.call('PEXPIRE', KEYS[2], ARGV[3])
local budget = budgetAt('0', '0', '', '')
if not budget then return 0 end
if lost then budget.held = budget.held + amountOf(ARGV[1]) end
save(budget, ARGV[3])
return 0
`);

/** Values: start of the day, start of the month, spent in the day, spent in the month, lifetime of the budget in ms, the server; then the start of each part of a rolling window and what was spent in it. */
export const beginScript = createScript(`${budgetFunctions}
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'day', ARGV[1], 'month', ARGV[2], 'server', ARGV[6])
for at = 7, #ARGV, 2 do redis.call('HSET', KEYS[1], 'part:' .. ARGV[at], ARGV[at + 1]) end
local budget = {day = tonumber(ARGV[3]), month = tonumber(ARGV[4]), held = 0}
-- The database already counts expired holds as spent, through the reservations of their processes.
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now())
for _, hold in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do budget.held = budget.held + amountOf(hold) end
save(budget, ARGV[5])
return 0
`);

/** Values after the windows: the server. Changes nothing. */
export const readScript = createScript(`${partFunctions}
local stored = redis.call('HMGET', KEYS[1], 'day', 'month', 'daySpent', 'monthSpent', 'held', 'server')
if not stored[1] or (ARGV[5] ~= '' and stored[6] ~= ARGV[5]) then return {} end
local day = tonumber(ARGV[1]) > tonumber(stored[1]) and 0 or tonumber(stored[3])
local month = tonumber(ARGV[2]) > tonumber(stored[2]) and 0 or tonumber(stored[4])
local rolling, since = 0, false
if ARGV[3] ~= '' then rolling, since = sumOfParts(tonumber(ARGV[3])) end
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local expired = 0
for _, hold in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now)) do
  expired = expired + tonumber(string.match(hold, '%d+$'))
end
if expired > 0 and not since then since = tonumber(ARGV[4]) end
return {tonumber(stored[5]) - expired, day + expired, month + expired, rolling + expired, since or -1}
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
