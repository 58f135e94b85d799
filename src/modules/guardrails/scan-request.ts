import {
  type Exchange,
  type Kit,
  type RequestText,
  type TextPlace,
  texts,
  unscannedParts,
} from '../../module-api.ts';
import type { Finding } from './finding.ts';
import { limits } from './limits.ts';
import { namedText, withoutName } from './named-text.ts';
import type { GuardrailsOptions } from './options.ts';
import type { Policy } from './policy.ts';
import type { ScannedRequest } from './scanned-request.ts';
import type { TextMemory } from './text-memory.ts';

interface ScanParts extends Pick<Kit<GuardrailsOptions>, 'scope'> {
  readonly policy: Policy;
  readonly memory: TextMemory<readonly Finding[]>;
}

/** Finds what patterns, words and rules look for in every text of a request. */
export function scanRequest(exchange: Exchange, { policy, memory, scope }: ScanParts): ScannedRequest {
  const owner = `${policy.id} ${scope}`;
  const found = new Map<string, readonly Finding[]>();
  const findingsIn = (text: string, place: TextPlace): readonly Finding[] => {
    const named = namedText(text, place);
    let findings = found.get(named);
    if (findings === undefined) {
      const isRemembered = named.length >= limits.rememberedCharactersMin;
      findings =
        (isRemembered ? memory.get(owner, named) : undefined) ?? withoutName(policy.find(named), place);
      if (isRemembered) memory.set(owner, named, findings);
      found.set(named, findings);
    }
    return findings;
  };
  const unscanned = unscannedParts(exchange.request);
  return {
    texts: texts(exchange.request).map((text: RequestText) => ({
      ...text,
      findings: findingsIn(text.text, text),
    })),
    unscanned,
    refersToStored: unscanned.some(({ kind }) => kind === 'stored'),
    findingsIn,
  };
}
