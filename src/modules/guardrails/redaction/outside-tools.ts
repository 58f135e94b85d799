import { isJsonObject, parseExact, type ReplyEvent, type Trace } from '../../../module-api.ts';
import type { createRestorer } from './restorer.ts';

type Restorer = ReturnType<typeof createRestorer>;

/** A call of a tool that calls another: its events are held until its arguments say which. */
interface HeldCall {
  readonly events: ReplyEvent[];
  json: string;
}

/** The same restorer, but the arguments of tools outside of the gateway keep their placeholders. */
export function exceptOutside(restorer: Restorer, tools: Trace['gatewayTools']): Restorer {
  if (tools.size === 0) return restorer;
  const outside = new Set<number>();
  const held = new Map<number, HeldCall>();
  const outsideNames = [...tools].flatMap(([name, reach]) => (reach === 'outside' ? [name] : []));

  const restoreAll = (events: readonly ReplyEvent[]): readonly ReplyEvent[] =>
    events.flatMap((event) => restorer(event));

  const release = ({ events, json }: HeldCall): readonly ReplyEvent[] =>
    callsOneOf(outsideNames, json) ? events : restoreAll(events);

  const rewrite = (event: ReplyEvent): ReplyEvent | readonly ReplyEvent[] => {
    if (event.type === 'content_block_start') {
      const { index, content_block: block } = event;
      const reach = block.type === 'tool_use' ? tools.get(block.name) : undefined;
      if (reach === undefined) return restorer(event);
      if (reach === 'other-tool') {
        held.set(index, { events: [event], json: '' });
        return [];
      }
      outside.add(index);
      return event;
    }
    if (event.type !== 'content_block_delta' && event.type !== 'content_block_stop') return restorer(event);
    const { index } = event;
    const isEnd = event.type === 'content_block_stop';
    if (outside.has(index)) {
      if (isEnd) outside.delete(index);
      return event;
    }
    const call = held.get(index);
    if (call === undefined) return restorer(event);
    call.events.push(event);
    if (!isEnd) {
      if (event.delta.type === 'input_json_delta') call.json += event.delta.partial_json;
      return [];
    }
    held.delete(index);
    return release(call);
  };
  const flush = () => [...[...held.values()].flatMap(({ events }) => events), ...(restorer.flush?.() ?? [])];
  return Object.assign(rewrite, { flush });
}

/** Also by the end of its name, as models shorten names; and if nobody can tell. */
function callsOneOf(names: readonly string[], json: string): boolean {
  try {
    const input = parseExact(json);
    const name = isJsonObject(input) ? input.name : undefined;
    return typeof name !== 'string' || names.some((one) => one.endsWith(name));
  } catch {
    return true;
  }
}
