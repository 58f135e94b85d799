import { hash } from 'node:crypto';
import type { CallRates, RateDecision, RatedCall, RateSettlement } from '../../kernel/ports/call-rates.ts';
import type { CounterName } from '../../kernel/ports/counters.ts';
import { keys } from './keys.ts';
import { renewCallScript, settleCallScript, takeCallScript } from './rate-scripts.ts';
import { scopeHash } from './redis-cache-backend.ts';
import type { RedisConnection } from './redis-connection.ts';

/** Rates of calls in Redis, by its clock. */
export class RedisCallRates implements CallRates {
  readonly #connection: RedisConnection;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  async take(caller: CounterName, { id, lifeMs, limits, tokens }: RatedCall): Promise<RateDecision> {
    const { requestsPerMinute, tokensPerMinute, concurrent } = limits;
    const values = [requestsPerMinute ?? '', tokensPerMinute ?? '', concurrent ?? '', tokens, id, lifeMs];
    const reply = await this.#connection.runScript(takeCallScript, rateKeys(caller), () =>
      values.map(String),
    );
    const [isAllowed = 0, second = 0, ...counts] = Array.isArray(reply) ? reply.map(Number) : [];
    const [requests = 0, requestsWait = 0, requestsReset = 0, used = 0, wait = 0, reset = 0, calls] = counts;
    return {
      isAllowed: isAllowed === 1,
      second,
      requests:
        requestsPerMinute === undefined
          ? undefined
          : { count: requests, waitMs: requestsWait, resetMs: requestsReset },
      tokens: tokensPerMinute === undefined ? undefined : { count: used, waitMs: wait, resetMs: reset },
      concurrent: concurrent === undefined ? undefined : calls,
    };
  }

  async renew(caller: CounterName, { id, lifeMs }: Pick<RatedCall, 'id' | 'lifeMs'>): Promise<void> {
    await this.#connection.runScript(renewCallScript, rateKeys(caller), () => [id, String(lifeMs)]);
  }

  async settle(caller: CounterName, { id, second, change }: RateSettlement): Promise<void> {
    const values = [id, String(second), String(change)];
    await this.#connection.runScript(settleCallScript, rateKeys(caller), () => values);
  }
}

function rateKeys({ scope, name }: CounterName): string[] {
  const [scopeName, callerName] = [scopeHash(scope), hash('sha256', name, 'base64url')];
  return [
    keys.rate(scopeName, callerName, 'requests'),
    keys.rate(scopeName, callerName, 'tokens'),
    keys.rate(scopeName, callerName, 'calls'),
  ];
}
