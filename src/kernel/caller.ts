/** The authenticated identity behind a call, which owns everything stored for it. */
export type Caller =
  | { readonly kind: 'local' }
  | {
      readonly kind: 'account';
      readonly accountId: string;
      readonly keyId: string;
      /** Of a token that stands for the key. */
      readonly endUser?: string | undefined;
    }
  /** The session's pseudonym in receipts: its id could claim them. */
  | { readonly kind: 'sandbox'; readonly sessionRef: string }
  | { readonly kind: 'payer'; readonly challengeId: string };

/** Whether the operator pays for the calls, so that they must not reveal anything about the operator's account. */
export function operatorPays({ kind }: Caller): boolean {
  return kind === 'sandbox' || kind === 'payer';
}

/** The scope of a caller's tenant; data stored under one scope is never visible under another. */
export function scopeOf(caller: Caller): string {
  switch (caller.kind) {
    case 'local':
      return 'local';
    case 'account':
      return `account:${caller.accountId}`;
    case 'sandbox':
      return `sandbox:${caller.sessionRef}`;
    case 'payer':
      return `payer:${caller.challengeId}`;
  }
}
