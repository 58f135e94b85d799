import { z } from 'zod';
import type { AirgapLevel } from '../kernel/egress-record.ts';
import type { StoredReceipt, Visibility } from '../kernel/ports/receipts.ts';
import type { Ending } from '../kernel/reply/ending.ts';

/** The details of a call for its receipt. */
export interface ReceiptDetails {
  readonly id: string;
  readonly sessionRef: string | null;
  readonly visibility: Visibility;
  readonly createdAtMs: number;
  readonly model: string;
  readonly provider: string;
  readonly status: Ending['how'];
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly costUsd: string | null;
  readonly requestSha256: string;
  readonly responseSha256: string;
  readonly modules: readonly string[];
  /** Undefined if the call was not in an airgap. */
  readonly egress: ReceiptEgress | undefined;
  /** The calls of tools of MCP servers, in the order of their ends. */
  readonly toolCalls: readonly ReceiptToolCall[];
}

interface ReceiptToolCall {
  readonly tool: string;
  readonly argumentsSha256: string;
  readonly resultSha256: string | null;
}

/** Where the gateway connected to for a call. */
export interface ReceiptEgress {
  readonly airgap: AirgapLevel;
  readonly requests: Readonly<Record<string, number>>;
  readonly refused: number;
}

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const signedFields = {
  receipt_id: z.string(),
  session_ref: z
    .string()
    .nullable()
    .describe('A pseudonym of the anonymous session; null for calls of accounts'),
  visibility: z.enum(['public_demo', 'private']),
  created_at: z.iso.datetime(),
  model: z.string().describe('The model that answered; of a call of a tool at `/mcp`, the name of the tool'),
  provider: z.string().describe('Its provider; `mcp` for a call of a tool at `/mcp`'),
  status: z.enum(['complete', 'aborted', 'failed']).describe('How the answer ended'),
  input_tokens: z.int().nullable(),
  output_tokens: z.int().nullable(),
  cost_usd: z.string().nullable().describe('In dollars, as a decimal number; null if the cost is unknown'),
  request_sha256: sha256.describe('Hash of the decoded body that the client sent'),
  response_sha256: sha256.describe(
    'Hash of the bytes that the client received, without the comments of the gateway',
  ),
  modules: z.array(z.string()).describe('The modules that the call ran through'),
  egress: z
    .strictObject({
      airgap: z
        .enum(['call', 'instance'])
        .describe('Who wanted the airgap: the pipeline of the call (`call`) or the operator for all calls'),
      requests: z
        .record(z.string(), z.int())
        .describe('The hosts of providers that requests were sent to, with their number'),
      refused: z.int().describe('Other connections, which modules wanted and did not get'),
    })
    .optional()
    .describe('All that the gateway connected to for the call; only for calls in an airgap'),
  tool_calls: z
    .array(
      z.strictObject({
        tool: z.string().describe('Its name at the gateway: `<server>__<tool>`'),
        arguments_sha256: sha256.describe('Hash of the arguments as the server got them, as canonical JSON'),
        result_sha256: sha256
          .nullable()
          .describe('Hash of the result as the server gave it, as canonical JSON; null without a result'),
      }),
    )
    .optional()
    .describe('The calls of tools of MCP servers; only for calls with any'),
  key_id: z.string().describe('The key in /.well-known/jwks.json that verifies the signature'),
};

export const receiptSchema = z.strictObject({
  ...signedFields,
  signature: z.string().describe('A compact JWS (EdDSA), whose payload is all of the other fields'),
});

/** The signed payload. */
export type SignedFields = z.output<z.ZodObject<typeof signedFields>>;
export type ReceiptRow = z.output<typeof receiptSchema>;

export function signedFieldsOf(facts: ReceiptDetails, keyId: string): SignedFields {
  return {
    receipt_id: facts.id,
    session_ref: facts.sessionRef,
    visibility: facts.visibility,
    created_at: new Date(facts.createdAtMs).toISOString(),
    model: facts.model,
    provider: facts.provider,
    status: facts.status,
    input_tokens: facts.inputTokens,
    output_tokens: facts.outputTokens,
    cost_usd: facts.costUsd,
    request_sha256: facts.requestSha256,
    response_sha256: facts.responseSha256,
    modules: [...facts.modules],
    ...(facts.egress !== undefined && {
      egress: { ...facts.egress, requests: { ...facts.egress.requests } },
    }),
    ...(facts.toolCalls.length > 0 && {
      tool_calls: facts.toolCalls.map(({ tool, argumentsSha256, resultSha256 }) => ({
        tool,
        arguments_sha256: argumentsSha256,
        result_sha256: resultSha256,
      })),
    }),
    key_id: keyId,
  };
}

const signedSchema = z.strictObject(signedFields);

/** A receipt for display, read from the signed text itself. */
export function receiptRow({ jws }: Pick<StoredReceipt, 'jws'>): ReceiptRow {
  const [, payload = ''] = jws.split('.');
  const signed = signedSchema.parse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
  return { ...signed, signature: jws };
}
