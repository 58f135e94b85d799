import { type ReceiptDetails, type ReceiptRow, receiptRow, signedFieldsOf } from './receipt.ts';
import { SigningKey } from './signing-key.ts';

/** For tests: details of a call. */
export function sampleReceiptDetails(given: Partial<ReceiptDetails> = {}): ReceiptDetails {
  return {
    id: `rcpt_${'0'.repeat(32)}`,
    sessionRef: 'ref',
    visibility: 'public_demo',
    createdAtMs: 1_763_000_000_123,
    model: 'demo-1',
    provider: 'demo',
    status: 'complete',
    inputTokens: 3,
    outputTokens: null,
    costUsd: '0.0001',
    requestSha256: 'a'.repeat(64),
    responseSha256: 'b'.repeat(64),
    modules: ['cost-guard', 'other'],
    egress: undefined,
    toolCalls: [],
    ...given,
  };
}

/** A receipt of it, and its public key. */
export async function signedReceipt(
  given: Partial<ReceiptDetails> = {},
  number = 1,
): Promise<{ readonly row: ReceiptRow; readonly key: SigningKey }> {
  const key = await SigningKey.from(new Uint8Array(32).fill(number));
  const payload = JSON.stringify(signedFieldsOf(sampleReceiptDetails(given), key.id));
  return { key, row: receiptRow({ jws: await key.sign(payload) }) };
}
