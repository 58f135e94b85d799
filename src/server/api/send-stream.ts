import type { HttpResponse } from '../../http/response.ts';
import { closeIterator } from '../../kernel/reply/source.ts';
import type { HeaderList } from '../../lib/headers.ts';
import { writeResponse } from '../respond.ts';

export interface ResponseHead {
  readonly status: number;
  readonly headers: HeaderList;
}

/** Sends a stream as fast as the client reads. An error before the first chunk leaves the response unsent. */
export async function sendStream(
  res: HttpResponse,
  stream: AsyncIterable<Uint8Array>,
  { status, headers }: ResponseHead,
): Promise<void> {
  const chunks = stream[Symbol.asyncIterator]();
  if (res.request.method === 'HEAD') {
    closeIterator(chunks);
    writeResponse(res, { status, headers, bytes: new Uint8Array() });
    return;
  }
  res.onAbort(() => closeIterator(chunks));
  let step = await chunks.next();
  if (res.isClosed) return;
  res.writeHead(status, headers);
  for (; step.done !== true; step = await chunks.next()) {
    if (!res.write(step.value)) await res.waitForDrain();
    if (res.isClosed) return;
  }
  res.end();
}
