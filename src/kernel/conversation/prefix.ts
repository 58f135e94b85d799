import type { Exchange } from '../exchange.ts';
import type { ChatRequest } from '../message.ts';
import { formatUsd } from '../money.ts';
import type { Prices } from '../ports/prices.ts';
import type { Target } from '../provider.ts';
import type { Step } from '../trace.ts';
import { beginsWith, isEdited, type Sent, sentIn } from './sent.ts';
import { type Expected, free, judged, type StepDecision } from './step.ts';
import { isInThinkingLoop } from './thinking-loop.ts';

/** What a provider was sent last in a conversation, by earlier calls or by this one. */
export interface Watch {
  /** What it keeps of what the client said; undefined at a break. */
  readonly kept: Sent | undefined;
  /** What left each module that edited that. */
  readonly stages: Readonly<Record<string, Sent>>;
  /** Steps that were taken in the conversation. */
  readonly steps: number;
  /** Where the last call was sent, which needn't be where the client sent it. */
  readonly sentTo: string;
  readonly prices: Pick<Prices, 'priced'>;
  /** Whether this call has asked its provider before. */
  readonly isFurther: boolean;
  /** The provider has begun to answer this. */
  begun(exchange: Exchange, prefix: Prefix): Promise<void>;
}

/** How it is behind a module. */
interface Behind {
  readonly kept: Sent | undefined;
  /** The last module that edited the request on this way. */
  readonly editor: string | undefined;
  /** As it was then of the call. */
  readonly isFurther: boolean;
  /** What left each module that edited the request. */
  readonly stages: Readonly<Record<string, Sent>>;
  readonly steps: number;
  /** The first module that took a step on this way. */
  readonly stepper: string | undefined;
}

interface Passed {
  readonly module: string;
  readonly came: Exchange;
  readonly passed: Exchange;
  readonly step: Step;
  /** What the module was allowed to make of the request. */
  readonly allowed: ChatRequest | undefined;
}

/** The part of a conversation that its provider keeps, on its way through the modules, which may not change it. */
export class Prefix {
  readonly #watch: Watch;
  readonly #behind: Behind | undefined;

  /** Before the first module where nothing else is said. */
  constructor(watch: Watch, behind?: Behind) {
    this.#watch = watch;
    this.#behind = behind;
  }

  get stages(): Readonly<Record<string, Sent>> {
    return this.#behind?.stages ?? {};
  }

  /** Steps that were taken in this conversation. */
  get steps(): number {
    return this.#behind?.steps ?? this.#watch.steps;
  }

  /** The first module that took a step in this call, from which on everything is new. */
  get stepper(): string | undefined {
    return this.#behind?.stepper;
  }

  /** Whether nothing is lost by a change: there was no call before, it is long ago, or the client has changed it all. */
  get isBreak(): boolean {
    return this.#kept === undefined;
  }

