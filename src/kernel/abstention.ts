import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Exchange } from './exchange.ts';
import type { Kit } from './module.ts';

/** The option with which a module that isn't worth its place does nothing for a while. */
export const autoOption = z
  .enum(['on', 'off'], 'must be on or off')
  .describe(
    'With `on`, the module steps aside for 30 days if it loses money for the account, or shows no saving in 2,000 calls',
  )
  .default('off');

/** The option for the share of conversations that a module leaves alone. */
export const holdoutOption = z.coerce
  .number('must be a number')
  .min(0, 'must be 0 to 0.5')
  .max(0.5, 'must be 0 to 0.5')
  .describe('Share of conversations that the module leaves alone, to measure what it saves; `0` for none')
  .default(0.05);

interface AutoOptions {
  readonly auto: z.output<typeof autoOption>;
}

/** Whether the module does nothing in this call, because its option `auto` is on and it isn't worth its place. The trace says so. */
export async function stepsAside(
  kit: Pick<Kit<AutoOptions>, 'options' | 'stepAside' | 'note'>,
): Promise<boolean> {
  if (kit.options.auto === 'off') return false;
  const stepAside = await kit.stepAside();
  if (stepAside === undefined) return false;
  const until = new Date(stepAside.untilMs).toISOString().slice(0, 10);
  kit.note({ aside: 'auto', why: stepAside.reason, until });
  return true;
}

interface TrialOptions extends AutoOptions {
  readonly holdout: number;
}

type TrialKit = Pick<Kit<TrialOptions>, 'options' | 'stepAside' | 'note' | 'decisions' | 'recordTrial'>;

/** The name of the decision about a conversation's side of the comparison. */
const sidePlace = 'trial';

/**
 * Whether the module leaves this conversation alone: it is held out, or the module steps aside. To be called in each call in which
 * the module could act, before it decides anything. A conversation in which it has acted is never left alone, and one that is held out stays so.
 */
export async function abstains(exchange: Exchange, module: string, kit: TrialKit): Promise<boolean> {
  const known = await kit.decisions.get(sidePlace);
  if (known === undefined) {
    if (!(await kit.decisions.isEmpty())) return false;
    if (await stepsAside(kit)) return true;
    if (kit.options.holdout === 0) return false;
  }
  const side = known ?? (await kit.decisions.decideOnce(sidePlace, () => sideOf(exchange, module, kit)));
  const isLeftAlone = side === 'without';
  kit.recordTrial(isLeftAlone);
  if (isLeftAlone) kit.note({ aside: 'holdout' });
  return isLeftAlone;
}

function sideOf({ conversation }: Exchange, module: string, { options }: TrialKit): 'with' | 'without' {
  return isHeldOut(module, conversation.name, options.holdout) ? 'without' : 'with';
}

/** Whether a conversation is in the held-out share: the same for all its branches, and independent of what other modules do with it. */
export function isHeldOut(module: string, conversation: string, holdout: number): boolean {
  const bytes = createHash('sha256').update(`${module}\n${conversation}`).digest();
  return bytes.readUInt32BE() / 2 ** 32 < holdout;
}
