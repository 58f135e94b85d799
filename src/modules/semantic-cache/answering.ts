import {
  type Clock,
  type Exchange,
  formatUsd,
  type Handler,
  type KeptAnswer,
  KeptAnswers,
  type Kit,
  type Reply,
  savedBy,
} from '../../module-api.ts';
import { askedIn } from './asked.ts';
import { compareLater } from './comparing.ts';
import { keep } from './keeping.ts';
import { Ledger } from './ledger.ts';
import { lookUp } from './look-up.ts';
import type { Options } from './options.ts';
import { ReadPrompts } from './text/read-prompts.ts';

/** Answers from memory, or asks and remembers. */
export class Answering {
  readonly #answers = new KeptAnswers();
  readonly #prompts = new ReadPrompts();
  readonly #ledger: Ledger;
  readonly #random: () => number;

  constructor(clock: Clock, random: () => number) {
    this.#ledger = new Ledger(clock);
    this.#random = random;
  }

  async handle(exchange: Exchange, next: Handler, kit: Kit<Options>): Promise<Reply> {
    const [answers, ledger, prompts] = [this.#answers, this.#ledger, this.#prompts];
    const asked = await askedIn(exchange, kit, prompts);
    const same = await answers.find(kit.cache, asked.key, exchange.received);
    if (same !== undefined) return served(same, 1, exchange, kit);
    const { found, ...told } = await lookUp(asked, exchange, kit, { answers, ledger, prompts });
    if (found?.isServed === true && this.#random() >= kit.options.shadow)
      return served(found.answer, 1 - found.wrong, exchange, kit);
    kit.note({ miss: true, ...told, ...(found?.isServed === true && { shadow: true }) });
    const reply = await next(exchange);
    keep(reply, asked, exchange, { kit, answers, ledger });
    if (found?.isServed === true) compareLater(reply, found, { kit, ledger });
    return reply;
  }
}

function served(kept: KeptAnswer, p: number, { target }: Exchange, kit: Kit<Options>): Reply {
  const { from } = kept.facts;
  const saved = savedBy(kept, target, kit.catalog);
  kit.saved(saved);
  kit.note({
    hit: true,
    p: String(Number(p.toFixed(3))),
    saved: formatUsd(saved),
    ...(typeof from === 'string' && { from }),
  });
  return kit.replay(kept.recording);
}
