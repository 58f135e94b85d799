import { z } from 'zod';
import { defineModule, GatewayError } from '../../src/module-api.ts';

/** Limits the calls of an account, in a minute and at once. */
export const counting = defineModule({
  api: 1,
  name: 'counting',
  summary: 'For tests.',
  status: 'preview',
  protective: true,
  ifBroken: 'reject',
  touches: [],
  options: z.strictObject({ limit: z.coerce.number().default(1000), slots: z.coerce.number().default(1000) }),
  async handle(exchange, next, kit) {
    const { limit, slots } = kit.options;
    const slot = await kit.takeSlot('calls', { limit: slots });
    if (!slot.isAllowed) throw new GatewayError('blocked_by_module', 'too many calls at once');
    const { isAllowed, remaining, retryAfterSeconds } = await kit.count('calls', { limit, window: 60 });
    if (!isAllowed) throw new GatewayError('blocked_by_module', 'too many calls', { retryAfterSeconds });
    kit.setHeader('remaining', String(remaining));
    return next(exchange);
  },
});

export default counting;
