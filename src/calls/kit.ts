import type { UsageRecorder } from '../billing/usage-recorder.ts';
import { type Attempt, billOf } from '../kernel/attempt.ts';
import { scopeOf } from '../kernel/caller.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Ledger } from '../kernel/conversation/ledger.ts';
import type { PrefixKit } from '../kernel/conversation/prefix.ts';
import type { Exchange } from '../kernel/exchange.ts';
import type { Kit, Models, Setting } from '../kernel/module.ts';
import type { NanoUsd } from '../kernel/money.ts';
import type { Observation } from '../kernel/observation.ts';
import type { KitMaker, Workplace } from '../kernel/pipeline.ts';
import type { Archive, Archives } from '../kernel/ports/archive.ts';
import type { Embeddings } from '../kernel/ports/embeddings.ts';
import type { ModuleStore, ModuleStores } from '../kernel/ports/module-store.ts';
import type { PatternBooks, Patterns } from '../kernel/ports/patterns.ts';
import type { Prices } from '../kernel/ports/prices.ts';
import { type Holder, holderOf, type Purse } from '../kernel/ports/purse.ts';
import type { Shelf, Shelves } from '../kernel/ports/shelves.ts';
import type { VectorShelves, Vectors } from '../kernel/ports/vectors.ts';
import { quietly } from '../kernel/quietly.ts';
import type { Received } from '../kernel/received.ts';
import type { Recording } from '../kernel/reply/recording.ts';
import { Reply } from '../kernel/reply/reply.ts';
import type { Facts } from '../kernel/trace.ts';
import type { ProviderFormat } from '../kernel/wire-format.ts';
import type { Afterwork } from './afterwork.ts';
import { type AskingParts, ask } from './asking.ts';
import { shelfName } from './caches.ts';
import { keptPurse } from './kept-purse.ts';
import type { Ledgers } from './ledgers.ts';
import type { Meanings } from './meaning.ts';
import { addToTrial } from './trials.ts';

export interface KitParts {
  readonly shelves: Shelves;
  readonly stores: ModuleStores;
  readonly embeddings: Embeddings;
  readonly vectors: VectorShelves;
  readonly patterns: PatternBooks;
  readonly archives: Archives;
  readonly ledgers: Ledgers;
  readonly clock: Clock;
  readonly catalog: Prices;
  readonly meanings: Meanings;
  readonly afterwork: Afterwork;
  readonly asking: AskingParts;
  readonly usage: Pick<UsageRecorder, 'work'>;
  /** What a key may spend on a call. */
  purse(holder: Holder, call: { readonly isOver: boolean }): Purse;
  wireByName(name: string): ProviderFormat | undefined;
  target: Models['target'];
}

/** What modules work with; the same for those of a gateway and for those under test. */
export function kitMaker(parts: KitParts): KitMaker {
  return (at) => new CallKit(parts, at);
}

/** Made for every module of every call, so that nothing in it is made before somebody asks for it. */
class CallKit implements Kit<unknown> {
  readonly options: unknown;
  readonly #parts: KitParts;
  readonly #at: Workplace;
  #ledger: Ledger | undefined;

  constructor(parts: KitParts, at: Workplace) {
    this.options = at.options;
    this.#parts = parts;
    this.#at = at;
  }

