import { GatewayError } from '../../kernel/errors.ts';
import type { HeaderList } from '../../kernel/headers.ts';
import { limits } from '../../kernel/limits.ts';
import { formatUsd } from '../../kernel/money.ts';
import { answerHeaders } from './answer-headers.ts';
import { type Chunks, type Delivery, told } from './delivery.ts';

/** Holds an unstreamed answer until it is whole, so that its cost can stand in a header; a huge one goes on its way. */
export async function deliverWhole(delivery: Delivery, chunks: Chunks): Promise<void> {
  const { res, underway, receipt, sale } = delivery;
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  for (;;) {
    const coming = chunks.pull();
    const chunk = coming instanceof Promise ? await coming : coming;
    if (chunk === undefined) break;
    if (heldBytes <= limits.heldAnswerBytesMax) {
      held.push(chunk);
      heldBytes += chunk.byteLength;
      continue;
    }
    if (sale !== undefined) throw new GatewayError('upstream_broken', 'the model answered more than it may');
    if (!res.headersSent) beginEarly(delivery, held.splice(0));
    receipt?.wrote(chunk);
    if (!res.write(chunk)) await res.drained();
  }
  await told();
  const came = held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held);
  const body = underway.reply.withoutSecrets(came);
  receipt?.wrote(body);
  if (receipt?.comesFirst === true) await receipt.close();
  if (res.headersSent) {
    res.end();
    return;
  }
  const paid = sale === undefined ? [] : await sale.take(body);
  sale?.wrote(body);
  res.writeHead(underway.reply.status, wholeHeaders(delivery, body, paid));
  res.end(body);
}

/** Before its cost is known. */
function beginEarly(delivery: Delivery, held: readonly Uint8Array[]): void {
  const { res, underway, receipt } = delivery;
  underway.sent(underway.reply.status);
  res.writeHead(underway.reply.status, answerHeaders(delivery, 'json'));
  for (const chunk of held) {
    receipt?.wrote(chunk);
    res.write(chunk);
  }
}

function wholeHeaders(delivery: Delivery, body: Uint8Array, paid: HeaderList): HeaderList {
  const { bill } = delivery.underway;
  const headers = answerHeaders(delivery, 'json');
  for (const text of paid) headers.push(text);
  if (bill !== undefined) headers.push('x-weir-cost-usd', formatUsd(bill.nanoUsd));
  if (bill?.estimated === true) headers.push('x-weir-estimate', 'true');
  headers.push('content-length', String(body.byteLength));
  return headers;
}
