/** What is there already, or a promise of it: every wait costs, so who has a piece gives it at once. `undefined` is the end. */
export type PullResult<Piece> = Piece | undefined | Promise<Piece | undefined>;

/** Something that is read piece by piece and can be given up. */
export interface Source<Piece> {
  next(): PullResult<Piece>;
  cancel(): void;
}

/** A source of what comes one by one. */
export function sourceFromIterable<Item>(items: AsyncIterable<Item>): Source<readonly Item[]> {
  const iterator = items[Symbol.asyncIterator]();
  return {
    async next() {
      const step = await iterator.next();
      return step.done === true ? undefined : [step.value];
    },
    cancel: () => closeIterator(iterator),
  };
}

/** One that is waiting finishes its wait first; its end is nobody's business any more. */
export function closeIterator(iterator: AsyncIterator<unknown>): void {
  Promise.resolve(iterator.return?.()).catch(() => undefined);
}

/** A source of one piece that is in memory already. */
export function sourceFromValue<Piece>(piece: Piece): Source<Piece> {
  let left: Piece | undefined = piece;
  return {
    next() {
      const given = left;
      left = undefined;
      return given;
    },
    cancel() {
      left = undefined;
    },
  };
}
