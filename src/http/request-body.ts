/** Receives a body. */
export interface BodyReader {
  onChunk(bytes: Buffer): void;
  onEnd(): void;
  /** The client left before the end. */
  onAbort(): void;
}

/** Controls the connection that a body arrives on. */
export interface BodyFlowControl {
  pause(): void;
  resume(): void;
  /** Sends `100 Continue` if the client waits for it. */
  sendContinue(): void;
}

/** The body of a request. Without a reader, the connection is paused after the first chunk. */
export class RequestBody {
  /** The declared length in bytes; NaN for a chunked body. */
  readonly contentLength: number;
  readonly #flowControl: BodyFlowControl;
  #buffered: Buffer[] = [];
  #reader: BodyReader | undefined;
  #hasBegun = false;
  #isComplete = false;
  #isAborted = false;
  /** Whether the time limit counts from the latest chunk instead of the first: for bodies that may take hours. */
  isTimedByChunk = false;

  constructor(contentLength: number, flowControl: BodyFlowControl) {
    this.contentLength = contentLength;
    this.#flowControl = flowControl;
  }

  /** Whether all of it has arrived. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Takes a complete body that has had no reader. */
  take(): Buffer {
    const buffered = this.#buffered;
    this.#buffered = [];
    const [only] = buffered;
    return only !== undefined && buffered.length === 1 ? only : Buffer.concat(buffered);
  }

  /** Starts reading; a later reader replaces an earlier one. */
  read(reader: BodyReader): void {
    this.#reader = reader;
    const buffered = this.#buffered;
    this.#buffered = [];
    for (const chunk of buffered) reader.onChunk(chunk);
    // The reader may have called `stop` or `read`.
    if (this.#reader !== reader) return;
    if (this.#isComplete) reader.onEnd();
    else if (this.#isAborted) reader.onAbort();
    else {
      if (!this.#hasBegun) this.#flowControl.sendContinue();
      this.#hasBegun = true;
      this.#flowControl.resume();
    }
  }

  /** Stops reading and pauses the connection. */
  stop(): void {
    this.#reader = undefined;
    if (!this.#isComplete && !this.#isAborted) this.#flowControl.pause();
  }

  /** Called by the connection; the last chunk may be empty. */
  push(chunk: Buffer, isLast: boolean): void {
    this.#hasBegun = true;
    if (isLast) this.#isComplete = true;
    if (chunk.byteLength > 0) {
      if (this.#reader !== undefined) this.#reader.onChunk(chunk);
      else {
        this.#buffered.push(chunk);
        if (!isLast) this.#flowControl.pause();
      }
    }
    if (isLast) this.#reader?.onEnd();
  }

  /** Called by the connection when it closes. */
  abort(): void {
    if (this.#isComplete || this.#isAborted) return;
    this.#isAborted = true;
    this.#buffered = [];
    this.#reader?.onAbort();
  }
}
