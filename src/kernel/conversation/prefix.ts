import type { Exchange } from '../exchange.ts';
import type { ChatRequest } from '../message.ts';
import { formatUsd } from '../money.ts';
import type { Prices } from '../ports/prices.ts';
import type { Target } from '../provider.ts';
import type { Step } from '../trace.ts';
import { judgeStep, type StepDecision, type StepEstimate, zeroCost } from './prefix-step.ts';
import { isEdited, type SentPrefix, sentPrefixOf, startsWithPrefix } from './sent-prefix.ts';
import { isInThinkingLoop } from './thinking-loop.ts';

/** What a provider was sent last in a conversation, by earlier calls or by this one. */
export interface PrefixState {
  /** What it keeps of what the client said; undefined at a break. */
  readonly cached: SentPrefix | undefined;
  /** What left each module that edited that. */
  readonly stages: Readonly<Record<string, SentPrefix>>;
  /** Steps that were taken in the conversation. */
  readonly steps: number;
  /** Where the last call was sent, which needn't be where the client sent it. */
  readonly sentTo: string;
  readonly prices: Pick<Prices, 'priceOf'>;
  /** Whether this call has asked its provider before. */
  readonly hasEarlierAttempt: boolean;
  /** The provider has begun to answer this. */
  onReplyStart(exchange: Exchange, prefix: Prefix): Promise<void>;
}

/** How it is behind a module. */
interface DownstreamState {
  readonly cached: SentPrefix | undefined;
  /** The last module that edited the request on this way. */
  readonly editor: string | undefined;
  /** As it was then of the call. */
  readonly hadEarlierAttempt: boolean;
  /** What left each module that edited the request. */
  readonly stages: Readonly<Record<string, SentPrefix>>;
  readonly steps: number;
  /** The first module that took a step on this way. */
  readonly stepper: string | undefined;
}

interface ModuleEdit {
  readonly module: string;
  readonly incoming: Exchange;
  readonly outgoing: Exchange;
  readonly step: Step;
  /** What the module was allowed to make of the request. */
  readonly allowed: ChatRequest | undefined;
}

/** The part of a conversation that its provider keeps, on its way through the modules, which may not change it. */
export class Prefix {
  readonly #state: PrefixState;
  readonly #downstream: DownstreamState | undefined;

  /** Before the first module where nothing else is said. */
  constructor(prefixState: PrefixState, downstreamState?: DownstreamState) {
    this.#state = prefixState;
    this.#downstream = downstreamState;
  }

  get stages(): Readonly<Record<string, SentPrefix>> {
    return this.#downstream?.stages ?? {};
  }

  /** Steps that were taken in this conversation. */
  get steps(): number {
    return this.#downstream?.steps ?? this.#state.steps;
  }

  /** The first module that took a step in this call, from which on everything is new. */
  get stepper(): string | undefined {
    return this.#downstream?.stepper;
  }

  /** Whether nothing is lost by a change: there was no call before, it is long ago, or the client has changed it all. */
  get isBreak(): boolean {
    return this.#cached === undefined;
  }

