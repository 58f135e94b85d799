import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { limits } from '../kernel/limits.ts';

/**
 * From now on the space for new objects grows with the load, which it is kept from while the gateway starts: in two large
 * steps, since each small one is paid for with collections. V8 would go on to twice the size that calls gain from. How far
 * it may go can be said on the command line only, so it is looked at again and again, and told by how much it may grow.
 * Where so much outlives collections that it grows further between two looks, it is needed.
 */
export function growYoungGeneration(): void {
  let factor = 1;
  const look = () => {
    // V8 may also have made it smaller, where little was going on.
    const wanted = growthFactorFor(youngGenerationBytes());
    if (wanted === factor) return;
    factor = wanted;
    setFlagsFromString(`--semi-space-growth-factor=${factor}`);
  };
  look();
  setInterval(look, limits.youngGenerationLookMs).unref();
}

function growthFactorFor(bytes: number): number {
  const room = Math.floor(limits.youngGenerationBytes / bytes);
  return Math.max(1, Math.min(room, limits.youngGenerationGrowthMax));
}

function youngGenerationBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? Infinity;
}
