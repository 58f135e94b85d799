import { z } from 'zod';
import { type Candidate, GatewayError, type Module } from '../../src/module-api.ts';

/** Modules that choose targets; loaded by a gateway through WEIR_MODULES. */
const common = {
  api: 1,
  summary: 'For tests.',
  status: 'preview',
  protective: false,
  ifBroken: 'reject',
  touches: ['target', 'reply'],
} as const;

/** The candidates that `surveyor` found, call by call. */
export const surveys: (readonly Candidate[])[] = [];

function moveTo(name: string, protective: boolean): Module<{ to: string }> {
  return {
    ...common,
    name,
    protective,
    options: z.strictObject({ to: z.string() }),
    handle(exchange, next, kit) {
      kit.note({ resolved: exchange.isTargetResolved ? 'yes' : 'no' });
      const target = kit.models.target(kit.options.to);
      if (target === undefined) throw new GatewayError('blocked_by_module', 'no such model');
      return next(exchange.with({ target }));
    },
  };
}

export default [
  moveTo('router', false),
  moveTo('strict-router', true),
  {
    ...common,
    name: 'idle-router',
    options: z.strictObject({}),
    handle: (exchange, next) => next(exchange),
  } satisfies Module,
  {
    ...common,
    name: 'surveyor',
    options: z.strictObject({ models: z.string().optional() }),
    async handle(exchange, next, kit) {
      const { models } = z.object({ models: z.string().optional() }).parse(kit.options);
      const list = models === undefined ? {} : { models: models.split('|') };
      const candidates = await kit.models.candidates(exchange, list);
      surveys.push(candidates);
      const first = candidates.find(({ hasCredential }) => hasCredential);
      return next(first === undefined ? exchange : exchange.with({ target: first.target }));
    },
  } satisfies Module,
];
