/** Amounts are remembered as one of 256 codes, 8 % apart: the past of a key is a byte for each quarter of an hour. */
const smallestNanoUsd = 10_000;
const step = Math.log(1.08);

export function spendCode(nanoUsd: number): number {
  if (nanoUsd < smallestNanoUsd) return 0;
  return Math.min(255, 1 + Math.round(Math.log(nanoUsd / smallestNanoUsd) / step));
}

export function spendOfCode(code: number): number {
  return code === 0 ? 0 : smallestNanoUsd * Math.exp((code - 1) * step);
}
