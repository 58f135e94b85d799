/** The reason that the egress gives for a request that it did not make or did not finish. */
export type EgressErrorCode =
  | 'EGRESS_AIRGAP'
  | 'EGRESS_NOT_ALLOWED'
  | 'EGRESS_NO_PUBLIC_ADDRESS'
  | 'EGRESS_PRIVATE_ADDRESS'
  | 'EGRESS_REDIRECT'
  | 'EGRESS_TOO_LARGE'
  | 'EGRESS_TIMEOUT'
  | 'EGRESS_UNREACHABLE';

export class EgressError extends Error {
  readonly code: EgressErrorCode;

  constructor(code: EgressErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EgressError';
    this.code = code;
  }
}
