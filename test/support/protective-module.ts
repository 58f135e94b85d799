import { z } from 'zod';
import { defineModule } from '../../src/kernel/module.ts';

/** A module that can't be left out, to be loaded as a package is: it says that it was there. */
export default defineModule({
  api: 1,
  name: 'watchman',
  summary: 'Says that it was there.',
  version: '7.0.0',
  status: 'preview',
  protective: true,
  ifBroken: 'reject',
  touches: [],
  options: z.strictObject({ ceiling: z.coerce.number().default(1) }),
  handle(exchange, next, kit) {
    kit.note({ ceiling: kit.options.ceiling });
    return next(exchange);
  },
});
