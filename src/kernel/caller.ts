/** Who calls, and so whose everything is that is kept of a call. */
export type Caller =
  | { readonly kind: 'local' }
  | { readonly kind: 'account'; readonly accountId: string; readonly keyId: string }
  /** By the name that its receipts have: the id of a session can claim them. */
  | { readonly kind: 'sandbox'; readonly sessionRef: string }
  | { readonly kind: 'payer'; readonly challengeId: string };

/** Whether the operator pays for the calls, so that nothing of the operator's account may show in them. */
export function operatorPays({ kind }: Caller): boolean {
  return kind === 'sandbox' || kind === 'payer';
}

/** A name for the tenant behind a call; nothing kept under one scope is seen under another. */
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
