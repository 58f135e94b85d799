import { z } from 'zod';
import { GatewayError } from '../../src/kernel/errors.ts';
import { defineModule } from '../../src/kernel/module.ts';

/** The smallest module that makes a failed call again; loaded by a gateway through WEIR_MODULES. */
export default defineModule({
  api: 1,
  name: 'retry-once',
  summary: 'Makes a call that failed once more.',
  status: 'preview',
  protective: false,
  ifBroken: 'reject',
  touches: [],
  options: z.strictObject({}),
  async handle(exchange, next, kit) {
    try {
      return await next(exchange);
    } catch (failure) {
      if (!GatewayError.is(failure)) throw failure;
      kit.note({ again: true, because: failure.code });
      return next(exchange);
    }
  },
});
