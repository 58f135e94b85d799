import type { Exchange } from '../exchange.ts';
import type { ChatRequest, Message } from '../message.ts';
import { formatUsd } from '../money.ts';
import type { Prices } from '../ports/prices.ts';
import type { Target } from '../provider.ts';
import type { Step } from '../trace.ts';
import { costOfBreak, judgeStep, type StepDecision, type StepEstimate, zeroCost } from './prefix-step.ts';
import { isEdited, isNewestEdited, type SentPrefix, sentPrefixOf, startsWithPrefix } from './sent-prefix.ts';
import { isInThinkingLoop, lastPromptIndex } from './thinking-loop.ts';
import { withoutThoughts } from './without-thoughts.ts';

/**
 * Why a change loses nothing of a provider's cache:
 * - `first`: no earlier call of this conversation is known.
 * - `model`: the last call went to another target.
 * - `compacted`: the client replaced its history with a shorter one.
 * - `expired`: the provider has forgotten it.
 * - `tools`: the client changed the tools or the instructions.
 * - `edited`: any other change by the client or an outer module.
 */
export type BreakReason = 'first' | 'model' | 'compacted' | 'expired' | 'tools' | 'edited';

/** What a provider was last sent in a conversation, by earlier calls or by this one. */
export interface PrefixState {
  /** The client's prefix that the provider has cached; undefined at a break. */
  readonly cached: SentPrefix | undefined;
  /** Why there is none. */
  readonly breakReason: BreakReason | undefined;
  /** What each editing module passed on. */
  readonly stages: Readonly<Record<string, SentPrefix>>;
  /** Steps taken in the conversation. */
  readonly steps: number;
  /** The target of the last call, which may differ from the client's. */
  readonly sentTo: string;
  readonly prices: Pick<Prices, 'priceOf'>;
  /** The client's messages. */
  readonly messages: readonly Message[];
  /** What the last call sent, even if its provider has forgotten it. */
  readonly lastSent: LastSent;
  /** The client's messages before this index lose their thoughts. */
  readonly thoughtsFrom: number;
  /** Whether this call has made an attempt before. */
  readonly hasEarlierAttempt: boolean;
  /** Called when the provider has started to answer. */
  onReplyStart(exchange: Exchange, prefix: Prefix): Promise<void>;
}

interface LastSent {
  /** Of the client's messages; undefined without an earlier call. */
  readonly client: SentPrefix | undefined;
  readonly stages: Readonly<Record<string, SentPrefix>>;
}

/** The state behind a module. */
interface DownstreamState {
  readonly cached: SentPrefix | undefined;
  readonly breakReason: BreakReason | undefined;
  /** The last module that edited the request. */
  readonly editor: string | undefined;
  /** The value of `hasEarlierAttempt` at that time. */
  readonly hadEarlierAttempt: boolean;
  /** What each editing module passed on. */
  readonly stages: Readonly<Record<string, SentPrefix>>;
  readonly steps: number;
  /** The first module that took a step. */
  readonly stepper: string | undefined;
  readonly thoughtsFrom: number;
}

interface ModuleEdit {
  readonly module: string;
  readonly incoming: Exchange;
  readonly outgoing: Exchange;
  readonly step: Step;
  /** The request that a step allowed. */
  readonly allowed: ChatRequest | undefined;
  /** Whether the edit keeps content from providers: then it is made at any cost. */
  readonly isRedaction: boolean;
}

/** The part of a conversation that its provider has cached, as it passes through modules, which may not change it. */
export class Prefix {
  readonly #state: PrefixState;
  readonly #downstream: DownstreamState | undefined;

  /** Without `downstreamState`, the prefix before the first module. */
  constructor(prefixState: PrefixState, downstreamState?: DownstreamState) {
    this.#state = prefixState;
    this.#downstream = downstreamState;
  }

  get stages(): Readonly<Record<string, SentPrefix>> {
    return this.#downstream?.stages ?? {};
  }

