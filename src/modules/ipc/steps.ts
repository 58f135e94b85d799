import type { Exchange, Expected, Kit, RateCard } from '../../module-api.ts';
import {
  breakShare,
  charsPerToken,
  firstShare,
  furtherCallsShare,
  lookAgainFactor,
  savesTimes,
  stepShare,
} from './limits.ts';
import type { IpcOptions } from './options.ts';
import { planned, type Room } from './plan.ts';
import type { Showing, Shown } from './showing.ts';
import type { Piece, View } from './view.ts';
import { allowance, type Worth } from './worth.ts';

/** A way to make a conversation smaller, with what it is expected to cost and to save. */
export interface Candidate {
  readonly view: View;
  readonly sent: Shown;
  readonly expected: Foreseen;
  readonly costs: number;
  readonly saves: number;
}

/** In tokens as the provider counts them. */
type Foreseen = Required<Expected>;

interface StepsParts {
  readonly exchange: Exchange;
  readonly kit: Kit<IpcOptions>;
  readonly showing: Showing;
  readonly worth: Worth;
  /** Whether the provider has said that it is too long. */
  readonly isRefused: boolean;
}

/** Steps that a conversation can take now. */
export class Steps {
  readonly #parts: StepsParts;
  readonly #card: RateCard | undefined;

  constructor(parts: StepsParts) {
    this.#parts = parts;
    this.#card = parts.kit.catalog.priced(parts.exchange.target)?.card;
  }

  /** Where it costs nothing, or nobody is asked what it costs. */
  free(current: Shown, room: Room, goal: number): Candidate | undefined {
    const { worth, isRefused } = this.#parts;
    const isFirst = worth.calls === 0 && (current.view?.pieces.length ?? 0) === 0 && !isRefused;
    const size = isRefused ? Math.min(goal, current.chars) : goal;
    const pieces = planned(room, size * (isFirst ? firstShare : breakShare));
    return this.#candidate(pieces, current, true);
  }

  /** Of those that can be paid for, the one that is worth most; where there is none, the size at which to look again. */
  best(
    current: Shown,
    room: Room,
    goal: number,
  ): { readonly step?: Candidate | undefined; readonly lookChars: number } {
    const pieces = current.view?.pieces ?? [];
    const records = pieces.filter(({ kind }) => kind === 'record');
    const hasRecall = current.view?.hasRecall === true;
    const size = goal * stepShare;
    const ways = [
      ...this.#bounds(current).map((bounds) => planned(room, size, { base: pieces, ...bounds })),
      ...(records.length > 0 ? [planned(room, size, { base: records })] : []),
    ].flatMap((way) => this.#candidate(way, current, hasRecall) ?? []);
    // A tool more changes everything that a provider keeps, as does a beginning that is written anew.
    const anew = this.#candidate(planned(room, size), current, true);
    const budget = allowance(this.#parts.worth);
    const [step] = [...ways, ...(anew === undefined ? [] : [anew])]
      .filter(({ costs, saves }) => costs <= budget && saves >= costs * savesTimes)
      .sort((one, other) => other.saves - other.costs - (one.saves - one.costs));
    return { step, lookChars: step === undefined ? current.chars * lookAgainFactor : 0 };
  }

  /** How far back a step may reach: to where something is kept, or as far as can be paid for. */
  #bounds(current: Shown): readonly { readonly since?: number; readonly writesChars?: number }[] {
    const { showing } = this.#parts;
    if (!showing.isMarked) return [{ writesChars: this.#writesChars() }];
    return showing.keptPlaces(current).map((since) => ({ since }));
  }

  /** What may be sent anew for what a step may cost. */
  #writesChars(): number {
    const { worth } = this.#parts;
    const card = this.#card;
    const perToken = card === undefined || !worth.isCached ? 0 : (card.cacheWrite - card.cacheRead) / 1000;
    if (perToken <= 0) return Number.POSITIVE_INFINITY;
    return (allowance(worth) / perToken / worth.ratio) * charsPerToken;
  }

  #candidate(
    pieces: readonly Piece[] | undefined,
    current: Shown,
    hasRecall: boolean,
  ): Candidate | undefined {
    if (pieces === undefined) return undefined;
    const { showing } = this.#parts;
    const view: View = { pieces, hasRecall, since: showing.count };
    const sent = showing.as(view);
    if (sent.chars >= current.chars) return undefined;
    const expected = this.expected(sent, current);
    const { input = 0, cacheRead = 0, cacheWrite = 0 } = this.#card ?? {};
    const { isUncached, writesTokens, savesTokens, calls } = expected;
    const costs = isUncached ? 0 : (writesTokens * (cacheWrite - cacheRead)) / 1000;
    const saves = (savesTokens * (isUncached ? input : cacheRead) * calls) / 1000;
    return { view, sent, expected, costs, saves };
  }

  /** What a step is expected to save and to cost. */
  expected(sent: Shown, before: Shown): Foreseen {
    const { exchange, showing, worth, isRefused } = this.#parts;
    const { ratio, isCached } = worth;
    const tokens = (chars: number) => Math.max(0, Math.round((chars / charsPerToken) * ratio));
    const answers = exchange.request.messages.filter(({ role }) => role === 'assistant').length;
    const isSameHead = (sent.view?.hasRecall ?? false) === (before.view?.hasRecall ?? false);
    const keptChars = isSameHead ? showing.keptChars(sent, before) : 0;
    return {
      calls: Math.max(2, Math.round(answers * furtherCallsShare)),
      savesTokens: tokens(before.chars - sent.chars),
      writesTokens: tokens(sent.chars - keptChars),
      isUncached: !isCached,
      isTooLong: isRefused,
    };
  }
}
