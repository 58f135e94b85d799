import type { ReceiptFacts, ReceiptRow } from './receipt.ts';
import { receiptRow, signedFieldsOf } from './receipt.ts';
import { SigningKey } from './signing-key.ts';

/** For tests: a receipt, and the keys that it is checked with. */
export async function signedReceipt(
  given: Partial<ReceiptFacts> = {},
  number = 1,
): Promise<{ readonly row: ReceiptRow; readonly key: SigningKey }> {
  const key = await SigningKey.from(new Uint8Array(32).fill(number));
  const facts: ReceiptFacts = {
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
    ...given,
  };
  return { key, row: receiptRow({ jws: await key.sign(JSON.stringify(signedFieldsOf(facts, key.id))) }) };
}
