/** Who reads a body, once. */
export interface BodyReader {
  /** What came, to be looked at now: later something else is in that memory. */
  piece(bytes: Buffer): void;
  end(): void;
  /** The rest will not come. */
  gone(): void;
}

/** How a body's connection is slowed down, and told to begin. */
export interface BodySource {
  pause(): void;
  resume(): void;
  goOn(): void;
}

/** A request's body on its way in. What comes before somebody reads it is kept, and no more is taken than came at once. */
export class RequestBody {
  /** How many bytes the client said; NaN where it didn't. */
  readonly announced: number;
  readonly #source: BodySource;
  #kept: Buffer[] = [];
  #reader: BodyReader | undefined;
  #isComplete = false;
  #isGone = false;

  constructor(announced: number, source: BodySource) {
    this.announced = announced;
    this.#source = source;
  }

  /** Whether all of it has come, read or not. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** All of it, where it has come before anybody read it. */
  take(): Buffer {
    const kept = this.#kept;
    this.#kept = [];
    const [only] = kept;
    return only !== undefined && kept.length === 1 ? only : Buffer.concat(kept);
  }

  /** From now on; a later reader takes over from an earlier one. */
  read(reader: BodyReader): void {
    this.#reader = reader;
    const kept = this.#kept;
    this.#kept = [];
    for (const piece of kept) reader.piece(piece);
    // It may have had enough.
    if (this.#reader !== reader) return;
    if (this.#isComplete) reader.end();
    else if (this.#isGone) reader.gone();
    else {
      if (kept.length === 0) this.#source.goOn();
      this.#source.resume();
    }
  }

  /** Nobody reads on, for now. */
  stop(): void {
    this.#reader = undefined;
    if (!this.#isComplete && !this.#isGone) this.#source.pause();
  }

  /** More of it, or nothing but its end. */
  push(piece: Buffer, isLast: boolean): void {
    if (isLast) this.#isComplete = true;
    if (piece.byteLength > 0) {
      if (this.#reader !== undefined) this.#reader.piece(piece);
      else {
        this.#kept.push(Buffer.from(piece));
        if (!isLast) this.#source.pause();
      }
    }
    if (isLast) this.#reader?.end();
  }

  lose(): void {
    if (this.#isComplete || this.#isGone) return;
    this.#isGone = true;
    this.#kept = [];
    this.#reader?.gone();
  }
}
