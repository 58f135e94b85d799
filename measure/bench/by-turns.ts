/** Does something with each in turn, round after round: a machine that slows down for a while then slows all of them. */
export async function byTurns<Item, Result>(
  items: readonly Item[],
  rounds: number,
  step: (item: Item) => Promise<Result>,
): Promise<ReadonlyMap<Item, readonly Result[]>> {
  const results = new Map<Item, Result[]>(items.map((item) => [item, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [item, done] of results) done.push(await step(item));
  }
  return results;
}
