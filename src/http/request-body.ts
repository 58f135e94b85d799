/** Who reads a body, once. */
export interface BodyReader {
  onChunk(bytes: Buffer): void;
  onEnd(): void;
  /** The rest will not come. */
  onAbort(): void;
}

/** How a body's connection is slowed down, and told to begin. */
export interface BodyFlowControl {
  pause(): void;
  resume(): void;
  sendContinue(): void;
}

/** A request's body on its way in. What comes before somebody reads it is kept, and no more is taken than came at once. */
export class RequestBody {
  /** How many bytes the client said; NaN where it didn't. */
  readonly contentLength: number;
  readonly #source: BodyFlowControl;
  #buffered: Buffer[] = [];
  #reader: BodyReader | undefined;
  #isComplete = false;
  #isAborted = false;

  constructor(announced: number, source: BodyFlowControl) {
    this.contentLength = announced;
    this.#source = source;
  }

  /** Whether all of it has come, read or not. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** All of it, where it has come before anybody read it. */
  take(): Buffer {
    const kept = this.#buffered;
    this.#buffered = [];
    const [only] = kept;
    return only !== undefined && kept.length === 1 ? only : Buffer.concat(kept);
  }

  /** From now on; a later reader takes over from an earlier one. */
  read(reader: BodyReader): void {
    this.#reader = reader;
    const kept = this.#buffered;
    this.#buffered = [];
    for (const piece of kept) reader.onChunk(piece);
    // It may have had enough.
    if (this.#reader !== reader) return;
    if (this.#isComplete) reader.onEnd();
    else if (this.#isAborted) reader.onAbort();
    else {
      if (kept.length === 0) this.#source.sendContinue();
      this.#source.resume();
    }
  }

  /** Nobody reads on, for now. */
  stop(): void {
    this.#reader = undefined;
    if (!this.#isComplete && !this.#isAborted) this.#source.pause();
  }

  /** More of it, or nothing but its end. */
  push(piece: Buffer, isLast: boolean): void {
    if (isLast) this.#isComplete = true;
    if (piece.byteLength > 0) {
      if (this.#reader !== undefined) this.#reader.onChunk(piece);
      else {
        this.#buffered.push(piece);
        if (!isLast) this.#source.pause();
      }
    }
    if (isLast) this.#reader?.onEnd();
  }

  abort(): void {
    if (this.#isComplete || this.#isAborted) return;
    this.#isAborted = true;
    this.#buffered = [];
    this.#reader?.onAbort();
  }
}
