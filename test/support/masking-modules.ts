import { z } from 'zod';
import { defineModule } from '../../src/module-api.ts';

/** Masks the words of its option in everything that is sent. */
const mask = defineModule({
  api: 1,
  name: 'mask',
  summary: 'Masks words.',
  status: 'preview',
  protective: true,
  ifBroken: 'reject',
  touches: ['redaction'],
  options: z.strictObject({ words: z.string().default('bob') }),
  handle(exchange, next, { options }) {
    const json = JSON.stringify(exchange.request);
    const masked = options.words.split('.').reduce((text, word) => text.replaceAll(word, 'XXX'), json);
    return next(masked === json ? exchange : exchange.with({ request: JSON.parse(masked) }));
  },
});

/** Sends calls to another model. */
const reroute = defineModule({
  api: 1,
  name: 'reroute',
  summary: 'Sends calls to another model.',
  status: 'preview',
  protective: false,
  ifBroken: 'reject',
  touches: ['target'],
  options: z.strictObject({ to: z.string() }),
  handle(exchange, next, kit) {
    const target = kit.models.target(kit.options.to);
    return next(target === undefined ? exchange : exchange.with({ target }));
  },
});

export default [mask, reroute];
