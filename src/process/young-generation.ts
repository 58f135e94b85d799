import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { limits } from './limits.ts';

/**
 * Lets V8's young generation grow with the load after startup, in two large steps, since each small step costs
 * collections, and up to half the size that V8 would choose. The maximum can only be set on the command line, so the
 * size is polled and the growth factor adjusted. If it grows further between two polls, the load needs it.
 */
export function growYoungGeneration(): void {
  let factor = 1;
  const look = () => {
    // V8 may have shrunk it when idle.
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
