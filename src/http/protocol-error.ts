/** The ways in which the bytes of a connection can fail to be a valid request. */
export type ProtocolErrorKind = 'malformed' | 'too_large' | 'too_late' | 'expectation' | 'tiny_chunks';

/** A violation of HTTP by the client. The connection cannot be used after it. */
export class HttpProtocolError extends Error {
  readonly kind: ProtocolErrorKind;

  constructor(kind: ProtocolErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

export function malformedRequest(message: string): HttpProtocolError {
  return new HttpProtocolError('malformed', message);
}
