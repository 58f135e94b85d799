import type { SessionReader } from '../../kernel/session-protocol.ts';
import { limits } from '../limits.ts';
import type { TurnBound, TurnWish } from './session-turn.ts';

export interface TurnWishesParts {
  readonly reader: SessionReader;
  /** The model that the client asked for. */
  readonly model: string;
  /** The most that a model reads and writes, as far as it is known. */
  limitsOf(model: string): Partial<TurnBound>;
}

/** What the next response of a session may be, from the messages so far. */
export class TurnWishes {
  readonly #parts: TurnWishesParts;

  constructor(parts: TurnWishesParts) {
    this.#parts = parts;
  }

  /** With room for the messages that follow. */
  next(): TurnWish {
    const { reader } = this.#parts;
    const model = this.#model();
    return {
      model,
      otherModels: reader.otherModels,
      bound: this.#bound(model, limits.session.aheadTokens),
      estimate: () => reader.estimate(),
    };
  }

  /** Whether a reservation for this wish is large enough for the next response. */
  covers({ model, otherModels, bound }: TurnWish): boolean {
    const needed = this.#bound(model, 0);
    return (
      bound.inputTokens >= needed.inputTokens &&
      bound.outputTokens >= needed.outputTokens &&
      otherModels === this.#parts.reader.otherModels &&
      (this.#parts.reader.model === undefined || model === this.#model())
    );
  }

  #model(): string {
    const { reader, model: asked } = this.#parts;
    return reader.model === undefined ? asked : withPrefixOf(asked, reader.model);
  }

  #bound(model: string, aheadTokens: number): TurnBound {
    const { reader } = this.#parts;
    const { inputTokens = limits.session.contextTokens, outputTokens = limits.session.outputTokens } =
      this.#parts.limitsOf(model);
    return {
      inputTokens: Math.min(inputTokens, Math.ceil(reader.contextTokens) + aheadTokens),
      outputTokens: Math.min(outputTokens, reader.outputTokens ?? outputTokens),
    };
  }
}

/** Another model of the same provider. */
function withPrefixOf(asked: string, model: string): string {
  const slash = asked.indexOf('/');
  return slash < 0 ? model : `${asked.slice(0, slash)}/${model}`;
}
