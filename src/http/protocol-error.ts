/** What can be wrong with a request before anybody has looked at what it asks for. */
export type ProtocolErrorKind = 'malformed' | 'too_large' | 'too_late' | 'expectation' | 'tiny_chunks';

/** Why a connection's bytes are no request; nothing that follows them can be read. */
export class HttpProtocolError extends Error {
  readonly kind: ProtocolErrorKind;

  constructor(kind: ProtocolErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

export function malformedRequest(what: string): HttpProtocolError {
  return new HttpProtocolError('malformed', what);
}
