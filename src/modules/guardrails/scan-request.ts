import { setImmediate } from 'node:timers/promises';
import {
  type ChatRequest,
  type Exchange,
  type Kit,
  type Message,
  type TextPlace,
  texts,
  type UnscannedPart,
  unscannedParts,
} from '../../module-api.ts';
import type { Finding } from './finding.ts';
import { limits } from './limits.ts';
import { namedText, withoutName } from './named-text.ts';
import type { GuardrailsOptions } from './options.ts';
import type { Policy } from './policy.ts';
import type { ScannedRequest, ScannedText } from './scanned-request.ts';
import type { TextMemory } from './text-memory.ts';

/** What was found in a message, the same object in all calls of its conversation. */
export interface ScannedMessage {
  /** Identifies policy and tenant. */
  readonly owner: string;
  readonly index: number;
  readonly texts: readonly ScannedText[];
  readonly unscanned: readonly UnscannedPart[];
}

interface ScanParts extends Pick<Kit<GuardrailsOptions>, 'scope'> {
  readonly policy: Policy;
  readonly memory: TextMemory<readonly Finding[]>;
  readonly messages: WeakMap<Message, ScannedMessage>;
}

/** Finds what patterns, words and rules look for in every text of a request. Other calls go on in between. */
export async function scanRequest(
  { request }: Pick<Exchange, 'request'>,
  { policy, memory, messages, scope }: ScanParts,
): Promise<ScannedRequest> {
  const owner = `${policy.id} ${scope}`;
  const findingsIn = createFinder({ policy, memory, scope });
  const scan = (part: ChatRequest) => ({
    texts: texts(part).map((text) => ({ ...text, findings: findingsIn(text.text, text) })),
    unscanned: unscannedParts(part),
  });
  const scanMessage = (message: Message, index: number): ScannedMessage => {
    const known = messages.get(message);
    if (known?.owner === owner && known.index === index) return known;
    const alone = scan({ model: request.model, messages: [message] });
    const scanned: ScannedMessage = {
      owner,
      index,
      texts: alone.texts.map((text) => ({ ...text, messageIndex: index })),
      unscanned: alone.unscanned.map((part) => ({ ...part, messageIndex: index })),
    };
    messages.set(message, scanned);
    return scanned;
  };
  const parts: Pick<ScannedMessage, 'texts' | 'unscanned'>[] = [];
  let turnAtMs = performance.now();
  for (const [index, message] of request.messages.entries()) {
    if (performance.now() - turnAtMs > limits.turnMs) {
      await setImmediate();
      turnAtMs = performance.now();
    }
    parts.push(scanMessage(message, index));
  }
  parts.push(scan({ ...request, messages: [] }));
  const unscanned = parts.flatMap((part) => part.unscanned);
  return {
    texts: parts.flatMap((part) => part.texts),
    unscanned,
    refersToStored: unscanned.some(({ kind }) => kind === 'stored'),
    findingsIn,
  };
}

/** Finds in a text what patterns, words and rules look for, once for each tenant and policy. */
export function createFinder({
  policy,
  memory,
  scope,
}: Omit<ScanParts, 'messages'>): (text: string, place: TextPlace) => readonly Finding[] {
  const owner = `${policy.id} ${scope}`;
  return (text, place) => {
    const named = namedText(text, place);
    if (named.length < limits.rememberedCharactersMin) return withoutName(policy.find(named), place);
    const findings = memory.get(owner, named) ?? withoutName(policy.find(named), place);
    memory.set(owner, named, findings);
    return findings;
  };
}
