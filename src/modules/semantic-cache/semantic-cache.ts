import {
  type Exchange,
  formatUsd,
  type KeptAnswer,
  KeptAnswers,
  type Kit,
  type ModuleMaker,
  refusesCaches,
} from '../../module-api.ts';
import { askedIn } from './asked.ts';
import { compareLater } from './comparing.ts';
import { keep } from './keeping.ts';
import { Ledger } from './ledger.ts';
import { lookUp } from './look-up.ts';
import { type Options, options } from './options.ts';

/** Answers prompts that mean the same from memory. `random` decides which of these answers are asked for all the same. */
export function semanticCacheWith(random: () => number): ModuleMaker<Options> {
  return ({ clock }) => {
    const answers = new KeptAnswers();
    const ledger = new Ledger(clock);
    return {
      name: 'semantic-cache',
      summary: 'Answers prompts that mean the same from memory, with a bound on the share that is wrong.',
      status: 'production',
      protective: false,
      cache: true,
      ifBroken: 'skip',
      touches: ['reply'],
      options,

      async handle(exchange, next, kit) {
        if (refusesCaches(exchange.received)) {
          kit.note({ bypass: true });
          return next(exchange);
        }
        const asked = await askedIn(exchange, kit);
        const same = await answers.find(kit.cache, asked.key, exchange.received);
        if (same !== undefined) return served(same, 1, exchange, kit);
        const { found, ...told } = await lookUp(asked, exchange, kit, { answers, ledger });
        if (found?.isServed === true && random() >= kit.options.shadow)
          return served(found.answer, 1 - found.wrong, exchange, kit);
        kit.note({ miss: true, ...told, ...(found?.isServed === true && { shadow: true }) });
        const reply = await next(exchange);
        keep(reply, asked, exchange, { kit, answers, ledger });
        if (found?.isServed === true) compareLater(reply, found, { kit, ledger });
        return reply;
      },
    };
  };
}

export const semanticCache = semanticCacheWith(Math.random);

function served({ recording, facts }: KeptAnswer, p: number, { target }: Exchange, kit: Kit<Options>) {
  const { usage, model, from } = facts;
  const bill = kit.catalog.bill(target, Object(usage), typeof model === 'string' ? model : undefined);
  kit.note({
    hit: true,
    p: p.toFixed(3).replace(/\.?0+$/, ''),
    saved: formatUsd(bill?.nanoUsd ?? 0),
    ...(typeof from === 'string' && { from }),
  });
  return kit.replay(recording);
}