  get #cached(): SentPrefix | undefined {
    const { cached, stages, hasEarlierAttempt } = this.#state;
    const downstreamState = this.#downstream;
    if (downstreamState === undefined) return cached;
    if (downstreamState.hadEarlierAttempt === hasEarlierAttempt) return downstreamState.cached;
    // The provider has begun to answer since the request came this way, and keeps what was sent then.
    return downstreamState.editor === undefined ? cached : stages[downstreamState.editor];
  }

  /** What goes on from a module: its edit, or the request as it came where that would change what the provider keeps. */
  guardEdit({ module, incoming, outgoing, step, allowed }: ModuleEdit): { goesOn: Exchange; prefix: Prefix } {
    const edited = outgoing !== incoming && isEdited(incoming.request, outgoing.request);
    const before = this.#state.stages[module];
    // Who sends a call elsewhere than the last one leaves behind what was kept there.
    if (outgoing.target !== incoming.target && nameOfTarget(outgoing.target) !== this.#state.sentTo)
      return {
        goesOn: outgoing,
        prefix: this.#with(undefined, edited ? [module, sentPrefixOf(outgoing)] : undefined),
      };
    if (!edited && before === undefined) return { goesOn: outgoing, prefix: this };
    const kept = this.#cached === undefined ? undefined : (before ?? this.#cached);
    const stays = kept === undefined || startsWithPrefix(outgoing, kept);
    if (stays)
      return {
        goesOn: outgoing,
        prefix: this.#with(kept, edited ? [module, sentPrefixOf(outgoing)] : undefined),
      };
    if (allowed !== undefined && !isEdited(allowed, outgoing.request))
      return { goesOn: outgoing, prefix: this.#with(undefined, [module, sentPrefixOf(outgoing)], module) };
    if (!edited) {
      step.note({ prefix: 'not-repeated' });
      return { goesOn: outgoing, prefix: this.#with(undefined, undefined) };
    }
    step.note({ prefix: 'edit-left-out' });
    const goesOn =
      outgoing.target === incoming.target ? incoming : incoming.with({ target: outgoing.target });
    // One that did something else before has broken what the provider keeps in any case.
    return { goesOn, prefix: before === undefined ? this : this.#with(undefined, undefined) };
  }

  /** Whether a provider would find all that it keeps in what a module makes of a request. */
  isPreserved(came: Exchange, edited: ChatRequest, module: string): boolean {
    const kept = this.#cached;
    if (kept === undefined) return true;
    return startsWithPrefix(came.with({ request: edited }), this.#state.stages[module] ?? kept);
  }

  /** Whether a module may change what the provider keeps, by turning what came to it into `edited`. */
  judge(
    incoming: Exchange,
    edited: ChatRequest,
    expected: StepEstimate & { readonly module: string },
  ): StepDecision {
    if (this.isBreak) return { isAllowed: true, why: 'break', ...zeroCost };
    if (this.isPreserved(incoming, edited, expected.module))
      return { isAllowed: true, why: 'unchanged', ...zeroCost };
    const { prices, hasEarlierAttempt } = this.#state;
    return judgeStep({ incoming, edited, expected, stepsTaken: this.steps, hasEarlierAttempt, prices });
  }

  recordReplyStart(exchange: Exchange): Promise<void> {
    return this.#state.onReplyStart(exchange, this);
  }

  #with(
    cached: SentPrefix | undefined,
    stage: readonly [string, SentPrefix] | undefined,
    stepper?: string,
  ): Prefix {
    return new Prefix(this.#state, {
      cached,
      editor: stage?.[0] ?? this.#downstream?.editor,
      hadEarlierAttempt: this.#state.hasEarlierAttempt,
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
  isPreserved(edited: ChatRequest): boolean;
  /** Asks for a change that a provider's cache doesn't survive; where it is allowed, that very request may be passed on. */
  proposeStep(edited: ChatRequest, stepEstimate: StepEstimate): StepDecision;
}

/** For modules that touch nothing that is kept, everything is a break. */
export function createPrefixKit(
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
    isPreserved: (edited) => prefix?.isPreserved(exchange, edited, module) ?? true,
    proposeStep(edited, stepEstimate) {
      const decision = prefix?.judge(exchange, edited, { ...stepEstimate, module }) ?? {
        isAllowed: true,
        why: 'break' as const,
        ...zeroCost,
      };
      const { isAllowed, why, costs, saves } = decision;
      const isStep = why !== 'break' && why !== 'unchanged';
      // What was allowed is what is told, also where more was asked for and refused.
      const isTold = step.attributes.step !== undefined && !String(step.attributes.step).startsWith('no-');
      if (isStep && (isAllowed || !isTold))
        step.note({ step: isAllowed ? why : `no-${why}`, costs: formatUsd(costs), saves: formatUsd(saves) });
      if (isAllowed) allow(edited);
      return decision;
    },
  };
}