  /** Steps taken in this conversation. */
  get steps(): number {
    return this.#downstream?.steps ?? this.#state.steps;
  }

  /** The client's messages before this index lose their thoughts. */
  get thoughtsFrom(): number {
    return this.#downstream?.thoughtsFrom ?? this.#state.thoughtsFrom;
  }

  /** The first module that took a step in this call; everything after it is new. */
  get stepper(): string | undefined {
    return this.#downstream?.stepper;
  }

  /**
   * Whether a change costs nothing: no earlier call, an expired cache, or a client that has changed the whole prefix.
   */
  get isBreak(): boolean {
    return this.#cached === undefined;
  }

  /** Undefined unless it is a break. */
  get breakReason(): BreakReason | undefined {
    if (!this.isBreak) return undefined;
    return (this.#downstream ?? this.#state).breakReason ?? 'edited';
  }

  get #cached(): SentPrefix | undefined {
    const { cached, stages, hasEarlierAttempt } = this.#state;
    const downstreamState = this.#downstream;
    if (downstreamState === undefined) return cached;
    if (downstreamState.hadEarlierAttempt === hasEarlierAttempt) return downstreamState.cached;
    // The provider has answered since the request passed here, and has cached what was sent then.
    return downstreamState.editor === undefined ? cached : stages[downstreamState.editor];
  }

  /**
   * What a module passes on: its edit, or the incoming request if the edit would change the cached prefix and is no
   * redaction.
   */
  guardEdit(edit: ModuleEdit): { goesOn: Exchange; prefix: Prefix } {
    if (!edit.isRedaction) return this.#guard(edit);
    const thoughtsFrom = this.#findThoughtsFrom(edit);
    const outgoing = withoutThoughts(edit, this.#state.messages.slice(0, thoughtsFrom));
    const prefix =
      thoughtsFrom === this.thoughtsFrom ? this : this.#with(this.#cached, undefined, { thoughtsFrom });
    return prefix.#guard({ ...edit, outgoing });
  }

  /** Some models reject a thought if anything before it differs from what they read when they thought it. */
  #findThoughtsFrom({ module, incoming, outgoing }: ModuleEdit): number {
    if (outgoing === incoming || !isEdited(incoming.request, outgoing.request)) return this.thoughtsFrom;
    const { lastSent, messages } = this.#state;
    const editor = this.#downstream?.editor;
    const outer = editor === undefined ? undefined : lastSent.stages[editor];
    const sent = lastSent.stages[module] ?? outer ?? lastSent.client;
    const kept = withoutThoughts({ incoming, outgoing }, messages.slice(0, this.thoughtsFrom));
    if (
      sent === undefined ? isNewestEdited(incoming.request, outgoing.request) : startsWithPrefix(kept, sent)
    )
      return this.thoughtsFrom;
    return Math.max(this.thoughtsFrom, lastPromptIndex(messages));
  }

