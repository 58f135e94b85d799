import { z } from 'zod';
import { defineModule } from '../../src/kernel/module.ts';

/** The smallest module that changes a request; loaded by a gateway through WEIR_MODULES. */
export default defineModule({
  api: 1,
  name: 'cool-head',
  summary: 'Takes the temperature out of every call.',
  status: 'preview',
  protective: false,
  ifBroken: 'reject',
  touches: ['settings'],
  options: z.strictObject({}),
  handle: (exchange, next) => next(exchange.with({ request: { ...exchange.request, temperature: 0 } })),
});