  get #observation(): Observation {
    return this.#at.observation;
  }

  get scope(): string {
    return scopeOf(this.#observation.exchange.caller);
  }

  get cache(): Shelf {
    return this.#parts.shelves.shelf(shelfName(this.#observation.module.name, this.scope));
  }

  get store(): ModuleStore {
    return this.#parts.stores.store(this.#observation.module.name, this.scope);
  }

  get embed(): Embeddings {
    const { embeddings } = this.#parts;
    const { scope } = this;
    return {
      state: () => embeddings.state(),
      one: (text, asking) => embeddings.one(text, { ...asking, scope }),
      many: (texts, asking) => embeddings.many(texts, { ...asking, scope }),
      sameAnswer: (pairs, asking) => embeddings.sameAnswer(pairs, asking),
    };
  }

  get vectors(): Vectors {
    return this.#parts.vectors.vectors(this.#observation.module.name, this.scope);
  }

  get patterns(): Patterns {
    return this.#parts.patterns.of(this.scope);
  }

  get archive(): Archive {
    return this.#parts.archives.of(this.scope);
  }

  get ledger(): Ledger {
    const { module, exchange } = this.#observation;
    this.#ledger ??= this.#parts.ledgers.of({
      module: module.name,
      scope: this.scope,
      root: exchange.conversation.root,
    });
    return this.#ledger;
  }

  get prefix(): PrefixKit {
    return this.#observation.prefix;
  }

  get mayBeEdited(): boolean {
    return this.#at.mayBeEdited();
  }

  get clock(): Clock {
    return this.#parts.clock;
  }

  get catalog(): Prices {
    return this.#parts.catalog;
  }

  get purse(): Purse {
    const { caller, trace } = this.#observation.exchange;
    return keptPurse(this.#parts.purse(holderOf(caller), trace), this.#observation);
  }

  get models(): Models {
    const { asking, target } = this.#parts;
    const { observation, aside } = this.#at;
    return {
      target,
      ask: (question, to) => quietly(ask(asking, { question, target: to, observation, aside })),
    };
  }

  saved(nanoUsd: NanoUsd): void {
    if (!Number.isSafeInteger(nanoUsd))
      throw new Error('what was saved has to be whole billionths of a dollar');
    const { step, module, exchange } = this.#observation;
    step.savedNanoUsd += nanoUsd;
    if (nanoUsd === 0) return;
    const { accountId } = holderOf(exchange.caller);
    const { usage, clock } = this.#parts;
    usage.work({ accountId, module: module.name, savedNanoUsd: nanoUsd }, clock.now());
  }

  trial(isHeldOut: boolean): void {
    const { module, exchange } = this.#observation;
    const { accountId } = holderOf(exchange.caller);
    const { usage, clock } = this.#parts;
    this.whenPaid((attempts) => {
      const costNanoUsd = billOf(attempts)?.nanoUsd;
      if (costNanoUsd === undefined) return;
      this.later(async () => {
        const beforeNanoUsd = await addToTrial(this.cache, exchange.conversation.name, costNanoUsd);
        const trial = { isHeldOut, costNanoUsd, beforeNanoUsd };
        usage.work({ accountId, module: module.name, trial }, clock.now());
      });
    });
  }

  note(facts: Facts): void {
    this.#observation.step.note(facts);
  }

  tell(name: string, value: string): void {
    this.#observation.exchange.trace.tell(name, value);
  }

  meaning(exchange: Exchange): Promise<string> {
    return this.#parts.meanings.of(exchange);
  }

  setting(exchange: Exchange): Promise<Setting | undefined> {
    return this.#parts.meanings.setting(exchange);
  }

  replay(recording: Recording): Reply {
    const { received } = this.#observation.exchange;
    return Reply.replay(framedFor(received, recording), this.#parts.wireByName(recording.wire));
  }

  whenPaid(then: (attempts: readonly Attempt[]) => void): void {
    this.#observation.asked.whenPaid(then);
  }

  later(run: () => Promise<void>): void {
    const { module, exchange } = this.#observation;
    const letGo = exchange.received.keep();
    exchange.trace.afterwards(() => this.#parts.afterwork.add({ module: module.name, run, letGo }));
  }
}

/** In the framing that the client wants, where its format can do that without losing anything. */
function framedFor({ wire, streamed }: Received, recording: Recording): Recording {
  const framing = streamed ? 'sse' : 'json';
  if (recording.wire !== wire.name || recording.framing === framing) return recording;
  const body = wire.reframed?.(recording, framing);
  return body === undefined ? recording : { wire: recording.wire, framing, body };
}
