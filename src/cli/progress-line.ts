/** How far long work is: a line that changes on a terminal, and a line now and then elsewhere. */
export class ProgressLine {
  #shownAt = Number.NEGATIVE_INFINITY;
  #isShown = false;

  show(text: string): void {
    const now = performance.now();
    const { isTTY } = process.stderr;
    if (now - this.#shownAt < (isTTY ? terminalMs : plainMs)) return;
    const isFirst = this.#shownAt === Number.NEGATIVE_INFINITY;
    this.#shownAt = now;
    if (isTTY) process.stderr.write(`\r\u001b[2K${text}`);
    else if (!isFirst) process.stderr.write(`${text}\n`);
    this.#isShown = isTTY;
  }

  clear(): void {
    if (this.#isShown) process.stderr.write('\r\u001b[2K');
    this.#isShown = false;
  }
}

const terminalMs = 100;
const plainMs = 5000;

/** `[#####-----]  50 %` */
export function progressBar(share: number): string {
  const width = 30;
  const done = Math.round(Math.min(1, Math.max(0, share)) * width);
  return `[${'#'.repeat(done)}${'-'.repeat(width - done)}] ${String(Math.round(share * 100)).padStart(3)} %`;
}
