/** Where the first `count` lines of a text end: the position of the line break behind them; undefined if no line follows. */
export function endOfLines(text: string, count: number): number | undefined {
  let end = -1;
  for (let lines = 0; lines < count; lines++) {
    end = text.indexOf('\n', end + 1);
    if (end < 0) return undefined;
  }
  return end;
}
