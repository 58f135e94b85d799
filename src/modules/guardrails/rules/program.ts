/** An instruction of a program of re2js. */
export interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  readonly runes: Int32Array;
  matchRune(rune: number): boolean;
}

/** The operations of re2js. */
export const op = {
  alternative: 1,
  alternativeMatch: 2,
  capture: 3,
  assertion: 4,
  fail: 5,
  match: 6,
  nothing: 7,
};
export const foldsCase = 1;

/** Assertions of re2js, which an instruction has in `arg`. */
export const assertion = { lineStart: 1, lineEnd: 2, textStart: 4, textEnd: 8, boundary: 16, noBoundary: 32 };
