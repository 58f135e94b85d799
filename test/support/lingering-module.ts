import { z } from 'zod';
import { defineModule, type ModuleFactory } from '../../src/module-api.ts';

/** Never clears its interval. */
export const lingering: ModuleFactory<object> = () => {
  setInterval(() => undefined, 1000);
  return defineModule({
    api: 1,
    name: 'lingering',
    summary: 'For tests.',
    status: 'preview',
    protective: false,
    ifBroken: 'skip',
    touches: [],
    options: z.strictObject({}),
    handle: (exchange, next) => next(exchange),
  });
};

export default lingering;
