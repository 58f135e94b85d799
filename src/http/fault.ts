/** What can be wrong with a request before anybody has looked at what it asks for. */
export type FaultKind = 'malformed' | 'too_large' | 'too_late' | 'expectation' | 'tiny_chunks';

/** Why a connection's bytes are no request; nothing that follows them can be read. */
export class HttpFault extends Error {
  readonly kind: FaultKind;

  constructor(kind: FaultKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

export function malformed(what: string): HttpFault {
  return new HttpFault('malformed', what);
}