  #guard({ module, incoming, outgoing, step, allowed, isRedaction }: ModuleEdit): {
    goesOn: Exchange;
    prefix: Prefix;
  } {
    const edited = outgoing !== incoming && isEdited(incoming.request, outgoing.request);
    const before = this.#state.stages[module];
    // Rerouting the call abandons the cache of the last target.
    if (outgoing.target !== incoming.target && nameOfTarget(outgoing.target) !== this.#state.sentTo)
      return {
        goesOn: outgoing,
        prefix: this.#with(undefined, edited ? [module, sentPrefixOf(outgoing)] : undefined, {
          breakReason: 'model',
        }),
      };
    if (!edited && before === undefined) return { goesOn: outgoing, prefix: this };
    const cached = this.#cached === undefined ? undefined : (before ?? this.#cached);
    const stays = cached === undefined || startsWithPrefix(outgoing, cached);
    if (stays)
      return {
        goesOn: outgoing,
        prefix: this.#with(cached, edited ? [module, sentPrefixOf(outgoing)] : undefined),
      };
    if (allowed !== undefined && !isEdited(allowed, outgoing.request))
      return {
        goesOn: outgoing,
        prefix: this.#with(undefined, [module, sentPrefixOf(outgoing)], { stepper: module }),
      };
    if (edited && isRedaction) {
      const costs = costOfBreak(incoming, outgoing.request, this.#state.prices);
      step.note({ prefix: 'redacted', costs: formatUsd(costs) });
      return {
        goesOn: outgoing,
        prefix: this.#with(undefined, [module, sentPrefixOf(outgoing)], { stepper: module }),
      };
    }
    if (!edited) {
      step.note({ prefix: 'not-repeated' });
      return { goesOn: outgoing, prefix: this.#with(undefined, undefined) };
    }
    step.note({ prefix: 'edit-left-out' });
    const goesOn =
      outgoing.target === incoming.target ? incoming : incoming.with({ target: outgoing.target });
    // A module that edited earlier calls and now doesn't has broken the prefix in any case.
    return { goesOn, prefix: before === undefined ? this : this.#with(undefined, undefined) };
  }

  /** Whether a module's edit preserves the cached prefix. */
  isPreserved(incoming: Exchange, edited: ChatRequest, module: string): boolean {
    const cached = this.#cached;
    if (cached === undefined) return true;
    return startsWithPrefix(incoming.with({ request: edited }), this.#state.stages[module] ?? cached);
  }

  /** Whether a module may change the cached prefix by turning the incoming request into `edited`. */
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
    { stepper, breakReason = 'edited', thoughtsFrom = this.thoughtsFrom }: PrefixChange = {},
  ): Prefix {
    return new Prefix(this.#state, {
      cached,
      breakReason: this.breakReason ?? breakReason,
      editor: stage?.[0] ?? this.#downstream?.editor,
      hadEarlierAttempt: this.#state.hasEarlierAttempt,
      stages: stage === undefined ? this.stages : { ...this.stages, [stage[0]]: stage[1] },
      steps: this.steps + (stepper === undefined ? 0 : 1),
      stepper: this.stepper ?? stepper,
      thoughtsFrom,
    });
  }
}

interface PrefixChange {
  readonly stepper?: string;
  readonly breakReason?: BreakReason;
  readonly thoughtsFrom?: number;
}

export function nameOfTarget({ provider, model }: Target): string {
  return `${provider.name}/${model}`;
}

/** The module's view of the prefix. */
export interface PrefixKit {
  /** Whether a change now would lose nothing of a provider's cache. */
  readonly isBreak: boolean;
  /** Why; undefined unless it is a break. */
  readonly breakReason: BreakReason | undefined;
  /** Whether the model is in a tool loop with thinking: nothing before it may be changed. */
  readonly isThinking: boolean;
  /** Whether this request preserves the cached prefix; tells which of several decisions this branch used. */
  isPreserved(edited: ChatRequest): boolean;
  /** Requests a change that breaks the provider's cache; if allowed, exactly this request may be passed on. */
  proposeStep(edited: ChatRequest, stepEstimate: StepEstimate): StepDecision;
}

/** Modules that don't edit the prefix always see a break. */
export function createPrefixKit(
  watched: { readonly exchange: Exchange; readonly module: string; readonly step: Step },
  prefix: Prefix | undefined,
  allow: (edited: ChatRequest) => void,
): PrefixKit {
  const { exchange, module, step } = watched;
  return {
    isBreak: prefix?.isBreak ?? true,
    breakReason: prefix === undefined ? 'first' : prefix.breakReason,
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
      // Note an allowed step, even if another one was rejected.
      const hasAllowedStep =
        step.attributes.step !== undefined && !String(step.attributes.step).startsWith('no-');
      if (isStep && (isAllowed || !hasAllowedStep))
        step.note({ step: isAllowed ? why : `no-${why}`, costs: formatUsd(costs), saves: formatUsd(saves) });
      if (isAllowed) allow(edited);
      return decision;
    },
  };
}