  get #kept(): Sent | undefined {
    const { kept, stages, isFurther } = this.#watch;
    const behind = this.#behind;
    if (behind === undefined) return kept;
    if (behind.isFurther === isFurther) return behind.kept;
    // The provider has begun to answer since the request came this way, and keeps what was sent then.
    return behind.editor === undefined ? kept : stages[behind.editor];
  }

  /** What goes on from a module: its edit, or the request as it came where that would change what the provider keeps. */
  through({ module, came, passed, step, allowed }: Passed): { goesOn: Exchange; prefix: Prefix } {
    const edited = passed !== came && isEdited(came.request, passed.request);
    const before = this.#watch.stages[module];
    // Who sends a call elsewhere than the last one leaves behind what was kept there.
    if (passed.target !== came.target && nameOfTarget(passed.target) !== this.#watch.sentTo)
      return { goesOn: passed, prefix: this.#with(undefined, edited ? [module, sentIn(passed)] : undefined) };
    if (!edited && before === undefined) return { goesOn: passed, prefix: this };
    const kept = this.#kept === undefined ? undefined : (before ?? this.#kept);
    const stays = kept === undefined || beginsWith(passed, kept);
    if (stays)
      return { goesOn: passed, prefix: this.#with(kept, edited ? [module, sentIn(passed)] : undefined) };
    if (allowed !== undefined && !isEdited(allowed, passed.request))
      return { goesOn: passed, prefix: this.#with(undefined, [module, sentIn(passed)], module) };
    if (!edited) {
      step.note({ prefix: 'not-repeated' });
      return { goesOn: passed, prefix: this.#with(undefined, undefined) };
    }
    step.note({ prefix: 'edit-left-out' });
    const goesOn = passed.target === came.target ? came : came.with({ target: passed.target });
    // One that did something else before has broken what the provider keeps in any case.
    return { goesOn, prefix: before === undefined ? this : this.#with(undefined, undefined) };
  }

  /** Whether a provider would find all that it keeps in what a module makes of a request. */
  keeps(came: Exchange, edited: ChatRequest, module: string): boolean {
    const kept = this.#kept;
    if (kept === undefined) return true;
    return beginsWith(came.with({ request: edited }), this.#watch.stages[module] ?? kept);
  }

  /** Whether a module may change what the provider keeps, by turning what came to it into `edited`. */
  judge(came: Exchange, edited: ChatRequest, expected: Expected & { readonly module: string }): StepDecision {
    if (this.isBreak) return { isAllowed: true, why: 'break', ...free };
    if (this.keeps(came, edited, expected.module)) return { isAllowed: true, why: 'unchanged', ...free };
    const { prices, isFurther } = this.#watch;
    return judged({ came, edited, expected, taken: this.steps, isFurther, prices });
  }

  begun(exchange: Exchange): Promise<void> {
    return this.#watch.begun(exchange, this);
  }

  #with(kept: Sent | undefined, stage: readonly [string, Sent] | undefined, stepper?: string): Prefix {
    return new Prefix(this.#watch, {
      kept,
      editor: stage?.[0] ?? this.#behind?.editor,
      isFurther: this.#watch.isFurther,
      stages: stage === undefined ? this.stages : { ...this.stages, [stage[0]]: stage[1] },
      steps: this.steps + (stepper === undefined ? 0 : 1),
      stepper: this.stepper ?? stepper,
    });
  }
}

export function nameOfTarget({ provider, model }: Target): string {
  return `${provider.name}/${model}`;
}

/** What modules see of it. */
export interface PrefixKit {
  /** Whether nothing that a provider keeps would be lost by a change now. */
  readonly isBreak: boolean;
  /** Whether the model is at work with tools and thinks meanwhile: nothing before that may be changed. */
  readonly isThinking: boolean;
  /** Whether a provider would find all that it keeps in this: of several things that were decided, what this branch did. */
  keeps(edited: ChatRequest): boolean;
  /** Asks for a change that a provider's cache doesn't survive; where it is allowed, that very request may be passed on. */
  mayStep(edited: ChatRequest, expected: Expected): StepDecision;
}

/** For modules that touch nothing that is kept, everything is a break. */
export function prefixKit(
  watched: { readonly exchange: Exchange; readonly module: string; readonly step: Step },
  prefix: Prefix | undefined,
  allow: (edited: ChatRequest) => void,
): PrefixKit {
  const { exchange, module, step } = watched;
  return {
    isBreak: prefix?.isBreak ?? true,
    get isThinking() {
      return isInThinkingLoop(exchange.request);
    },
    keeps: (edited) => prefix?.keeps(exchange, edited, module) ?? true,
    mayStep(edited, expected) {
      const decision = prefix?.judge(exchange, edited, { ...expected, module }) ?? {
        isAllowed: true,
        why: 'break' as const,
        ...free,
      };
      const { isAllowed, why, costs, saves } = decision;
      const isStep = why !== 'break' && why !== 'unchanged';
      // What was allowed is what is told, also where more was asked for and refused.
      const isTold = step.facts.step !== undefined && !String(step.facts.step).startsWith('no-');
      if (isStep && (isAllowed || !isTold))
        step.note({ step: isAllowed ? why : `no-${why}`, costs: formatUsd(costs), saves: formatUsd(saves) });
      if (isAllowed) allow(edited);
      return decision;
    },
  };
}
