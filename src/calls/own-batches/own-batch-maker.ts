import { z } from 'zod';
import type { Caller } from '../../kernel/caller.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { OwnBatch } from '../../kernel/ports/own-batches.ts';
import type { HeaderList } from '../../lib/headers.ts';
import type { Sealing } from './line-sealing.ts';

/** Who made a batch, and with which request: what its calls have in common. */
export interface OwnBatchMaker {
  readonly caller: Caller;
  readonly headers: HeaderList;
  /** The address of the client. */
  readonly address: string;
}

const callerSchema = z.union([
  z.strictObject({ kind: z.literal('local') }),
  z.strictObject({
    kind: z.literal('account'),
    accountId: z.string(),
    keyId: z.string(),
    endUser: z.string().optional(),
  }),
]);

const makerSchema = z.strictObject({
  caller: callerSchema,
  headers: z.array(z.string()),
  address: z.string(),
});

export function sealMaker(sealing: Sealing, batchId: string, maker: OwnBatchMaker) {
  return sealing.seal(Buffer.from(JSON.stringify(maker)), `${batchId} maker`);
}

export function openMaker(sealing: Sealing, batch: OwnBatch): OwnBatchMaker {
  const content = sealing.openBytes(batch, `${batch.id} maker`);
  if (content === undefined)
    throw new GatewayError('internal', 'a batch can not be opened: the secret of this gateway has changed');
  return makerSchema.parse(JSON.parse(content.toString()));
}
