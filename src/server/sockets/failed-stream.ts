import type { WireFormat } from '../../kernel/wire-format.ts';
import type { RequestContext } from '../respond.ts';

/**
 * The messages of a stream that failed before its first content, up to its error event; undefined if the provider broke off
 * without one.
 */
export function failedStreamMessages(
  stream: Uint8Array,
  wire: WireFormat,
  { path, query, socket }: RequestContext,
): Uint8Array | undefined {
  const layout = wire.layout?.({ path, query, socket });
  const messages = [layout?.push(stream), layout?.end()].filter((piece) => piece !== undefined);
  const bytes = Buffer.concat(messages);
  const last = bytes.subarray(0, -1);
  const event = wire.socket?.readEvent(last.subarray(last.lastIndexOf('\n') + 1));
  return event?.isLast === true ? bytes : undefined;
}
